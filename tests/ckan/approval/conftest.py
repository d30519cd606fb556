"""Sources that ask for another URL."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal
from tests.ckan.previews.previewing import as_
from tests.publisher import Publisher

PATH = "/data.json"


@pytest.fixture
def other() -> Iterator[Publisher]:
    """A publisher at another port, which makes it another server."""
    with Publisher() as serving:
        serving.serve(PATH, catalogue(3))
        yield serving


@pytest.fixture
def old(portal: Portal, publisher: Publisher) -> str:
    """A harvested source."""
    publisher.serve(PATH, catalogue(3))
    source = portal.source(publisher.url(PATH), name="parking", frequency="DAILY")
    portal.run(source)
    return source


@pytest.fixture
def changed(old: str, other: Publisher, editor: dict[str, Any]) -> str:
    """The same; an editor asked for another URL."""
    as_(editor, "harvest_source_patch", id=old, url=other.url(PATH))
    return old
