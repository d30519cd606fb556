"""What a repository answers: formats, granularity, errors, records that are wrong."""

from __future__ import annotations

import pytest

from ckanext.ukharvest.core.errors import BadStatus, ProtocolError
from ckanext.ukharvest.readers.oaipmh.protocol import Refused
from tests.publisher import Publisher, Response
from tests.publishing.oaipmh import (
    XML,
    Arguments,
    Repository,
    error,
    numbered,
    oaipmh,
)
from tests.readers.reads import Reads, guids

ALL = [f"id-{number}" for number in range(5)]

FIRST = {"metadataPrefix": "oai_dc"}


def test_a_pasted_request_is_read_as_its_repository(reads: Reads, publisher: Publisher) -> None:
    repository = Repository(numbered(3))
    repository.serve(publisher)
    url = publisher.url("/oai?mode=oaipmh&verb=Identify&set=x")
    found, _ = reads(repository, url=url)
    assert guids(found) == ALL[:3]
    assert repository.lists[0] == {"mode": "oaipmh", **FIRST}
    assert found[0].url == publisher.url(
        "/oai?mode=oaipmh&verb=GetRecord&identifier=id-0&metadataPrefix=oai_dc"
    )


@pytest.mark.parametrize(
    ("inside", "given", "words"),
    [
        (error("badVerb", "no"), {}, "refused the request: badVerb: no"),
        (error("idDoesNotExist"), {}, "refused the request: idDoesNotExist"),
        (error("noSetHierarchy"), {"sets": ["a"]}, "it has no sets, so the option sets has to be"),
        (
            error("cannotDisseminateFormat"),
            {"metadata_prefix": "mods"},
            "the option metadata_prefix names one of: oai_dc",
        ),
        (
            error("badArgument", "Invalid outputSchema"),
            {"metadata_prefix": "mods"},
            "Invalid outputSchema; the option metadata_prefix names one of: oai_dc",
        ),
        (error("x") + error("badArgument", "z"), {}, "refused the request: x; badArgument: z"),
        ("<Identify/>", {}, "is an answer of Identify; expected an answer of ListRecords"),
        ("", {}, "has no ListRecords; expected one with records"),
    ],
)
def test_an_error_stops_the_run_in_words(
    reads: Reads, inside: str, given: dict[str, object], words: str
) -> None:
    def change(asked: Arguments) -> str | None:
        return inside if asked["verb"] == "ListRecords" else None

    with pytest.raises(ProtocolError) as caught:
        reads(Repository(numbered(1), change=change), given)
    assert words in caught.value.message


@pytest.mark.parametrize("status", [400, 404, 422])
def test_an_error_of_the_protocol_is_read_under_any_status(reads: Reads, status: int) -> None:
    body = oaipmh(error("badArgument", "no such set")).encode()
    repository = Repository([], change=lambda _given: Response(body, status, XML))
    with pytest.raises(Refused, match="badArgument: no such set"):
        reads(repository, {"metadata_prefix": "oai_dc"})


def test_a_page_of_a_server_is_no_error_of_the_protocol(reads: Reads) -> None:
    repository = Repository([], change=lambda _given: Response(b"<html>no</html>", 404))
    with pytest.raises(BadStatus, match="answered 404"):
        reads(repository)


def without_formats(given: Arguments) -> str | None:
    return error("badVerb") if given["verb"] == "ListMetadataFormats" else None


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (("oai_dc", "iso19139", "dcat_ap"), "dcat_ap"),
        (("oai_dc", "datacite", "iso19139"), "iso19139"),
        (("mods", "oai_dc", "marc21"), "oai_dc"),
        (("mods", "qdc", "oai_dc"), "oai_dc"),
        (("mods",), "oai_dc"),
    ],
)
def test_the_format_that_says_most_is_requested(
    reads: Reads, offered: tuple[str, ...], chosen: str
) -> None:
    repository = Repository(numbered(1), prefixes=offered)
    reads(repository)
    assert repository.lists == [{"metadataPrefix": chosen}]


def test_without_a_list_of_formats_dublin_core_is_requested(reads: Reads) -> None:
    repository = Repository(numbered(1), change=without_formats)
    reads(repository)
    assert repository.lists == [FIRST]


@pytest.mark.parametrize(
    ("granularity", "given", "sent"),
    [
        ("YYYY-MM-DD", {"from": "2024-04-01T10:00:00Z"}, {"from": "2024-04-01"}),
        ("YYYY-MM-DDThh:mm:ssZ", {"from": "2024-04-01"}, {"from": "2024-04-01T00:00:00Z"}),
        ("YYYY-MM-DDThh:mm:ssZ", {"until": "2024-04-01"}, {"until": "2024-04-01T23:59:59Z"}),
        ("YYYY-MM-DD", {"until": "2024-04-01"}, {"until": "2024-04-01"}),
    ],
)
def test_dates_have_the_servers_granularity_and_prove_nothing(
    reads: Reads, granularity: str, given: dict[str, str], sent: dict[str, str]
) -> None:
    repository = Repository(numbered(2), granularity=granularity)
    _, ending = reads(repository, given)
    assert repository.lists == [{**FIRST, **sent}]
    assert not ending.complete
    assert "so that others do not count as missing" in ending.reason


BROKEN = (
    "<ListRecords><record/></ListRecords>",
    "<ListRecords><record><header/></record></ListRecords>",
    "<ListRecords><record><header><identifier> </identifier></header></record></ListRecords>",
)


@pytest.mark.parametrize("inside", BROKEN)
def test_a_record_without_identity_fails_alone(reads: Reads, inside: str) -> None:
    repository = Repository([], change=lambda _given: inside)
    (raw,), _ = reads(repository, {"metadata_prefix": "oai_dc"})
    assert raw.error is not None
    assert raw.error.message == (
        "record 1: header/identifier is missing; expected an identifier that never changes"
    )


RDF = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
    ' xmlns:dcat="http://www.w3.org/ns/dcat#">{}</rdf:RDF>'
)

DATASET = (
    '<dcat:Dataset rdf:about="http://a.example/{}"><dcat:keyword>x</dcat:keyword></dcat:Dataset>'
)


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("", "describes 0 dcat:Datasets; expected one"),
        (DATASET.format(1) + DATASET.format(2), "describes 2 dcat:Datasets; expected one"),
        ('<dcat:Dataset rdf:ID="a b"/>', "is not a valid"),
    ],
)
def test_rdf_that_is_no_dataset_fails_alone(reads: Reads, inside: str, words: str) -> None:
    record = (
        "<record><header><identifier>a</identifier></header><metadata>"
        f"{RDF.format(inside)}</metadata></record>"
    )
    found, ending = reads(Repository([record, *numbered(1)]))
    assert [raw.error is not None for raw in found] == [True, False]
    assert found[0].error is not None
    assert words in found[0].error.message
    assert ending.complete
