"""Fixtures of the tests of adoption."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ckan.forms import portal_with


@pytest.fixture
def own(clean: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A plugin of the portal's that calls data_json by a name of its own, with options."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "second_package"))
    with portal_with("", "own_types_hook"):
        yield
