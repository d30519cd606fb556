"""An inventory as a document: complete or refused, cut, compared, skipped if unchanged."""

from __future__ import annotations

from typing import Any

import pytest

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.fingerprint import fingerprint
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source
from ckanext.ukharvest.source_types.lists import INVENTORY
from tests.publisher import Publisher

HEAD = (
    '<Inventory xmlns="http://schemas.esd.org.uk/inventory" Modified="{day}" Language="en">'
    "<Identifier>{name}</Identifier>"
    "<Metadata><Publisher>{publisher}</Publisher></Metadata><Datasets>\n"
)
TAIL = "</Datasets></Inventory>"
DATED = "<Dataset Modified='2024-01-01'><Identifier>dated</Identifier><Title>D</Title></Dataset>\n"
PLAIN = "<Dataset><Identifier>plain</Identifier><Title>P</Title></Dataset>\n"


def document(
    body: str = DATED + PLAIN,
    *,
    day: str = "2024-02-02",
    publisher: str = "https://p.example",
    name: str = "https://council.example/",
) -> str:
    return HEAD.format(day=day, publisher=publisher, name=name) + body + TAIL


class Council:
    """A publisher of one inventory, and its reader."""

    def __init__(self, publisher: Publisher, http: HttpClient) -> None:
        self.publisher = publisher
        self.url = publisher.url("/inventory")
        self._http = http

    def read(self, text: str, **more: Any) -> tuple[list[RawRecord], Ending]:
        self.publisher.serve("/inventory", text, headers={"Content-Type": "text/xml"})
        return self.again(**more)

    def again(self, validation: str = "strict", **more: Any) -> tuple[list[RawRecord], Ending]:
        source = Source(self.url, {"validation": validation}, self._http, **more)
        reading = Reading(INVENTORY.reader.records(source))
        found = list(reading)
        assert reading.ending is not None
        return found, reading.ending

    def prints(self, text: str) -> dict[str, str]:
        return {r.guid: fingerprint(r.content or "", "xml", ()) for r in self.read(text)[0]}


@pytest.fixture
def council(publisher: Publisher, http: HttpClient) -> Council:
    return Council(publisher, http)


def test_every_dataset_is_a_record_under_its_own_identifier(council: Council) -> None:
    found, ending = council.read(document())
    assert [(raw.guid, raw.position) for raw in found] == [
        ("dated", "dataset 1"),
        ("plain", "dataset 2"),
    ]
    assert [raw.modified for raw in found] == ["2024-01-01", "2024-02-02"]
    assert ending.complete
    assert not ending.problems


def test_the_documents_date_counts_only_for_datasets_without_one(council: Council) -> None:
    before = council.prints(document())
    after = council.prints(document(day="2024-03-03"))
    assert before["dated"] == after["dated"]
    assert before["plain"] != after["plain"]


def test_inherited_value_changes_all_fingerprints(council: Council) -> None:
    before = council.prints(document())
    after = council.prints(document(publisher="https://q.example"))
    assert all(before[guid] != after[guid] for guid in before)


def test_order_layout_and_neighbours_do_not_count(council: Council) -> None:
    before = council.prints(document())
    other = (
        "<!-- made today -->\n\n" + PLAIN + "<Dataset><Identifier>3</Identifier><Title/></Dataset>"
    )
    after = council.prints(document(other + "\n   " + DATED))
    assert {guid: after[guid] for guid in before} == before


def test_a_withdrawn_dataset_is_gone_and_no_other(council: Council) -> None:
    flags = ("No", "false", " NO ", "Yes", "True", "", "Perhaps")
    body = "".join(
        f'<Dataset Active="{flag}"><Identifier>{number}</Identifier><Title>T</Title></Dataset>'
        for number, flag in enumerate(flags)
    )
    found, _ending = council.read(document(body))
    assert [raw.guid for raw in found if raw.deleted] == ["0", "1", "2"]
    assert all(raw.content for raw in found)


BROKEN = "<Dataset><Title>B</Title><Identifier>broken</Identifier></Dataset>\n"


def test_a_broken_structure_is_refused_by_line_before_any_record(council: Council) -> None:
    with pytest.raises(ProtocolError) as caught:
        council.read(document(DATED + BROKEN))
    assert caught.value.code == "schema"
    assert caught.value.line == 3
    assert council.url in caught.value.message
    assert "line 3: Element 'Title': This element is not expected" in caught.value.message


def test_lenient_takes_what_is_readable_and_reports_the_rest(council: Council) -> None:
    nameless = "<Dataset><Title>N</Title></Dataset>"
    found, ending = council.read(document(DATED + BROKEN + nameless), validation="lenient")
    assert [raw.guid for raw in found] == ["dated", "broken", ""]
    assert found[2].error is not None
    assert found[2].error.code == "missing-identifier"
    assert {problem.code for problem in ending.problems} == {"schema"}
    assert [problem.line for problem in ending.problems] == [3, 4]


VALUES = """<Dataset Modified="{day}"><Identifier>v</Identifier><Title>V</Title>
<Rights>{rights}</Rights><Context>None</Context><Resources><Resource Type="{type}">
<Identifier>r</Identifier><Title>R</Title><Renditions/></Resource></Resources></Dataset>"""
GOOD = {"day": "2024-05-31", "rights": "https://a.example/licence", "type": "Data"}


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"day": "yesterday"}, "line 2: Dataset/@Modified: 'yesterday' is not a date"),
        ({"rights": "Open Government Licence"}, "line 3: Rights: 'Open Government Licence' is no"),
        ({"type": "Datum"}, "line 3: Resource/@Type: 'Datum'; expected Data or Document"),
    ],
)
def test_a_value_of_another_type_refuses_the_document(
    council: Council, bad: dict[str, str], words: str
) -> None:
    text = document(VALUES.format(**{**GOOD, **bad}))
    with pytest.raises(ProtocolError, match="breaks its schema") as caught:
        council.read(text)
    assert caught.value.code == "schema"
    assert words in caught.value.message
    assert council.url in caught.value.message
    [raw], ending = council.read(text, validation="lenient")
    assert not ending.problems
    # The parser reports it with the record.
    assert INVENTORY.parser.parse(raw, {}).problems


