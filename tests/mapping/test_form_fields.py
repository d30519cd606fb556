"""Fields of a portal's own form: which of them a record fills."""

from __future__ import annotations

from typing import Any

from ckanext.ukharvest.core.records import Agent, DatasetRecord, Licence, Period, ResourceRecord
from ckanext.ukharvest.mapping.form_fields import FormFields
from ckanext.ukharvest.mapping.package_mapper import Defaults, to_package_dict
from tests.mapping.packages import extras, package

BY_CC = Licence(id="cc-by-4.0", url="https://creativecommons.org/licenses/by/4.0/")
OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
URL = "https://a.example/a.csv"
PARTS = {
    "publisher": {"name", "email", "url", "uri"},
    "contact": {"name", "email"},
    "temporal_coverage": {"start", "end"},
    "spatial_coverage": {"uri", "text", "geom"},
}


def files(record: DatasetRecord, existing: Any, resource_schema: frozenset[str]) -> list[Any]:
    """Return the resources that a record gives a dataset."""
    defaults = Defaults("org", resource_schema=resource_schema)
    return list(to_package_dict(record, existing, None, frozenset(), defaults).package["resources"])


def test_fields_of_ckanext_dcat_are_filled_where_the_form_has_them() -> None:
    record = DatasetRecord(
        "g",
        "T",
        publisher=Agent("P", "p@x", "https://p"),
        contact=Agent("C", "c@x", "https://c"),
        temporal=Period("2019", ""),
        spatial_text="Leeds",
        themes=("Roads", "Parks"),
        modified="2026-01-02",
    )
    form = FormFields({"theme", "modified", "issued", *PARTS}, parts=PARTS)
    found = package(record, schema=form)
    assert found["publisher"] == [{"name": "P", "email": "p@x", "url": "https://p"}]
    assert found["contact"] == [{"name": "C", "email": "c@x"}]
    assert found["temporal_coverage"] == [{"start": "2019"}]
    assert found["spatial_coverage"] == [{"text": "Leeds"}]
    assert (found["theme"], found["modified"]) == (["Roads", "Parks"], "2026-01-02")
    assert "issued" not in found
    assert not {"publisher", "contact", "theme", "modified"} & package(record).keys()


def test_field_that_the_form_does_not_take_gets_another_name() -> None:
    form = FormFields({"update_frequency"}, takes=lambda _key, value: value == "monthly")
    taken = package(DatasetRecord("g", "T", frequency="monthly"), schema=form)
    other = package(DatasetRecord("g", "T", frequency="R/P1Y"), schema=form)
    assert taken["update_frequency"] == "monthly"
    assert extras(other)["ukharvest_update_frequency"] == "R/P1Y"
    assert "update_frequency" not in other


def test_licence_of_a_file_is_the_same_in_the_field_of_others() -> None:
    with_own = DatasetRecord("g", "T", resources=(ResourceRecord(URL, licence=BY_CC),))
    of_dataset = DatasetRecord("g", "T", licence=BY_CC, resources=(ResourceRecord(URL),))
    by_stock = {"id": "d", "resources": [{"id": "r", "url": URL, "license": OGL}]}
    for record in (with_own, of_dataset):
        [stale] = files(record, by_stock, frozenset())
        assert stale["license"] == BY_CC.url
        [of_form] = files(record, None, FormFields({"license"}))
        assert of_form["license"] == BY_CC.url
        [not_taken] = files(record, None, FormFields({"license"}, takes=lambda *_: False))
        [plain] = files(record, None, frozenset())
        assert "license" not in {**not_taken, **plain}
    [unknown] = files(
        DatasetRecord("g", "T", resources=(ResourceRecord(URL),)), by_stock, frozenset()
    )
    assert unknown["license"] == OGL, "nobody says another one"
