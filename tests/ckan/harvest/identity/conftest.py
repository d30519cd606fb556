"""Fixtures of the tests of identity."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ckan.harvest.identity.two_routes import TwoRoutes
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher


@pytest.fixture
def two(portal: Portal, publisher: Publisher) -> Iterator[TwoRoutes]:
    """Two sources without records yet."""
    with Publisher() as second:
        yield TwoRoutes(portal, (publisher, second))
