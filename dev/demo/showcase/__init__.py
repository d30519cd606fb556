"""What bin/demo shows beside one source of each type: sources that need somebody, and maps.

Each module here is a publisher as ``demo.publishers`` describes it, of type data_json, and all are
served by one server. ``LATER`` is the state in which a second run finds them.
"""

from __future__ import annotations

from typing import cast

from tests.publisher import Route

from demo.publishers import Publisher

from . import buses, fernley, map_room, museum

KIND = "data_json"
SERVER = "showcase"
LATER = "later"
FAULTS = (LATER,)
PUBLISHERS = {
    "fernley-district-council": cast(Publisher, fernley),
    "museum-of-the-wend": cast(Publisher, museum),
    "wend-valley-buses": cast(Publisher, buses),
    "thornmere-map-room": cast(Publisher, map_room),
}


def routes(base: str, fault: str) -> dict[str, Route]:
    """Return what all of them serve, in their first state or (``LATER``) the second."""
    return {
        path: route
        for publisher in PUBLISHERS.values()
        for path, route in publisher.routes(base, fault).items()
    }
