"""The stage on which the attacks and bombs of this folder are played."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.security.canary import Canary
from tests.security.stage import Hostile, Stage


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[Hostile, Canary]]:
    with Canary() as canary, Hostile(canary.port) as publisher:
        yield publisher, canary


@pytest.fixture
def stage(servers: tuple[Hostile, Canary]) -> Stage:
    stage = Stage(*servers)
    stage.clear()
    return stage
