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

# Faults of a publisher, one at a time: name at the control route → text for the table. The bad
# record comes last, because the run after it imports that record again, changed or not.
FAULTS = {
    "page2-500": "500 on page 2",
    "two-gone": "two records gone",
    "bad-record": "one bad record",
}
CONTROL = "/_control"
# Serves the sources that need somebody, and the maps; LATER is their state at a second run.
SHOWCASE = "showcase"
LATER = "later"


@dataclass(frozen=True)
class Served:
    """One record that a publisher serves, and what its dataset must have.

    Attributes:
        raw: the whole record; a changed text means a changed record.
        is_readable: False for a record that no portal could import.
    """

    guid: str
    title: str
    urls: Collection[str]
    raw: str
    is_readable: bool = True


@dataclass(frozen=True, eq=False)  # a key of dicts, though its options are one
class Publisher:
    """A harvest source's publisher, as its control route describes it.

    Attributes:
        name: of the harvest source.
        kind: the source type.
        organisation: the title of the organisation that publishes it.
        path: what follows the server's URL in the harvest source's.
        config: options of the harvest source.
        faults: those of FAULTS that it can show; a type that is one record cannot lose two.
        dead: paths of its links that lead nowhere, on purpose.
    """

    name: str
    kind: str
    title: str
    organisation: str
    notes: str
    path: str
    config: Mapping[str, Any] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    dead: tuple[str, ...] = ()

    def served(self, control: str) -> list[Served] | None:
        """Return the records that it serves now; None if it cannot be read to its end."""
        answer = json.loads(fetch(f"{control}?records"))
        return answer and [Served(**each) for each in answer]


def described(control: str) -> list[Publisher]:
    """Return the publishers of a server."""
    return [Publisher(**each) for each in json.loads(fetch(control))["publishers"]]
