"""Open HTTP clients with this portal's limits, proxy, secrets and user agent."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ckanext.ukharvest import __version__, config
from ckanext.ukharvest.core.http.client import HttpClient, HttpLimits, MeteredClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.engine.host_turns import SharedTurns


def open_client(
    credential: str = "", *, limits: HttpLimits | None = None, guard: Guard | None = None
) -> HttpClient:
    """Return a client; the caller closes it.

    Args:
        credential: name of a secret in the ini, "" for none.
        limits: used instead of the portal's, but never with a shorter delay.
        guard: used instead of the portal's.

    Raises:
        ConfigError: the ini has no secret of that name.
    """
    chosen = config.http_limits() if limits is None else _merged(limits)
    return HttpClient(guard or config.guard(), chosen, **_settings(credential))


def open_metered_client(
    limits: HttpLimits, sleep: Callable[[float], None] = time.sleep
) -> MeteredClient:
    """Return a client for link checks, for one thread; the caller closes it.

    Args:
        limits: used instead of the portal's, but never with a shorter delay.
        sleep: waits for the client's turn at a host.
    """
    return MeteredClient(config.guard(), _merged(limits), **_settings(), sleep=sleep)


def _merged(limits: HttpLimits) -> HttpLimits:
    own = config.http_limits()
    return replace(limits, delay=max(own.delay, limits.delay), at_once=own.at_once)


def _settings(credential: str = "") -> dict[str, Any]:
    return {
        "user_agent": f"ckanext-ukharvest/{__version__} (+{config.http_contact()})",
        "credentials": (config.read_credential(credential),) if credential else (),
        "proxy": config.proxy(),
        "turns": SharedTurns(),
    }
