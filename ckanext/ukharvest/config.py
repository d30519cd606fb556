"""A typed getter for each setting; only this module has the names of the options.

``config_declaration.yaml`` documents them and has their defaults; ``ckan config declaration
ukharvest`` prints it.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ckan.plugins as p
import ckan.plugins.toolkit as tk
from ckan.common import config_declaration
from ckan.exceptions import CkanConfigurationException

from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.http.credentials import Credential, parse_credential
from ckanext.ukharvest.core.http.guard import Guard, PublicGuard
from ckanext.ukharvest.core.http.request import HttpLimits
from ckanext.ukharvest.core.record_limits import RecordLimits
from ckanext.ukharvest.core.records import OwnSite
from ckanext.ukharvest.presentation.rendering import values as shown_values
from ckanext.ukharvest.source_types import SourceType

log = logging.getLogger(__name__)

PREFIX = "ckanext.ukharvest."
NAVIGATION = ("editors", "everyone", "nobody")
# What a check at /harvest/check may be given or read, and of its schema, in MiB.
CHECK_MEGABYTES = 5
# How long a consumer waits for a message before it asks Redis again.
BLOCK_SECONDS = 30
EXPORT_FORMATS = ("data_json", "jsonl", "turtle", "ntriples")


def _value(name: str) -> Any:
    """Return a setting, its declared default where it is empty."""
    value = tk.config.get(PREFIX + name)
    if value in (None, ""):
        declared = config_declaration.get(PREFIX + name)
        value = declared.default if declared else value
    return value


def _whole(name: str, *, least: int = 1) -> Callable[[], int]:
    return lambda: max(least, int(_value(name)))


def _number(name: str) -> Callable[[], float]:
    return lambda: float(_value(name))


def _flag(name: str) -> Callable[[], bool]:
    return lambda: bool(tk.asbool(_value(name)))


def _text(name: str) -> Callable[[], str]:
    return lambda: str(_value(name) or "").strip()


def _names(name: str) -> Callable[[], list[str]]:
    return lambda: list(tk.aslist(tk.config.get(PREFIX + name) or ""))  # empty is none


# The settings that need nothing but their type. A smaller number than the least counts as the
# least. What they mean, and their defaults, is in config_declaration.yaml.
batch_size = _whole("batch_size")
check_visitors = _flag("check.visitors")
checks_data = _flag("data_checks.check")
checks_links = _flag("links.check")
data_checks_megabytes = _whole("data_checks.megabytes")
delete_after_runs = _whole("delete.after_runs")
delete_max_share = _number("delete.max_share")
export_formats = _names("export.formats")
facets = _names("facets")
gather_timeout = _whole("sweeper.gather_timeout")
links_days = _whole("links.days")
links_megabytes = _whole("links.megabytes_per_day", least=0)
links_requests = _whole("links.requests_per_day", least=0)
metrics_token = _text("metrics.token")
navigation = _text("nav")
object_timeout = _whole("sweeper.object_timeout")
own_http_contact = _text("http.contact")
phone_order = _flag("phone_order")
proxy = _text("proxy")
prune_keep_runs = _whole("prune.keep_runs")
schedule_cron_minutes = _whole("schedule.cron_minutes")
visitor_requests = _whole("visitors.per_minute", least=0)
vocabularies = _text("vocabularies")
worker_timeout = _whole("sweeper.worker_timeout")

_private_networks = _names("http.allow_private")
_total_timeout = _number("http.total_timeout")
_read_timeout = _number("http.read_timeout")
_max_megabytes = _whole("http.max_megabytes", least=0)
_delay = _number("http.delay")
_requests_per_host = _whole("http.requests_per_host", least=0)
_export_folder = _text("export.folder")
_most_resources = _whole("limits.resources")
_most_tags = _whole("limits.tags")
_longest_text = _whole("limits.text")


def portal_language() -> str:
    """Return the code of the portal's default language, without a region: ``en``."""
    return str(tk.config.get("ckan.locale_default") or "en").partition("_")[0]


def export_folder() -> Path | None:
    """Return the folder of the exported catalogue, None if neither it nor CKAN's storage is set."""
    if folder := _export_folder():
        return Path(folder)
    storage = str(tk.config.get("ckan.storage_path") or "").strip()
    return Path(storage) / "ukharvest-export" if storage else None


def not_overwrite_fields() -> frozenset[str]:
    """Return the dataset fields that a harvest never changes once set; ckanext-harvest's option."""
    return frozenset(tk.aslist(tk.config.get("ckan.harvest.not_overwrite_fields") or ""))


def harvest_user() -> str:
    """Return the name of the harvest user: ckanext-harvest's option, else the site user."""
    name = tk.config.get("ckanext.harvest.user_name")
    if name:
        return str(name)
    return str(tk.get_action("get_site_user")({"ignore_auth": True}, {})["name"])


def site_url() -> str:
    """Return the portal's own URL without a slash at the end."""
    return str(tk.config.get("ckan.site_url") or "").rstrip("/")


def own_site() -> OwnSite:
    """Return what readers recognise this portal by.

    The key is the same in all processes of the portal, and on no other portal.
    """
    secret = str(tk.config.get("SECRET_KEY") or "")
    key = hmac.new(secret.encode("utf-8"), b"ukharvest portal", hashlib.sha256)
    return OwnSite(site_url(), key.hexdigest()[:32])


