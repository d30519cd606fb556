"""A source whose two datasets are here."""

from __future__ import annotations

import pytest

from tests.ckan.catalogues import catalogue
from tests.ckan.datasets.first_dataset import PATH
from tests.ckan.portal_copies import SourceMaker


@pytest.fixture
def source(ready_source: SourceMaker) -> str:
    return ready_source(PATH, catalogue(2))
