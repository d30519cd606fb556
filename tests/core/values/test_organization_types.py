"""Types of organisations: data.gov's values, other spellings, and lists of a portal's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ckanext.ukharvest.core.values import organization_types
from ckanext.ukharvest.core.vocabularies import vocabulary


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    vocabulary.use(tmp_path)
    yield tmp_path
    vocabulary.use(None)


@pytest.mark.parametrize("text", ["", "   ", "-", "Cooperative"])
def test_unknown_type_is_kept(text: str) -> None:
    assert organization_types.find(text) == text.strip()


def test_a_long_text_is_cut() -> None:
    assert organization_types.find("x" * 100_000) == "x" * organization_types.LONGEST
    assert organization_types.label("Cooperative") == "Cooperative"


def test_a_portals_own_list(folder: Path) -> None:
    text = "value,label,aliases\nCommune,Commune,town; Local Government\n"
    (folder / "organization_types.csv").write_text(text, encoding="utf-8")
    assert organization_types.values() == ("Commune",)
    assert organization_types.find("local government") == "Commune"
