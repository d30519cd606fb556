"""Servers of each source type for the contract tests, by the services of ``tests.publishing``."""

from __future__ import annotations

from collections.abc import Sequence

from ckanext.ukharvest.testing.contract import Item, Serve, Served, items
from tests.publisher import Publisher
from tests.publishing import SERVICES
from tests.publishing.service import fixed
from tests.publishing.sparql import TURTLE, Endpoint, turtle_of

__all__ = ["SERVERS", "Item", "Served", "items"]


def _sparql(publisher: Publisher, records: Sequence[Item]) -> Served:
    """Serve an endpoint with a store, which takes no GET."""
    publisher.routes["/sparql"] = Endpoint(TURTLE + "".join(map(turtle_of, records)))
    return Served("/sparql", "/sparql")


SERVERS: dict[str, Serve] = {
    **{name: fixed(service) for name, service in SERVICES.items()},
    "sparql": _sparql,
}
