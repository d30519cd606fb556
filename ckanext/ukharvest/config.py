"""Every setting by one typed getter; the only file that spells option names.

What each option means is written in ``config_declaration.yaml``, which
``ckan config declaration ukharvest`` prints.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import ckan.plugins as p
import ckan.plugins.toolkit as tk
from ckan.exceptions import CkanConfigurationException

from ckanext.ukharvest import __version__
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.guard import Guard
from ckanext.ukharvest.core.http import Credential, HttpClient, HttpLimits
from ckanext.ukharvest.core.watched import WatchedClient
from ckanext.ukharvest.model import hosts
from ckanext.ukharvest.shown import values as shown_values

log = logging.getLogger(__name__)

PREFIX = "ckanext.ukharvest."
NAVIGATION = ("editors", "everyone", "nobody")
DEFAULT_PORTS = {"http": 80, "https": 443}


def delete_after_runs() -> int:
    """Complete runs in a row that have to miss a record before its dataset goes; at least 1."""
    return max(1, int(tk.config[f"{PREFIX}delete.after_runs"]))


def delete_max_share() -> float:
    """Largest share (0 to 1) of a source's datasets that one run deletes without asking."""
    return float(tk.config[f"{PREFIX}delete.max_share"])


def prune_keep_runs() -> int:
    """Ended runs of each source whose harvest objects and errors stay; at least 1."""
    return max(1, int(tk.config.get(f"{PREFIX}prune.keep_runs") or 20))


def queue_block_seconds() -> int:
    """Seconds that a consumer waits in one call for a message; at least 1."""
    return max(1, int(tk.config.get(f"{PREFIX}queue.block_seconds") or 30))


def worker_timeout() -> int:
    """Seconds after its last heartbeat that a worker is taken for gone; at least 1."""
    return max(1, int(tk.config.get(f"{PREFIX}sweeper.worker_timeout") or 60))


def schedule_tick_minutes() -> int:
    """Minutes between two ticks of cron: a run starts within these; at least 1."""
    return max(1, int(tk.config.get(f"{PREFIX}schedule.tick_minutes") or 10))


def schedule_spread_minutes() -> int:
    """Minutes after midnight that sources without a time of their own are spread over."""
    return max(0, int(tk.config[f"{PREFIX}schedule.spread_minutes"]))


def facets() -> list[str]:
    """Facets that searches of datasets get, in their order."""
    return list(tk.aslist(tk.config[f"{PREFIX}facets"]))


def phone_order() -> bool:
    """Whether a dataset's page has the dataset before the sidebar on a phone."""
    return bool(tk.asbool(tk.config.get(f"{PREFIX}phone_order", True)))


def looks_at_links() -> bool:
    """Whether background jobs find out what the links of resources are."""
    return bool(tk.asbool(tk.config.get(f"{PREFIX}links.look", True)))


def links_days() -> int:
    """Days until a link is looked at again; at least 1."""
    return max(1, int(tk.config.get(f"{PREFIX}links.days") or 30))


def navigation() -> str:
    """Who gets a link to harvesting in the header: "editors", "everyone" or "nobody"."""
    return str(tk.config.get(f"{PREFIX}nav") or "editors")


def metrics_token() -> str:
    """What a program has to say to be told the metrics; "": nobody is."""
    return str(tk.config.get(f"{PREFIX}metrics.token") or "").strip()


def vocabularies() -> str:
    """Folder with the portal's own lists of values, "" if it has none."""
    return str(tk.config.get(f"{PREFIX}vocabularies") or "").strip()


def not_overwrite_fields() -> frozenset[str]:
    """Dataset fields that a harvest never changes once they are set (ckanext-harvest's option)."""
    return frozenset(tk.aslist(tk.config.get("ckan.harvest.not_overwrite_fields") or ""))


def harvest_user() -> str:
    """Name of the user that harvests: ckanext-harvest's option, else the site user."""
    name = tk.config.get("ckanext.harvest.user_name")
    if name:
        return str(name)
    return str(tk.get_action("get_site_user")({"ignore_auth": True}, {})["name"])


def site_url() -> str:
    """The portal's own address without a slash at the end."""
    return str(tk.config.get("ckan.site_url") or "").rstrip("/")


def guard() -> Guard:
    """Return what judges addresses, with the networks that the portal allows on top."""
    return Guard(
        allow=tk.aslist(tk.config.get(f"{PREFIX}http.allow_private") or ""),
        proxied=bool(tk.config.get(f"{PREFIX}proxy")),
    )


