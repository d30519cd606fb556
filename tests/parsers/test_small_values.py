"""Sizes, checksums, languages, identifiers, yes and no: the same in every format."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.core.values.identifiers import parse_identifier
from ckanext.ukharvest.core.values.multivalue import is_no, is_yes
from tests.parsers.carriers import (
    FILE,
    atom,
    ckan,
    data_json,
    dcat,
    dkan_2,
    dkan_7,
    element,
    geojson,
    literal,
    oai_dc,
    ods,
    schema_org,
)

SIZES: dict[str, Callable[[str], DatasetRecord]] = {
    "data_json": lambda text: data_json(distribution=[{"accessURL": FILE, "byteSize": text}]),
    "dkan_2": lambda text: dkan_2(distribution=[{"accessURL": FILE, "byteSize": text}]),
    "dkan_7": lambda text: dkan_7(resources=[{"url": FILE, "size": text}]),
    "ckan": lambda text: ckan(resources=[{"url": FILE, "size": text}]),
    "dcat": lambda text: dcat(
        f"dcat:distribution [ dcat:accessURL <{FILE}> ; dcat:byteSize {literal(text)} ]"
    ),
    "schema_org": lambda text: schema_org(
        f"schema:distribution [ schema:contentUrl <{FILE}> ; schema:contentSize {literal(text)} ]"
    ),
    "atom": lambda text: atom(f'<link rel="enclosure" href="{FILE}" length="{text}"/>'),
    "geojson": lambda text: geojson(links=[{"rel": "enclosure", "href": FILE, "length": text}]),
}


@pytest.mark.parametrize("form", SIZES)
@pytest.mark.parametrize(("text", "size"), [("2048", 2048), ("2 KB", 2048), ("1,234,567", 1234567)])
def test_a_size_is_the_same_in_every_format(form: str, text: str, size: int) -> None:
    (file,) = SIZES[form](text).resources
    assert file.size == size
    assert "size-text" not in file.extras


@pytest.mark.parametrize("form", SIZES)
def test_a_size_that_is_not_read_keeps_its_text(form: str) -> None:
    record = SIZES[form]("rather big")
    (file,) = record.resources
    assert (file.size, file.extras["size-text"]) == (None, "rather big")
    assert "bad-size" in {problem.code for problem in record.problems}


CHECKSUMS: dict[str, Callable[[], DatasetRecord]] = {
    "data_json": lambda: data_json(
        distribution=[
            {"accessURL": FILE, "checksum": {"checksumValue": "ab12", "algorithm": "sha256"}}
        ]
    ),
    "ckan": lambda: ckan(resources=[{"url": FILE, "hash": "ab12", "hash_algorithm": "sha256"}]),
    "ckan-eu": lambda: ckan(
        resources=[{"url": FILE, "checksum": {"checksum_value": "ab12", "algorithm": "sha256"}}]
    ),
    "dcat": lambda: dcat(
        f"dcat:distribution [ dcat:accessURL <{FILE}> ; spdx:checksum"
        ' [ spdx:checksumValue "ab12" ; spdx:algorithm "sha256" ] ]'
    ),
    "schema_org": lambda: schema_org(
        f'schema:distribution [ schema:contentUrl <{FILE}> ; schema:sha256 "ab12" ]'
    ),
}


@pytest.mark.parametrize("form", CHECKSUMS)
def test_a_checksum_is_the_same_in_every_format(form: str) -> None:
    (file,) = CHECKSUMS[form]().resources
    assert (file.extras["hash"], file.extras["hash_algorithm"]) == ("ab12", "sha256")


LANGUAGES: dict[str, Callable[[str], DatasetRecord]] = {
    "data_json": lambda text: data_json(language=[text]),
    "ckan": lambda text: ckan(language=text),
    "dcat": lambda text: dcat(f"dct:language {literal(text)}"),
    "oai_dc": lambda text: oai_dc(element("dc:language", text)),
    "atom": lambda text: atom(element("dc:language", text)),
    "geojson": lambda text: geojson(lang=text),
    "ods": lambda text: ods({"language": text}),
}


@pytest.mark.parametrize("form", LANGUAGES)
@pytest.mark.parametrize("text", ["en, cy", "eng; cym", "English and Welsh", "en|cy"])
def test_languages_in_one_text_are_a_list_in_every_format(form: str, text: str) -> None:
    record = LANGUAGES[form](text)
    assert record.language == ("en", "cy")
    assert "bad-language" not in {problem.code for problem in record.problems}


FREQUENCIES: dict[str, Callable[[str], DatasetRecord]] = {
    "data_json": lambda text: data_json(accrualPeriodicity=text),
    "ckan": lambda text: ckan(update_frequency=text),
    "dcat": lambda text: dcat(f"dct:accrualPeriodicity {literal(text)}"),
    "ods": lambda text: ods(dcat={"accrualperiodicity": text}),
}


@pytest.mark.parametrize("form", FREQUENCIES)
@pytest.mark.parametrize(
    ("text", "frequency", "unread"),
    [("Every month", "R/P1M", ""), ("unknown", "", ""), ("at dawn", "", "at dawn")],
)
def test_a_frequency_is_the_same_in_every_format(
    form: str, text: str, frequency: str, unread: str
) -> None:
    record = FREQUENCIES[form](text)
    extras = [record.extras.get(name) for name in ("frequency", "update_frequency")]
    assert record.frequency == frequency
    assert not unread or unread in extras
    assert ("bad-frequency" in {problem.code for problem in record.problems}) is bool(unread)


def test_a_list_of_rdf_is_the_list_of_its_members() -> None:
    files = dcat(
        f'dcat:distribution ( [ dcat:accessURL <{FILE}> ] ) ; dcat:keyword ( "roads" "parks" )'
    )
    assert files.tags == ("roads", "parks")
    assert [file.url for file in files.resources] == [FILE]
    assert dcat("dcat:keyword ()").tags == ()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a-1", "a-1"),
        (17, "17"),
        (True, ""),
        (None, ""),
        (["a-1", "b"], "a-1"),
        ([{"@id": "https://a.example/1"}], "https://a.example/1"),
        ({"notation": "17", "schemaAgency": "ONS"}, "ONS:17"),
        ({"@type": "PropertyValue", "propertyID": "ONS", "value": "17"}, "ONS:17"),
        ({"@type": "PropertyValue", "value": "17"}, "17"),
        (
            {"@type": "PropertyValue", "propertyID": "DOI", "value": "10.1234/x"},
            "https://doi.org/10.1234/x",
        ),
        (
            {
                "propertyID": "https://registry.identifiers.org/registry/doi",
                "value": "doi:10.1234/x",
            },
            "https://doi.org/10.1234/x",
        ),
        ({"propertyID": "DOI", "value": "https://doi.org/10.1234/x"}, "https://doi.org/10.1234/x"),
    ],
)
def test_an_identifier_is_a_text(value: object, expected: str) -> None:
    assert parse_identifier(value) == expected
    assert parse_identifier(json.loads(json.dumps(value))) == expected


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [("Yes", True, False), ("TRUE", True, False), ("no", False, True), ("0", False, True)]
    + [("", False, False), ("perhaps", False, False), ("none", False, False)],
)
def test_yes_and_no_are_told_from_other_text(text: str, yes: bool, no: bool) -> None:
    assert (is_yes(text), is_no(text)) == (yes, no)
