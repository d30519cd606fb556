"""A typed getter for each setting; only this module has the names of the options.

``config_declaration.yaml`` documents them and has their defaults; ``ckan config declaration
ukharvest`` prints it.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
from collections.abc import Mapping
from functools import partial
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
from ckanext.ukharvest.core.records import OwnSite, RecordLimits
from ckanext.ukharvest.rendering import values as rendering_values
from ckanext.ukharvest.source_types.source_type import BESIDE, SourceType

log = logging.getLogger(__name__)

PREFIX = "ckanext.ukharvest."
NAVIGATION = ("editors", "everyone", "nobody")
# What a check at /harvest/check may be given or read, and of its schema, in MiB.
CHECK_MEGABYTES = 5
# How long a consumer waits for a message before it looks for work of ours.
BLOCK_SECONDS = 1
# How long a page, an action or a command waits for an answer of the queue's Redis.
QUEUE_SECONDS = 4
EXPORT_FORMATS = ("data_json", "jsonl", "turtle", "ntriples")


def _value(name: str) -> Any:
    """Return a setting, its declared default where it is empty."""
    value = tk.config.get(PREFIX + name)
    if value in (None, ""):
        declared = config_declaration.get(PREFIX + name)
        value = declared.default if declared else value
    return value


def _whole(name: str, least: int = 1) -> int:
    return max(least, int(_value(name)))


def _number(name: str) -> float:
    return float(_value(name))


def _flag(name: str) -> bool:
    return bool(tk.asbool(_value(name)))


def _text(name: str) -> str:
    return str(_value(name) or "").strip()


def _names(name: str) -> list[str]:
    return list(tk.aslist(tk.config.get(PREFIX + name) or ""))  # empty is none


# The settings that need nothing but their type. A smaller number than the least counts as the
# least. What they mean, and their defaults, is in config_declaration.yaml.
approves_sources = partial(_flag, "approval")
batch_size = partial(_whole, "batch_size")
check_visitors = partial(_flag, "check.visitors")
checks_data = partial(_flag, "data_checks.check")
checks_links = partial(_flag, "links.check")
data_checks_megabytes = partial(_whole, "data_checks.megabytes")
delete_after_runs = partial(_whole, "delete.after_runs")
delete_max_share = partial(_number, "delete.max_share")
export_formats = partial(_names, "export.formats")
facets = partial(_names, "facets")
gather_timeout = partial(_whole, "sweeper.gather_timeout")
hook_classes = partial(_names, "hooks")
links_days = partial(_whole, "links.days")
links_megabytes = partial(_whole, "links.megabytes_per_day", least=0)
links_requests = partial(_whole, "links.requests_per_day", least=0)
metrics_token = partial(_text, "metrics.token")
navigation = partial(_text, "nav")
object_timeout = partial(_whole, "sweeper.object_timeout")
own_http_contact = partial(_text, "http.contact")
package_schema = partial(_text, "package_schema")
phone_order = partial(_flag, "phone_order")
proxy = partial(_text, "proxy")
prune_keep_runs = partial(_whole, "prune.keep_runs")
same_dataset_days = partial(_whole, "same_dataset.days")
same_dataset_order = partial(_names, "same_dataset.order")
schedule_cron_minutes = partial(_whole, "schedule.cron_minutes")
side_by_side = partial(_flag, "side_by_side")
visitor_requests = partial(_whole, "visitors.per_minute", least=0)
vocabularies = partial(_text, "vocabularies")
worker_timeout = partial(_whole, "sweeper.worker_timeout")


def schedule_least_minutes() -> int:
    """Return the least minutes between two starts of a source: not fewer than between cron's."""
    return max(_whole("schedule.least_minutes"), schedule_cron_minutes())


def portal_language() -> str:
    """Return the code of the portal's default language, without a region: ``en``."""
    return str(tk.config.get("ckan.locale_default") or "en").partition("_")[0]


def export_folder() -> Path | None:
    """Return the folder of the exported catalogue, None if neither it nor CKAN's storage is set."""
    if folder := _text("export.folder"):
        return Path(folder)
    storage = str(tk.config.get("ckan.storage_path") or "").strip()
    return Path(storage) / "ukharvest-export" if storage else None


def not_overwrite_fields() -> frozenset[str]:
    """Return the dataset fields that a harvest never changes once set; ckanext-harvest's option."""
    return frozenset(tk.aslist(tk.config.get("ckan.harvest.not_overwrite_fields") or ""))


def harvest_user() -> str:
    """Return the name of the harvest user: ckanext-harvest's option, else the site user."""
    name = tk.config.get("ckanext.harvest.user_name")
    return str(name) if name else site_user()


def site_user() -> str:
    """Return the name of CKAN's own user, a sysadmin: whoever may use the command line."""
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
    return Guard(allow=_names("http.allow_private"), proxied=bool(proxy()))


def public_guard() -> Guard:
    """Return the guard that checks URLs of people without any right: public addresses only."""
    return PublicGuard(proxied=bool(proxy()))


