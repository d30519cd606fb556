"""A source of faulty datasets, and a run of it."""

from __future__ import annotations

import pytest

from tests.ckan.catalogues import catalogue
from tests.ckan.faulty_runs import faulty
from tests.ckan.harvesting import Portal
from tests.ckan.portal_copies import SourceMaker
from tests.ckan.runs.faulty_run import PATH
from tests.publisher import Publisher


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(faulty()))
    return portal.source(publisher.url(PATH), name="somewhere")


@pytest.fixture
def run(ready_source: SourceMaker) -> str:
    """Return the run of a source like that."""
    ready_source(PATH, catalogue(faulty()), name="somewhere")
    return ready_source.job_id
