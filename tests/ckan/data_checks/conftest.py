"""Data are checked with the links that lead to them: the fixtures are those of links."""

import pytest

from tests.ckan.data_checks.checked_data import (
    SCHEMA,
    TABLE,
    serve_table,
)
from tests.ckan.links.place import Place, move, no_pauses, place  # noqa: F401
from tests.publisher import Publisher


@pytest.fixture
def data(place: Place) -> Publisher:  # noqa: F811
    """The publisher, with a table that has three wrong rows and its schema."""
    place.publisher.serve("/schema.json", SCHEMA)
    serve_table(place.publisher, TABLE)
    return place.publisher
