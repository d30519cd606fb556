"""Sizes, checksums, languages, identifiers, yes and no: the same in every format."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import SkipRecord
from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.core.values.multivalue import is_no, is_yes
from ckanext.ukharvest.parsers.inventory import document
from ckanext.ukharvest.schema_check.columns import read_flag
from ckanext.ukharvest.schema_check.report import Collector, Limits
from tests.parsers import carriers
from tests.parsers.carriers import (
    FILE,
    PAGE,
    inventory_file,
    iso_link,
    literal,
    node,
)

SHA_256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
IN_BASE64 = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="
SPDX = "http://spdx.org/rdf/terms#checksumAlgorithm_sha256"


def _checksum(value: str, algorithm: str, *, name: str = "checksumValue") -> dict[str, str]:
    return {name: value, **({"algorithm": algorithm} if algorithm else {})}


def _spdx(value: str, algorithm: str) -> str:
    named = f" ; spdx:algorithm {node(algorithm)}" if algorithm else ""
    return f"[ spdx:checksumValue {literal(value)}{named} ]"


# Each takes pairs of value and algorithm.
CHECKSUMS: dict[str, Callable[..., DatasetRecord]] = {
    "data_json": lambda *pairs: carriers.data_json(
        distribution=[{"accessURL": FILE, "checksum": [_checksum(*pair) for pair in pairs]}]
    ),
    "dkan_2": lambda *pairs: carriers.dkan_2(
        distribution=[{"accessURL": FILE, "checksum": [_checksum(*pair) for pair in pairs]}]
    ),
    "ckan-eu": lambda *pairs: carriers.ckan(
        resources=[
            {"url": FILE, "checksum": [_checksum(*pair, name="checksum_value") for pair in pairs]}
        ]
    ),
    "dcat": lambda *pairs: carriers.dcat(
        f"dcat:distribution [ dcat:accessURL <{FILE}> ;"
        f" spdx:checksum {', '.join(_spdx(*pair) for pair in pairs)} ]"
    ),
}
ONE_CHECKSUM: dict[str, Callable[..., DatasetRecord]] = {
    **CHECKSUMS,
    "ckan": lambda pair: carriers.ckan(
        resources=[{"url": FILE, "hash": pair[0], "hash_algorithm": pair[1]}]
    ),
    "dkan_7": lambda pair: carriers.dkan_7(
        resources=[{"url": FILE, "hash": pair[0], "hash_algorithm": pair[1]}]
    ),
}


@pytest.mark.parametrize("form", ONE_CHECKSUM)
@pytest.mark.parametrize(
    ("value", "algorithm", "expected", "named"),
    [
        ("ab12", "sha256", "ab12", "sha256"),
        (SHA_256, SPDX, SHA_256, SPDX),
        (SHA_256.upper(), "SHA-256", SHA_256.upper(), "SHA-256"),
        (IN_BASE64, SPDX, SHA_256, SPDX),
        (IN_BASE64, "SHA-256", SHA_256, "SHA-256"),
        (f"sha256:{SHA_256}", "", SHA_256, "sha256"),
        (f"sha256={SHA_256}", SPDX, SHA_256, SPDX),
        (f"sha256-{IN_BASE64}", "", SHA_256, "sha256"),
        ("not base64, but of 44 letters, some of them.", "sha256", None, "sha256"),
    ],
)
def test_a_checksum_is_the_same_in_every_format(
    form: str, value: str, algorithm: str, expected: str | None, named: str
) -> None:
    (file,) = ONE_CHECKSUM[form]((value, algorithm)).resources
    assert (file.extras["hash"], file.extras["hash_algorithm"]) == (expected or value, named)
    assert "checksums" not in file.extras


@pytest.mark.parametrize("form", CHECKSUMS)
def test_every_checksum_of_a_file_is_kept(form: str) -> None:
    (file,) = CHECKSUMS[form](("ab12", "md5"), (SHA_256, SPDX)).resources
    assert {file.extras["hash"], file.extras["hash_algorithm"]} in (
        {"ab12", "md5"},
        {SHA_256, SPDX},
    )
    assert set(json.loads(file.extras["checksums"])) == {"md5 ab12", f"{SPDX} {SHA_256}"}


@pytest.mark.parametrize(
    "record",
    [
        carriers.schema_org(
            f'schema:distribution [ schema:contentUrl <{FILE}> ; schema:sha256 "{SHA_256}" ]'
        ),
        carriers.geojson(services={"download": {"url": FILE, "checksum": f"sha256={SHA_256}"}}),
    ],
    ids=["schema_org", "resto"],
)
def test_checksum_of_other_vocabularies_is_read(record: DatasetRecord) -> None:
    (file,) = record.resources
    assert (file.extras["hash"], file.extras["hash_algorithm"]) == (SHA_256, "sha256")


PHONES: dict[str, Callable[[str], DatasetRecord]] = {
    "data_json": lambda text: carriers.data_json(contactPoint={"fn": "A", "tel": text}),
    "dkan_2": lambda text: carriers.dkan_2(contactPoint={"fn": "A", "hasTelephone": text}),
    "dcat": lambda text: carriers.dcat(
        f'dcat:contactPoint [ vcard:fn "A" ; vcard:hasTelephone {literal(text)} ]'
    ),
    "schema_org": lambda text: carriers.schema_org(
        f'schema:contactPoint [ schema:name "A" ; schema:telephone {literal(text)} ]'
    ),
    "geojson": lambda text: carriers.geojson(contactPoint=[{"name": "A", "phone": text}]),
}


@pytest.mark.parametrize("form", PHONES)
@pytest.mark.parametrize("text", ["+44 20 1", "tel:+44%2020%201", "TEL:+44 20 1"])
def test_a_telephone_number_is_the_same_in_every_format(form: str, text: str) -> None:
    assert PHONES[form](text).extras["contact-phone"] == "+44 20 1"


_TYPE = "application/json; charset=utf-8"
MEDIA_TYPES: dict[str, Callable[[str], DatasetRecord]] = {
    "data_json": lambda text: carriers.data_json(
        distribution=[{"downloadURL": FILE, "mediaType": text}]
    ),
    "dkan_2": lambda text: carriers.dkan_2(distribution=[{"downloadURL": FILE, "mediaType": text}]),
    "dkan_7": lambda text: carriers.dkan_7(resources=[{"url": FILE, "mimetype": text}]),
    "ckan": lambda text: carriers.ckan(resources=[{"url": FILE, "mimetype": text}]),
    "dcat": lambda text: carriers.dcat(
        f"dcat:distribution [ dcat:accessURL <{FILE}> ; dcat:mediaType {literal(text)} ]"
    ),
    "schema_org": lambda text: carriers.schema_org(
        f"schema:distribution [ schema:contentUrl <{FILE}> ;"
        f" schema:encodingFormat {literal(text)} ]"
    ),
    "inventory": lambda text: carriers.inventory(
        resources=inventory_file().replace("text/csv", text)
    ),
}


@pytest.mark.parametrize("form", MEDIA_TYPES)
@pytest.mark.parametrize(
    ("text", "mimetype"),
    [
        (_TYPE, _TYPE),
        ("https://www.iana.org/assignments/media-types/application/json", "application/json"),
        ("http://purl.org/NET/mediatypes/application/json", "application/json"),
    ],
)
def test_a_media_type_is_the_same_in_every_format(form: str, text: str, mimetype: str) -> None:
    (file,) = MEDIA_TYPES[form](text).resources
    assert file.mimetype == mimetype


# A file's URL and its format in the words of the source.
SERVICES: dict[str, Callable[[str], DatasetRecord]] = {
    "data_json": lambda text: carriers.data_json(
        distribution=[{"accessURL": PAGE, "format": text}]
    ),
    "dkan_2": lambda text: carriers.dkan_2(distribution=[{"accessURL": PAGE, "format": text}]),
    "dcat": lambda text: carriers.dcat(
        f"dcat:distribution [ dcat:accessURL <{PAGE}> ; dct:format {literal(text)} ]"
    ),
    "gemini": lambda text: carriers.gemini(distribution=iso_link(PAGE, protocol=text)),
    "oai_dc": lambda text: carriers.oai_dc(
        f'<dct:references scheme="{text}">{PAGE}</dct:references>'
    ),
}


@pytest.mark.parametrize("form", SERVICES)
@pytest.mark.parametrize("text", ["WMS", "OGC API Features", "SPARQL", "OPeNDAP"])
def test_a_service_is_one_in_every_format(form: str, text: str) -> None:
    (file,) = SERVICES[form](text).resources
    assert (file.kind, file.format) == ("service", text)


def test_a_list_of_rdf_is_the_list_of_its_members() -> None:
    files = carriers.dcat(
        f'dcat:distribution ( [ dcat:accessURL <{FILE}> ] ) ; dcat:keyword ( "roads" "parks" )'
    )
    assert files.tags == ("roads", "parks")
    assert [file.url for file in files.resources] == [FILE]
    assert carriers.dcat("dcat:keyword ()").tags == ()


FLAGS: dict[str, Callable[[str], bool]] = {
    "option": lambda text: bool(options.validate({"a": text}, (_OPTION,))["a"]),
    "ckan-unpublished": lambda text: "unpublished" in carriers.ckan(unpublished=text).extras,
    "data_json-unpublished": lambda text: (
        "unpublished" in carriers.data_json(unpublished=text).extras
    ),
    "ckan-private": lambda text: _is_skipped(lambda: carriers.ckan(private=text)),
    "ckan-harvested": lambda text: not _is_skipped(lambda: carriers.ckan(dgu_harvest_me=text)),
    "ods-visible": lambda text: not _is_skipped(lambda: carriers.ods(data_visible=text)),
    "ods-records": lambda text: not _is_skipped(lambda: carriers.ods(has_records=text)),
    "inventory": lambda text: document.is_active(text) is True,
    "gemini-pass": lambda text: json.loads(
        carriers.gemini(record=_result(text)).extras["conformity"]
    )[0]["pass"],
    "schema": lambda text: read_flag(text, "required", "a", _COLLECTOR),
}
_OPTION = options.Option("a", "boolean", None, "A.")
_COLLECTOR = Collector(Limits(), lambda *_: None)


def _is_skipped(parse: Callable[[], DatasetRecord]) -> bool:
    try:
        parse()
    except SkipRecord:
        return True
    return False


def _result(passed: str) -> str:
    return (
        "<gmd:dataQualityInfo><gmd:DQ_DataQuality><gmd:report><gmd:DQ_DomainConsistency>"
        f"<gmd:result><gmd:DQ_ConformanceResult><gmd:pass><gco:Boolean>{passed}</gco:Boolean>"
        "</gmd:pass></gmd:DQ_ConformanceResult></gmd:result></gmd:DQ_DomainConsistency>"
        "</gmd:report></gmd:DQ_DataQuality></gmd:dataQualityInfo>"
    )


@pytest.mark.parametrize("form", FLAGS)
def test_yes_and_no_are_the_same_in_every_format(form: str) -> None:
    assert [FLAGS[form](text) for text in ("true", "Yes", "1", "on")] == [True] * 4
    assert [FLAGS[form](text) for text in ("false", "NO", "0", "off")] == [False] * 4


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [("Yes", True, False), ("TRUE", True, False), ("no", False, True), ("0", False, True)]
    + [("", False, False), ("perhaps", False, False), ("none", False, False)],
)
def test_yes_and_no_are_told_from_other_text(text: str, yes: bool, no: bool) -> None:
    assert (is_yes(text), is_no(text)) == (yes, no)