def http_limits() -> HttpLimits:
    """Return time-outs, sizes and turns of the HTTP client."""
    return HttpLimits(
        read=_number("http.read_timeout"),
        total=_number("http.total_timeout"),
        max_bytes=_whole("http.max_megabytes", 0) * 1024 * 1024,
        delay=_number("http.delay"),
        at_once=_whole("http.requests_per_host", 0),
    )


def record_limits() -> RecordLimits:
    """Return the most that is imported of one record."""
    return RecordLimits(
        resources=_whole("limits.resources"),
        tags=_whole("limits.tags"),
        text=_whole("limits.text"),
    )


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
    networks = _names("http.allow_private")
    try:
        Guard(allow=networks)
    except ValueError as exc:
        raise CkanConfigurationException(
            f"{PREFIX}http.allow_private = {' '.join(networks)}: {exc}; expected networks such as "
            "10.1.0.0/16"
        ) from exc
    for key, text in tk.config.items():
        if key.startswith(f"{PREFIX}credentials.") and text:
            try:
                parse_credential(str(text))
            except ValueError as exc:
                raise CkanConfigurationException(f"{key}: {exc} (its value is not shown)") from exc
    if navigation() not in NAVIGATION:
        raise CkanConfigurationException(
            f"{PREFIX}nav = {navigation()}: expected one of {' '.join(NAVIGATION)}"
        )
    for name, noun, values, known in (
        ("facets", "facet", facets(), rendering_values.INDEXED),
        ("export.formats", "format", export_formats(), EXPORT_FORMATS),
    ):
        if unknown := [value for value in values if value not in known]:
            raise CkanConfigurationException(
                f"{PREFIX}{name} = {' '.join(values)}: there is no {noun} {unknown[0]!r}; expected "
                f"some of {' '.join(known)}"
            )
    if proxy():
        log.warning(
            "Sources are read through a proxy, which resolves names itself: only schemes, literal "
            "addresses and names are checked here, so the proxy has to refuse internal addresses"
        )


def check_plugins() -> None:
    """Check the order of the plugins, and that no two harvest the same source type.

    Raises:
        CkanConfigurationException: with both plugins and the line to change.
    """
    check_order()
    _check_type_names()


def check_order(plugin: str = "") -> None:
    """Check that our plugins are complete and come before those that they override.

    Each of ours asks when it is made: CKAN has no better words for one that is missing.

    Args:
        plugin: name of the one that asks; of a source type of another package it may be any.

    Raises:
        CkanConfigurationException: with both plugins and the line to change.
    """
    names = tk.aslist(tk.config.get("ckan.plugins") or "")
    ours = [name for name in names if name == "ukharvest" or name.startswith("ukharvest_")]
    users = [name for name in names if name in (*ours, plugin)]
    for needed, place, at in (("ukharvest", "before", 0), ("harvest", "after", -1)):
        if users and needed not in names:
            raise CkanConfigurationException(
                f"Plugin {users[at]!r} needs the plugin {needed!r}: add {needed!r} {place} "
                f"{users[at]!r} in the line ckan.plugins."
            )
    for other in names:
        if other in ours or other.split("_")[0] not in ("harvest", "spatial", "dcat", "scheming"):
            continue
        # Listed after ckanext-scheming, its form would drop the extras of harvested datasets.
        first = ["ukharvest"] if other.startswith("scheming") else ours
        if late := [name for name in first if names.index(name) > names.index(other)]:
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
        if other is not plugin and (_source_type_of(other) or _source_type_of(plugin)):
            raise CkanConfigurationException(
                f"Plugins {other.name!r} and {plugin.name!r} both harvest sources of type "
                f"{type_name!r}, which would import each record twice: remove one of them from "
                f"the line ckan.plugins, or set {PREFIX}side_by_side = true while you move."
            )


def our_type_names() -> frozenset[str]:
    """Return the names, as stored, of the registered source types whose plugins are loaded."""
    from ckanext.harvest.interfaces import IHarvester

    kinds = map(_source_type_of, p.PluginImplementations(IHarvester))
    return frozenset(type_name(kind) for kind in kinds if kind)


def type_name(kind: SourceType) -> str:
    """Return the name that sources of a type are stored with: another while a portal moves.

    While plugins of two extensions stand side by side, ours leave its name to the other.
    """
    is_beside = side_by_side() and kind.name in foreign_types()
    return BESIDE + kind.name if is_beside else kind.name


def foreign_types() -> Mapping[str, str]:
    """Return source types of other extensions' harvesters: name → plugin."""
    from ckanext.harvest.interfaces import IHarvester

    plugins = p.PluginImplementations(IHarvester)
    return {
        plugin.info().get("name", ""): plugin.name
        for plugin in plugins
        if not _source_type_of(plugin)
    }


def _source_type_of(plugin: p.SingletonPlugin) -> SourceType | None:
    """Return the source type of a harvester plugin, None for another extension's harvester.

    A type that was left out (``source_types.left_out``) counts: its sources keep what they have.
    """
    kind = getattr(plugin, "source_type", None)
    return kind if isinstance(kind, SourceType) else None
