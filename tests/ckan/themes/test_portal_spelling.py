"""Themes and fields of the UK on portals whose own form has them in another way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ckan import model

from ckanext.ukharvest.datasets.provenance import facts_of
from ckanext.ukharvest.export.dataset import Fields
from ckanext.ukharvest.harvest.model import RecordProblem
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.forms import portal_with
from tests.ckan.harvesting import Portal, act, extras, figures
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

SECOND = Path(__file__).parents[1] / "second_package"
PATH = "/data.json"


@pytest.fixture(autouse=True)
def second(clean: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other extension is installed."""
    monkeypatch.syspath_prepend(str(SECOND))


def harvest(portal: Portal, publisher: Publisher, *rows: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a source with these datasets, all of which are imported; return them."""
    publisher.serve(PATH, catalogue([dataset(number, **row) for number, row in enumerate(rows)]))
    assert figures(portal.run(portal.source(publisher.url(PATH)))) == {"added": len(rows)}
    return portal.datasets()


def problems(code: str) -> list[str]:
    return [row.message for row in model.Session.query(RecordProblem).filter_by(code=code)]


def test_themes_are_spelled_as_the_form_takes_them(portal: Portal, publisher: Publisher) -> None:
    with portal_with("", "slug_form"):
        rows = [{"theme": ["Crime", "Towns & Cities"]}, {"title": "Dataset 1", "theme": []}]
        first, second = harvest(portal, publisher, *rows)
        assert first["theme-primary"] == "crime-and-justice"
        assert extras(first)["theme-secondary"] == '["towns-and-cities"]'
        assert second["theme-primary"] == "transport", "words decide: parking, roads"
        assert act("ukharvest_dataset_show", id=first["id"])["theme"]["theme"] == "Crime"
        assert problems("theme-not-taken") == []


def test_a_theme_that_the_form_lacks_is_left_out(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    with portal_with("", "slug_form"):
        import second_form

        monkeypatch.setattr(second_form, "SLUGS", ("transport",))
        [found] = harvest(portal, publisher, {"theme": ["Crime"]})
        assert "theme-primary" not in found
        [message] = problems("theme-not-taken")
        assert "'Crime'" in message


def test_list_of_today_has_all_fourteen(portal: Portal, publisher: Publisher) -> None:
    with portal_with("", "slug_form", **{"ckanext.ukharvest.vocabularies": "data.gov.uk"}):
        rows = [{"theme": ["Digital services performance"]}, {"theme": ["Economy"]}]
        first, second = harvest(portal, publisher, *rows)
        assert first["theme-primary"] == "digital-services-performance"
        assert second["theme-primary"] == "business-and-economy"


def test_theme_of_a_hook_is_never_written_over(portal: Portal, publisher: Publisher) -> None:
    with portal_with("", "slug_form", "theme_hook"):
        [found] = harvest(portal, publisher, {"theme": ["Crime"]})
        assert found["theme-primary"] == "digital-services-performance"


def test_field_that_the_form_does_not_take_has_another_name(
    portal: Portal, publisher: Publisher
) -> None:
    with portal_with("", "slug_form"):
        [found] = harvest(portal, publisher, {"accrualPeriodicity": "R/P1M"})
        assert "update_frequency" not in found
        assert extras(found)["ukharvest_update_frequency"] == "R/P1M"
        assert Fields(found).uk("dataset")["update_frequency"] == "R/P1M"
        assert facts_of(found)["update_frequency"] == "R/P1M"
