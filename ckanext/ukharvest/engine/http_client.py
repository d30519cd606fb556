"""Open HTTP clients with this portal's limits, proxy, secrets and user agent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ckanext.ukharvest import __version__, config
from ckanext.ukharvest.core.http.client import HttpClient, HttpLimits
from ckanext.ukharvest.core.http.timed_client import TimedClient
from ckanext.ukharvest.engine.host_turns import SharedTurns
from ckanext.ukharvest.model import host_stats


def open_client(credential: str = "", *, limits: HttpLimits | None = None) -> HttpClient:
    """Return a client; the caller closes it.

    Args:
        credential: name of a secret in the ini, "" for none.
        limits: used instead of the portal's, but never with a shorter delay; such a client is not
            counted in the dashboard's statistics.

    Raises:
        ConfigError: the ini has no secret of that name.
    """
    own = config.http_limits()
    if limits is not None:
        own = replace(limits, delay=max(own.delay, limits.delay), at_once=own.at_once)
    more: dict[str, Any] = {
        "user_agent": f"ckanext-ukharvest/{__version__} (+{config.http_contact()})",
        "credentials": (config.read_credential(credential),) if credential else (),
        "proxy": config.proxy(),
        "turns": SharedTurns(),
    }
    if limits is not None:  # not a harvest
        return HttpClient(config.guard(), own, **more)
    return TimedClient(config.guard(), own, **more, note=host_stats.count_attempts)
