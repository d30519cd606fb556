"""A source about which mails are sent, and one that fails."""

from __future__ import annotations

import pytest

from tests.ckan.catalogues import catalogue
from tests.ckan.notifications.mailed_runs import PATH
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher, Response


@pytest.fixture
def source(ready_source: SourceMaker) -> str:
    return ready_source(PATH, catalogue(3), name="somewhere")


@pytest.fixture
def fails(publisher: Publisher) -> None:
    publisher.serve(PATH, Response(b"{", status=200))