def test_a_modification_date_of_the_whole_document_counts_too(council: Council) -> None:
    with pytest.raises(ProtocolError, match="Inventory/@Modified: 'soon' is not a date"):
        council.read(document(DATED, day="soon"))


@pytest.mark.parametrize(
    "good",
    [{}, {"day": "0001-01-01T00:00:00"}, {"day": "31/12/2013"}, {"type": ""}, {"rights": ""}],
)
def test_terms_and_meaningless_values_are_left_to_the_parser(
    council: Council, good: dict[str, str]
) -> None:
    found, ending = council.read(document(VALUES.format(**{**GOOD, **good})))
    assert len(found) == 1
    assert not ending.problems


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            '<Inventory xmlns="http://schemas.esd.org.uk/inventory" Modified="2014-01-01">'
            "<Metadata><Coverage><Spatial>a</Spatial><Spatial>b</Spatial></Coverage></Metadata>"
            "<Datasets><Dataset><Identifier>1</Identifier><Title>T</Title><Resources/></Dataset>"
            "</Datasets></Inventory>",
            id="as-data.gov.uk-took-it",
        ),
        pytest.param(
            document(
                "<Dataset><Identifier>1</Identifier><Title>T</Title><Resources>"
                '<Resource Type="Data"><Identifier>r</Identifier><Title>R</Title><Renditions>'
                "<Rendition><Identifier>https://a.example/1</Identifier></Rendition>"
                "<Rendition><Identifier>https://a.example/2</Identifier></Rendition>"
                "</Renditions></Resource></Resources></Dataset>",
                day="2024-02-02T10:00:00",
            ),
            id="two-renditions-and-a-time",
        ),
    ],
)
def test_each_version_is_accepted(council: Council, body: str) -> None:
    found, ending = council.read(body)
    assert len(found) == 1
    assert ending.complete


def test_no_version_takes_a_mixture(council: Council) -> None:
    mixed = document(
        "<Dataset><Identifier>1</Identifier><Title>T</Title><RelationType>links to</RelationType>"
        "<Relations><Relation><DatasetIdentifier>2</DatasetIdentifier>"
        "<RelationType>links to</RelationType></Relation></Relations></Dataset>"
    )
    with pytest.raises(ProtocolError, match="breaks its schema in line 2"):
        council.read(mixed)


def test_another_namespace_is_named(council: Council) -> None:
    text = document().replace("schemas.esd.org.uk", "schemas.example")
    with pytest.raises(ProtocolError, match="namespace is 'http://schemas.example/inventory'"):
        council.read(text)
    assert len(council.read(text, validation="lenient")[0]) == 2


def test_an_inventory_without_datasets_proves_nothing(council: Council) -> None:
    found, ending = council.read(document(""))
    assert not found
    assert not ending.complete
    assert "the list is empty, so nothing was deleted" in ending.reason
    assert not ending.validators


def test_a_lone_dataset_is_read_but_proves_nothing(council: Council) -> None:
    text = DATED.replace("<Dataset ", '<Dataset xmlns="http://schemas.esd.org.uk/inventory" ')
    found, ending = council.read(text)
    assert [raw.guid for raw in found] == ["dated"]
    assert not ending.complete
    assert INVENTORY.parser.parse(found[0], {}).title == "D"
    assert INVENTORY.old_guids(found[0]) == ()


def test_many_faults_are_counted_not_listed(council: Council) -> None:
    _found, ending = council.read(document(BROKEN * 50), validation="lenient")
    assert len(ending.problems) == 21
    assert ending.problems[-1].message == "30 more faults of this kind follow"


def test_an_unchanged_document_is_not_read_again(council: Council) -> None:
    council.publisher.serve("/inventory", document(), etag='"1"')
    _found, ending = council.again()
    found, second = council.again(validators=ending.validators)
    assert not found
    assert second.unchanged
    assert second.complete
    assert second.validators == ending.validators


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("https://council.example", ["https://council.example/dated"]),
        (
            "https://council.example/",
            ["https://council.example//dated", "https://council.example/dated"],
        ),
        ("", []),
    ],
)
def test_the_guids_of_earlier_harvesters_are_known(
    council: Council, name: str, expected: list[str]
) -> None:
    found, _ending = council.read(document(name=name))
    old = INVENTORY.old_guids(found[0])
    assert list(old[: len(expected)]) == expected
    assert bool(old) == bool(expected)


def test_old_guids_of_anything_else_are_none() -> None:
    for content in (None, "", "<x/>", "{}"):
        assert INVENTORY.old_guids(RawRecord("a", content)) == ()


def test_an_inventory_that_is_not_well_formed_is_repaired(council: Council) -> None:
    found, ending = council.read(document(DATED + PLAIN.replace("P<", "P & Q<")))
    assert [raw.guid for raw in found] == ["dated", "plain"]
    assert "P &amp; Q" in (found[1].content or "")
    assert [(each.code, each.line) for each in ending.problems] == [("repaired-syntax", 3)]
    with pytest.raises(ProtocolError):
        council.read(document(DATED + PLAIN.replace("P<", "P & Q<"))[:-20])
