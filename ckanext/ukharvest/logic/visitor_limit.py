"""How often anonymous visitors may start what costs much, counted in Redis by minute."""

from __future__ import annotations

import ipaddress

from ckanext.ukharvest import config
from ckanext.ukharvest.model import redis_cache

PERIOD = 60  # seconds
OF_ALL = 300  # requests of all anonymous visitors together


def seconds_to_wait(address: str) -> int:
    """Count a visitor's request; return after how many seconds to try again, 0 if it is allowed.

    Without Redis every request is allowed, and a warning logged.

    Args:
        address: the visitor's, as Flask has it: behind a proxy, WSGI has to be told.
    """
    own = config.visitor_requests()
    if not own:
        return 0
    for name, limit in ((f"visitor:{_client(address)}", own), ("visitors", OF_ALL)):
        if redis_cache.count(name, PERIOD) > limit:
            return PERIOD
    return 0


def may_start_check(address: str, most: int) -> bool:
    """Count a visitor's check; tell whether it is one of the first ``most`` of a minute."""
    return redis_cache.count(f"visitor-checks:{_client(address)}", PERIOD) <= most


def _client(address: str) -> str:
    """Return an address, of IPv6 the network of 64 bits that one client has to choose from."""
    try:
        client = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    return (
        str(client)
        if client.version == 4
        else str(ipaddress.ip_network((client, 64), strict=False))
    )
