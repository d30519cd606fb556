"""A source with pending deletions."""

from __future__ import annotations

import pytest

from tests.ckan.catalogues import catalogue
from tests.ckan.deletions.pending_lists import PATH
from tests.ckan.harvesting import Portal
from tests.ckan.portal_copies import SourceMaker


@pytest.fixture
def pending_source(portal: Portal, ready_source: SourceMaker) -> str:
    """A source with 6 of 10 datasets pending deletion."""
    source = ready_source(PATH, catalogue(10), then=[catalogue(4)] * 2)
    assert portal.job(ready_source.job_id)["ukharvest"]["outcome"] == "held"
    return source
