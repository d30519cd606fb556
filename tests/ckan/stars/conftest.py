"""Councils with datasets, and the command of stars."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import ckan.plugins as p
import pytest
from ckan import model
from ckan.tests import factories
from click.testing import CliRunner, Result

from ckanext.ukharvest.cli import ukharvest
from tests.ckan.stars.starred_datasets import OGL, make_dataset


@pytest.fixture
def councils() -> dict[str, str]:
    """Two councils with eight datasets, one of them private, and one without an organisation."""
    ids = {
        name: factories.Organization(name=name, title=title)["id"]
        for name, title in (("a-council", " =A council"), ("b-council", "B council"))
    }
    of_a = [("CSV", OGL), ("CSV", OGL), ("PDF", OGL), ("CSV", ""), ("CSV", "other-closed")]
    of_b = [("TTL", OGL), ("HTML", OGL)]
    for org, kinds in (("a-council", of_a), ("b-council", of_b)):
        for number, (format_, licence) in enumerate(kinds):
            make_dataset(f"{org}-{number}", ids[org], format_, licence)
    make_dataset("b-council-private", ids["b-council"], "CSV", OGL, private=True)
    make_dataset("nobodys", None, "XLS", OGL)
    return ids


@pytest.fixture
def run() -> Callable[..., Result]:
    def invoke(*words: str) -> Result:
        model.Session.remove()
        return CliRunner().invoke(ukharvest, ["stars", *words], catch_exceptions=False)

    return invoke


SECOND = Path(__file__).parents[1] / "second_package"


@pytest.fixture
def second(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Load plugins of the second package, as if it were installed."""
    monkeypatch.syspath_prepend(str(SECOND))
    loaded: list[str] = []

    def load(*names: str) -> None:
        p.load(*names)
        loaded.extend(names)

    yield load
    if loaded:
        p.unload(*reversed(loaded))
