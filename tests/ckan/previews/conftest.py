"""Publishers and visitors for tests of sources."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ckan.lib.redis import connect_to_redis
from ckan.tests.helpers import call_action

from ckanext.ukharvest.harvest import http_client
from tests.ckan.previews.previewing import PATH
from tests.publisher import Publisher
from tests.reading.full_datasets import FULL, datasets


@pytest.fixture
def publisher(clean: None) -> Iterator[Publisher]:
    call_action("job_clear")
    with Publisher() as serving:
        serving.serve(PATH, datasets(25, **FULL))
        yield serving


@pytest.fixture
def visitors(ckan_config: Any, monkeypatch: pytest.MonkeyPatch, clean: None) -> None:
    """The portal lets visitors check."""
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.check.visitors", True)
    for key in connect_to_redis().scan_iter(f"{http_client.redis_key('visitor')}*"):
        connect_to_redis().delete(key)