def guard() -> Guard:
    """Return the guard that checks URLs, with the private networks that the portal allows."""
    return Guard(
        allow=_private_networks(),
        proxied=bool(proxy()),
    )


def public_guard() -> Guard:
    """Return the guard that checks URLs of people without any right: public addresses only."""
    return PublicGuard(proxied=bool(proxy()))


def http_limits() -> HttpLimits:
    """Return time-outs, sizes and turns of the HTTP client."""
    return HttpLimits(
        read=_read_timeout(),
        total=_total_timeout(),
        max_bytes=_max_megabytes() * 1024 * 1024,
        delay=_delay(),
        at_once=_requests_per_host(),
    )


def record_limits() -> RecordLimits:
    """Return the most that is imported of one record."""
    return RecordLimits(resources=_most_resources(), tags=_most_tags(), text=_longest_text())


def http_contact() -> str:
    """Return the contact for publishers in our requests: an email or URL, else the portal's URL."""
    return own_http_contact() or site_url()


def read_credential(name: str) -> Credential:
    """Return a secret of the ini.

    Raises:
        ConfigError: the ini has no usable secret of that name.
    """
    key = f"{PREFIX}credentials.{name}"
    try:
        return parse_credential(str(tk.config.get(key) or ""))
    except ValueError as exc:
        raise ConfigError(
            f"credential: the portal's configuration has no usable secret {name!r}; a sysadmin "
            f"adds {key}; {exc}",
            field="credential",
        ) from exc


def check_settings() -> None:
    """Check settings that would otherwise fail at the first run.

    Raises:
        CkanConfigurationException: with the setting and its value.
    """
    key = f"{PREFIX}http.allow_private"
    networks = _private_networks()
    try:
        Guard(allow=networks)
    except ValueError as exc:
        raise CkanConfigurationException(
            f"{key} = {' '.join(networks)}: {exc}; expected networks such as 10.1.0.0/16"
        ) from exc
    _check_credentials()
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
    if unknown := [name for name in export_formats() if name not in EXPORT_FORMATS]:
        raise CkanConfigurationException(
            f"{PREFIX}export.formats = {' '.join(export_formats())}: there is no format "
            f"{unknown[0]!r}; expected some of {' '.join(EXPORT_FORMATS)}"
        )
    if proxy():
        log.warning(
            "Sources are read through a proxy, which resolves names itself: only schemes, literal "
            "addresses and names are checked here, so the proxy has to refuse internal addresses"
        )


def _check_credentials() -> None:
    for key, text in tk.config.items():
        if not key.startswith(f"{PREFIX}credentials.") or not text:
            continue
        try:
            parse_credential(str(text))
        except ValueError as exc:
            raise CkanConfigurationException(f"{key}: {exc} (its value is not shown)") from exc


def check_plugins() -> None:
    """Check the order of the plugins, and that no two harvest the same source type.

    Raises:
        CkanConfigurationException: with both plugins and the line to change.
    """
    check_order()
    _check_type_names()


def check_order() -> None:
    """Check that our plugins come before those that they override.

    Raises:
        CkanConfigurationException: with both plugins and the line to change.
    """
    names = tk.aslist(tk.config.get("ckan.plugins") or "")
    ours = [name for name in names if name == "ukharvest" or name.startswith("ukharvest_")]
    if ours and "ukharvest" not in ours:
        raise CkanConfigurationException(
            f"Plugin {ours[0]!r} needs the plugin 'ukharvest': add it before {ours[0]!r} in the "
            "line ckan.plugins."
        )
    for other in names:
        if other in ours or other.split("_")[0] not in ("harvest", "spatial", "dcat", "scheming"):
            continue
        # Listed after ckanext-scheming, its form would drop the extras of harvested datasets.
        first = ["ukharvest"] if other.startswith("scheming") else ours
        late = [name for name in first if names.index(name) > names.index(other)]
        if late:
            raise CkanConfigurationException(
                f"Plugin {late[0]!r} must stand before {other!r} in the line ckan.plugins, so "
                f"that its pages and actions come first: move {late[0]!r} in front of {other!r}."
            )


def _check_type_names() -> None:
    # Two plugins of one type would import each record twice: ckanext.harvest.queue calls all.
    from ckanext.harvest.interfaces import IHarvester

    seen: dict[str, p.SingletonPlugin] = {}
    for plugin in p.PluginImplementations(IHarvester):
        type_name = plugin.info()["name"]
        other = seen.setdefault(type_name, plugin)
        is_ours = any(_source_type_of(each) for each in (other, plugin))
        if other is not plugin and is_ours:
            raise CkanConfigurationException(
                f"Plugins {other.name!r} and {plugin.name!r} both harvest sources of type "
                f"{type_name!r}, which would import each record twice: remove one of them from "
                "the line ckan.plugins."
            )


def our_type_names() -> frozenset[str]:
    """Return the names of the registered source types whose plugins are loaded."""
    from ckanext.harvest.interfaces import IHarvester

    kinds = map(_source_type_of, p.PluginImplementations(IHarvester))
    return frozenset(kind.name for kind in kinds if kind)


def _source_type_of(plugin: p.SingletonPlugin) -> SourceType | None:
    """Return the source type of a harvester plugin, None for another extension's harvester.

    A type that was left out (``source_types.left_out``) counts: its sources keep what they have.
    """
    kind = getattr(plugin, "source_type", None)
    return kind if isinstance(kind, SourceType) else None
