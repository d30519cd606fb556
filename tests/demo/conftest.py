"""Make the demo's modules importable, as bin/demo does."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "dev"))

from collections.abc import Iterator  # noqa: E402

import pytest  # noqa: E402
from demo.serve import Server  # noqa: E402


@pytest.fixture
def publisher() -> Iterator[Server]:
    """The demo's own server, whose routes can be for any query."""
    with Server() as serving:
        yield serving
