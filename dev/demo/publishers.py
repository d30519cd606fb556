"""The demo's publishers as bin/demo sees them: processes that say what they serve.

Needs Python alone. The processes (serve.py) run in the environment, which has the libraries of the
tests: they serve records by ``tests.publishing``, and tell at their control route from which
records their documents were made. This is what the harvest is held against.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from .api import fetch

CONTROL = "/_control"
# Serves the sources that need somebody, and the maps, in two states: at first, and later.
SHOWCASE = "showcase"


@dataclass(frozen=True)
class Served:
    """One record that a publisher serves, and what its dataset must have."""

    guid: str
    title: str
    urls: Collection[str]


@dataclass(frozen=True, eq=False)  # a key of dicts, though its options are one
class Publisher:
    """A harvest source's publisher, as its control route describes it.

    Attributes:
        name: of the harvest source.
        kind: the source type.
        organisation: the title of the organisation that publishes it.
        path: what follows the server's URL in the harvest source's.
        config: options of the harvest source.
        dead: paths of its links that lead nowhere, on purpose.
    """

    name: str
    kind: str
    title: str
    organisation: str
    notes: str
    path: str
    config: Mapping[str, Any] = field(default_factory=dict)
    dead: tuple[str, ...] = ()

    def served(self, control: str) -> list[Served]:
        """Return the records that it serves."""
        return [Served(**each) for each in json.loads(fetch(f"{control}?records"))]


def described(control: str) -> list[Publisher]:
    """Return the publishers of a server."""
    return [Publisher(**each) for each in json.loads(fetch(control))["publishers"]]