def http_client(credential: str = "", *, limits: HttpLimits | None = None) -> HttpClient:
    """Return a client with the portal's limits; the caller closes it.

    Args:
        credential: name of a secret in the ini, "" for none.
        limits: in place of the portal's; a longer delay of the portal's stays.

    Raises:
        ConfigError: the ini has no secret of that name.
    """
    own = HttpLimits(
        connect=float(tk.config[f"{PREFIX}http.connect_timeout"]),
        read=float(tk.config[f"{PREFIX}http.read_timeout"]),
        total=float(tk.config[f"{PREFIX}http.total_timeout"]),
        max_bytes=int(tk.config[f"{PREFIX}http.max_megabytes"]) * 1024 * 1024,
        delay=float(tk.config[f"{PREFIX}http.delay"]),
    )
    if limits is not None:
        delay = max(own.delay, limits.delay)
        own = replace(limits, delay=delay, total=limits.total + delay)  # which counts the waits
    proxy = str(tk.config.get(f"{PREFIX}proxy") or "")
    contact = tk.config.get(f"{PREFIX}http.contact") or site_url()
    more: dict[str, Any] = {
        "user_agent": f"ckanext-ukharvest/{__version__} (+{contact})",
        "credentials": (read_credential(credential),) if credential else (),
        "proxy": proxy,
    }
    if limits is not None:  # not a harvest: nothing that the dashboard counts
        return HttpClient(guard(), own, **more)
    return WatchedClient(guard(), own, **more, note=hosts.note)


def read_credential(name: str) -> Credential:
    """Return a secret of the ini.

    Raises:
        ConfigError: the ini has no usable secret of that name.
    """
    key = f"{PREFIX}credentials.{name}"
    text = str(tk.config.get(key) or "")
    origin, _space, header = text.partition(" ")
    parts = urlsplit(origin)
    field, colon, value = header.partition(":")
    if not (parts.hostname and parts.scheme in DEFAULT_PORTS and colon):
        raise ConfigError(
            f"credential: the portal's configuration has no usable secret {name!r}; a sysadmin "
            f"adds it as {key} = https://host Header: value",
            field="credential",
        )
    port = parts.port or DEFAULT_PORTS[parts.scheme]
    return Credential(parts.scheme, parts.hostname, port, field.strip(), value.strip())


def check_settings() -> None:
    """Refuse to start with settings that would fail at the first run.

    Raises:
        CkanConfigurationException: names the setting and its value.
    """
    key = f"{PREFIX}http.allow_private"
    networks = tk.aslist(tk.config.get(key) or "")
    try:
        Guard(allow=networks)
    except ValueError as exc:
        raise CkanConfigurationException(
            f"{key} = {' '.join(networks)}: {exc}; expected networks such as 10.1.0.0/16"
        ) from exc
    if navigation() not in NAVIGATION:
        raise CkanConfigurationException(
            f"{PREFIX}nav = {navigation()}: expected one of {' '.join(NAVIGATION)}"
        )
    known = tuple(shown_values.INDEXED)
    if unknown := [name for name in facets() if name not in known]:
        raise CkanConfigurationException(
            f"{PREFIX}facets = {' '.join(facets())}: there is no facet {unknown[0]!r}; expected "
            f"some of {' '.join(known)}"
        )
    if tk.config.get(f"{PREFIX}proxy"):
        log.warning(
            "Sources are read through a proxy, which resolves names itself: only schemes, literal "
            "addresses and names are checked here, so the proxy has to refuse internal addresses"
        )


def check_plugins() -> None:
    """Refuse to start with plugins in an order, or with a clash, that would harvest wrongly.

    Raises:
        CkanConfigurationException: names both plugins and the line to change.
    """
    names = tk.aslist(tk.config.get("ckan.plugins") or "")
    ours = [name for name in names if name == "ukharvest" or name.startswith("ukharvest_")]
    if ours and "ukharvest" not in ours:
        raise CkanConfigurationException(
            f"Plugin {ours[0]!r} needs the plugin 'ukharvest': add it before {ours[0]!r} in the "
            "line ckan.plugins."
        )
    _check_order(names, ours)
    _check_type_names()


def _check_order(names: list[str], ours: list[str]) -> None:
    for other in names:
        if other in ours or other.split("_")[0] not in ("harvest", "spatial", "dcat", "scheming"):
            continue
        # Behind ckanext-scheming, its form would drop the extras of harvested datasets.
        first = ["ukharvest"] if other.startswith("scheming") else ours
        late = [name for name in first if names.index(name) > names.index(other)]
        if late:
            raise CkanConfigurationException(
                f"Plugin {late[0]!r} must stand before {other!r} in the line ckan.plugins, so "
                f"that its pages and actions come first: move {late[0]!r} in front of {other!r}."
            )


def _check_type_names() -> None:
    # Two plugins of one type name import each record twice: ckanext.harvest.queue calls them all.
    from ckanext.harvest.interfaces import IHarvester

    seen: dict[str, p.SingletonPlugin] = {}
    for plugin in p.PluginImplementations(IHarvester):
        type_name = plugin.info()["name"]
        other = seen.setdefault(type_name, plugin)
        is_ours = any(
            type(each).__module__.startswith("ckanext.ukharvest") for each in (other, plugin)
        )
        if other is not plugin and is_ours:
            raise CkanConfigurationException(
                f"Plugins {other.name!r} and {plugin.name!r} both harvest sources of type "
                f"{type_name!r}, which would import each record twice: remove one of them from "
                "the line ckan.plugins."
            )


def our_type_names() -> frozenset[str]:
    """Names of the source types that plugins of this extension harvest on this portal."""
    from ckanext.harvest.interfaces import IHarvester

    return frozenset(
        plugin.info()["name"]
        for plugin in p.PluginImplementations(IHarvester)
        if type(plugin).__module__.startswith("ckanext.ukharvest")
    )
