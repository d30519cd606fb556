"""Datasets for exports."""

from __future__ import annotations

import pytest
from ckan.tests import factories

from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal
from tests.ckan.portal_copies import SourceMaker


@pytest.fixture
def harvested(portal: Portal, ready_source: SourceMaker) -> list[str]:
    """Titles of the datasets: four usual and one odd from a harvest, and two bare ones."""
    odd = dataset(
        4,
        title="Ouse & “Foss” \\ < >",
        description="Line one\n\nLine two\t\U0001f6b2",
        spatial="-1.2,53.9,-1.0,54.0",
        temporal="2020-01-01/2021-01-01",
        accrualPeriodicity="R/P1M",
        theme=["Environment", "https://data.example/themes/water"],
        language=["en", "cy"],
    )
    ready_source("/data.json", catalogue([*(dataset(number) for number in range(4)), odd]))
    factories.Dataset(name="bare", title="", notes="", owner_org=portal.organization_id)
    factories.Dataset(name="alone", title="Alone", notes="")
    numbered = [f"Dataset {number:05}" for number in range(4)]
    return sorted([*numbered, odd["title"], "bare", "Alone"])
