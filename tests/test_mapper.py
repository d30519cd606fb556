"""From a record to a package dict, where the record alone decides."""

from __future__ import annotations

from ckanext.ukharvest.core.records import DatasetRecord, Licence, ResourceRecord
from ckanext.ukharvest.mapper import Defaults, to_package_dict


def extras(record: DatasetRecord) -> dict[str, str]:
    found = to_package_dict(record, None, None, (), Defaults("org")).package["extras"]
    return {extra["key"]: extra["value"] for extra in found}


def test_what_a_parser_kept_as_it_was_is_not_replaced_by_a_blank() -> None:
    licence = Licence(id="uk-ogl")
    kept = {"update_frequency": "now and then", "licence": "Not for navigation."}
    found = extras(DatasetRecord("1", "Title", licence=licence, extras=kept))
    assert found["update_frequency"] == "now and then"
    assert found["licence"] == "Not for navigation."


def test_what_was_understood_goes_before_what_was_kept() -> None:
    record = DatasetRecord("1", "Title", frequency="R/P1Y", extras={"update_frequency": "yearly"})
    assert extras(record)["update_frequency"] == "R/P1Y"


def test_a_file_that_is_a_known_schema_is_the_datasets_schema() -> None:
    spend = "http://schemas.opendata.esd.org.uk/Spend/Spend.json?v=0.41"
    files = [ResourceRecord("https://a.example/spend.csv"), ResourceRecord(spend)]
    found = DatasetRecord("g", "T", schema_urls=("https://a.example/s",), resources=tuple(files))
    assert extras(found)["schema"] == f'["https://a.example/s", "{spend}"]'
