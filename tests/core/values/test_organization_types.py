"""Types of organisations: data.gov's values, other spellings, and lists of a portal's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ckanext.ukharvest.core.values import organization_types
from ckanext.ukharvest.core.vocabularies import vocabulary

# As data.gov stores them.
DATA_GOV = ("Federal Government", "City Government", "State Government", "County Government") + (
    "University",
    "Tribal",
    "Non-Profit",
)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    vocabulary.use(tmp_path)
    yield tmp_path
    vocabulary.use(None)


@pytest.mark.parametrize("value", DATA_GOV)
def test_types_of_data_gov_are_unchanged(value: str) -> None:
    assert organization_types.find(value) == value
    assert value in organization_types.values()


@pytest.mark.parametrize("value", organization_types.values())
def test_organization_types_are_found_by_label(value: str) -> None:
    assert organization_types.find(organization_types.label(value)) == value
    assert organization_types.find(value.upper()) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("federal", "Federal Government"),
        ("local-council", "Local Government"),
        ("  local   authority ", "Local Government"),
        ("non_ministerial_department", "Central Government"),
        ("executive-ndpb", "Public Body"),
        ("nhs", "NHS"),
        ("charity-ngo", "Non-Profit"),
        ("Cooperative", "Cooperative"),
        ("", ""),
        ("   ", ""),
        ("-", "-"),
    ],
)
def test_other_spellings(text: str, value: str) -> None:
    assert organization_types.find(text) == value


def test_each_name_means_one_type() -> None:
    found: dict[str, str] = {}
    for row in vocabulary.bundled("organization_types").rows:
        for name in (row["value"], *vocabulary.parts(row["aliases"])):
            assert found.setdefault(name.casefold(), row["value"]) == row["value"]


def test_a_long_text_is_cut() -> None:
    assert organization_types.find("x" * 100_000) == "x" * organization_types.LONGEST
    assert organization_types.label("Cooperative") == "Cooperative"


def test_a_portals_own_list(folder: Path) -> None:
    text = "value,label,aliases\nCommune,Commune,town; Local Government\n"
    (folder / "organization_types.csv").write_text(text, encoding="utf-8")
    assert organization_types.values() == ("Commune",)
    assert organization_types.find("local government") == "Commune"
