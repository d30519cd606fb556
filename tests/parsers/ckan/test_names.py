"""data.europa.eu's CKAN schema: each row of its guide's two tables, and what becomes of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.core.records import Agent, DatasetRecord, Period, RawRecord, ResourceRecord
from ckanext.ukharvest.parsers.ckan import parser as ckan

EU = "http://publications.europa.eu/resource/authority"
URL = "https://data.example/dataset/bins"
FILE = "https://data.example/bins.csv"


def parsed(**more: Any) -> DatasetRecord:
    package = {"id": "id-1", "title": "Bins", "notes": "Where they are.", "license_id": "uk-ogl"}
    text = json.dumps({**package, "resources": [{"url": FILE}], **more})
    return ckan.parse(RawRecord("id-1", text, url=URL), {})


def file(**more: Any) -> ResourceRecord:
    (found,) = parsed(resources=[{"url": FILE, **more}]).resources
    return found


# The guide's field, a value as its types have it, our field and its value;
# "extras." begins the name of an extra.
DATASET: list[tuple[str, Any, str, Any]] = [
    ("title", "Bins", "title", "Bins"),
    ("notes", "All of them.", "notes", "All of them."),
    (
        "contact_point",
        [{"type": "Organization", "name": "Desk", "email": "mailto:d@data.example"}],
        "contact",
        Agent("Desk", "d@data.example"),
    ),
    ("tags", [{"name": "waste"}], "tags", ("waste",)),
    (
        "publisher",
        {"type": "Agent", "name": "Town", "email": "t@data.example", "resource": URL},
        "publisher",
        Agent("Town", "t@data.example", URL),
    ),
    ("groups", [{"name": "environment"}], "themes", (f"{EU}/data-theme/ENVI",)),
    ("groups", [{"name": "x", "title": "TRAN"}], "themes", (f"{EU}/data-theme/TRAN",)),
    ("groups", [{"name": "economy-and-finance"}], "themes", (f"{EU}/data-theme/ECON",)),
    ("conforms_to", [{"label": "A", "resource": URL}], "extras.conforms_to", URL),
    (
        "creator",
        {"name": "Ann", "email": "a@data.example"},
        "author",
        Agent("Ann", "a@data.example"),
    ),
    ("accrucal_periodicity", {"resource": f"{EU}/frequency/WEEKLY"}, "frequency", "R/P1W"),
    ("accrual_periodicity", {"label": "monthly"}, "frequency", "R/P1M"),
    ("identifier", {"resource": "https://a.example/1"}, "extras.identifier", "https://a.example/1"),
    ("url", "https://data.example/bins", "url", "https://data.example/bins"),
    (
        "language",
        [{"label": "German", "resource": f"{EU}/language/DEU"}, {"label": "fr"}],
        "language",
        ("de", "fr"),
    ),
    ("other_identifier", {"label": "B-1"}, "extras.alternate_identifier", '["B-1"]'),
    ("alternate_identifier", [{"resource": URL}], "extras.alternate_identifier", f'["{URL}"]'),
    ("issued", "2024-05-01", "issued", "2024-05-01"),
    ("dcat_spatial", [{"label": "Kent", "resource": URL}], "spatial_text", "Kent"),
    ("dcat_spatial", [{"label": "Kent", "resource": URL}], "extras.spatial_uri", URL),
    (
        "temporal",
        [{"start_date": "2020-01-01", "end_date": "2020-12-31"}],
        "temporal",
        Period("2020-01-01", "2020-12-31"),
    ),
    ("modified", "2024-05-02T10:00:00Z", "modified", "2024-05-02T10:00:00Z"),
    ("version_info", ["2"], "version", "2"),
    ("version_notes", ["Better"], "extras.version_notes", "Better"),
    ("provenance", [{"label": "Counted"}], "extras.provenance", "Counted"),
    ("source", ["https://a.example/s"], "extras.source", '["https://a.example/s"]'),
    ("access_rights", {"label": "public"}, "extras.access_rights", "public"),
    ("has_version", ["a", "b"], "extras.has_version", '["a","b"]'),
    ("is_version_of", ["a"], "extras.is_version_of", '["a"]'),
    ("relation", ["a"], "extras.related_resource", '["a"]'),
    ("page", ["https://a.example/p"], "extras.documentation", '["https://a.example/p"]'),
    ("sample", ["https://a.example/x"], "extras.sample", '["https://a.example/x"]'),
    ("dct_type", {"label": "Statistics"}, "extras.dcat_type", "Statistics"),
]
RESOURCE: list[tuple[str, Any, str, Any]] = [
    ("description", "A file", "description", "A file"),
    ("format", "csv", "format", "CSV"),
    ("license", {"label": "CC BY", "resource": f"{EU}/licence/CC_BY"}, "extras.license", "CC BY"),
    (
        "checksum",
        {"algorithm": "md5", "checksum_value": "0cc175b9"},
        "extras.hash",
        "0cc175b9",
    ),
    ("checksum", {"algorithm": "md5", "checksum_value": "0c"}, "extras.hash_algorithm", "md5"),
    ("mimetype", "text/csv", "mimetype", "text/csv"),
    ("download_url", ["https://a.example/1.csv"], "url", "https://a.example/1.csv"),
    ("download_url", ["https://a.example/1.csv"], "extras.access_url", FILE),
    ("issued", "2024-05-01", "issued", "2024-05-01"),
    ("status", {"label": "Completed"}, "extras.status", "Completed"),
    ("name", "Bins as CSV", "name", "Bins as CSV"),
    ("modified", "2024-05-02", "modified", "2024-05-02"),
    ("rights", {"label": "Open to all"}, "extras.rights", "Open to all"),
    ("page", ["https://a.example/p"], "extras.documentation", '["https://a.example/p"]'),
    ("size", 120, "size", 120),
    ("language", [{"resource": f"{EU}/language/ITA"}], "extras.language", "it"),
    ("conforms_to", [{"resource": URL}], "extras.conforms_to", URL),
]


def value_of(found: Any, name: str) -> Any:
    _extras, is_extra, key = name.rpartition("extras.")
    return found.extras.get(key) if is_extra else getattr(found, name)


@pytest.mark.parametrize(("key", "given", "name", "expected"), DATASET)
def test_a_field_of_a_dataset(key: str, given: Any, name: str, expected: Any) -> None:
    record = parsed(**{key: given})
    assert value_of(record, name) == expected
    assert record.problems == ()


@pytest.mark.parametrize(("key", "given", "name", "expected"), RESOURCE)
def test_a_field_of_a_distribution(key: str, given: Any, name: str, expected: Any) -> None:
    assert value_of(file(**{key: given}), name) == expected


def test_the_licence_of_the_files_is_the_datasets() -> None:
    licence = {"label": "Norsk lisens", "resource": f"{EU}/licence/NLOD_2_0"}
    record = parsed(license_id="", resources=[{"url": FILE, "license": licence}])
    assert record.licence is not None
    assert (record.licence.id, record.licence.url) == ("other-at", licence["resource"])


@pytest.mark.parametrize("key", ["publisher", "temporal", "page", "access_rights", "creator"])
def test_a_text_under_the_same_name_is_another_sites_field(key: str) -> None:
    assert parsed(**{key: "some words"}).extras[key] == "some words"


def test_plain_field_wins_over_the_eu_field() -> None:
    record = parsed(**{"contact-name": "Us"}, contact_point=[{"name": "Others"}])
    assert record.contact == Agent("Us")
    themed = parsed(**{"theme-primary": "Health"}, groups=[{"name": "environment"}])
    assert themed.themes == ("Health",)


@pytest.mark.parametrize("odd", [{}, [], [{}], [None, 3], {"label": {"a": 1}}, [[["x"]]]])
@pytest.mark.parametrize("key", sorted({row[0] for row in DATASET} - {"title", "notes"}))
def test_odd_values_lose_no_other_value(key: str, odd: Any) -> None:
    assert parsed(**{key: odd}).title == "Bins"
