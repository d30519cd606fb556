"""A typed getter for each setting; only this module has the names of the options.

``config_declaration.yaml`` documents them; ``ckan config declaration ukharvest`` prints it.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
from pathlib import Path

import ckan.plugins as p
import ckan.plugins.toolkit as tk
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
EXPORT_FORMATS = ("data_json", "jsonl", "turtle", "ntriples")


def delete_after_runs() -> int:
    """Return after how many complete runs without a record its dataset is deleted; 1 or more."""
    return max(1, int(tk.config[f"{PREFIX}delete.after_runs"]))


def delete_max_share() -> float:
    """Return the largest share (0 to 1) of its datasets that a run deletes without approval."""
    return float(tk.config[f"{PREFIX}delete.max_share"])


def prune_keep_runs() -> int:
    """Return the number of runs per source whose objects and errors are kept; 1 or more."""
    return max(1, int(tk.config.get(f"{PREFIX}prune.keep_runs") or 20))


def queue_block_seconds() -> int:
    """Return the seconds that a consumer waits for a message in one call; 1 or more."""
    return max(1, int(tk.config.get(f"{PREFIX}queue.block_seconds") or 30))


def worker_timeout() -> int:
    """Return the seconds without a heartbeat after which a process counts as dead; 1 or more."""
    return max(1, int(tk.config.get(f"{PREFIX}sweeper.worker_timeout") or 60))


def object_timeout() -> int:
    """Return the seconds on one harvest object after which a consumer counts as hung; 1 or more."""
    return max(1, int(tk.config.get(f"{PREFIX}sweeper.object_timeout") or 3600))


def gather_timeout() -> int:
    """Return the seconds without progress after which a gather counts as hung; 1 or more."""
    return max(1, int(tk.config.get(f"{PREFIX}sweeper.gather_timeout") or 21600))


def schedule_cron_minutes() -> int:
    """Return the minutes between two calls by cron, within which a run starts; 1 or more."""
    return max(1, int(tk.config.get(f"{PREFIX}schedule.cron_minutes") or 10))


def schedule_spread_minutes() -> int:
    """Return the minutes after midnight over which runs without a time of day are spread."""
    return max(0, int(tk.config[f"{PREFIX}schedule.spread_minutes"]))


def portal_language() -> str:
    """Return the code of the portal's default language, without a region: ``en``."""
    return str(tk.config.get("ckan.locale_default") or "en").partition("_")[0]


def facets() -> list[str]:
    """Return the names of the facets that dataset searches get, in order."""
    return list(tk.aslist(tk.config[f"{PREFIX}facets"]))


def phone_order() -> bool:
    """Tell whether a dataset's page shows the dataset above the sidebar on phones."""
    return bool(tk.asbool(tk.config.get(f"{PREFIX}phone_order", True)))


def checks_links() -> bool:
    """Tell whether background jobs check the links of resources."""
    return bool(tk.asbool(tk.config.get(f"{PREFIX}links.check", True)))


def links_days() -> int:
    """Return the days until a link is checked again; 1 or more."""
    return max(1, int(tk.config.get(f"{PREFIX}links.days") or 30))


def links_dead_checks() -> int:
    """Return the failed checks with a definite answer after which a link is dead; 1 or more."""
    return max(1, int(tk.config.get(f"{PREFIX}links.dead_checks") or 3))


def links_dead_days() -> int:
    """Return the days over which these checks are spread at least; 0 or more."""
    value = tk.config.get(f"{PREFIX}links.dead_days")
    return 7 if value in (None, "") else max(0, int(value))


def links_requests() -> int:
    """Return the requests that link checks may send a day; 0: any number."""
    return _not_negative(f"{PREFIX}links.requests_per_day", 10_000)


def links_megabytes() -> int:
    """Return the megabytes that link checks may read a day; 0: any number."""
    return _not_negative(f"{PREFIX}links.megabytes_per_day", 1_000)


def checks_data() -> bool:
    """Tell whether the data of resources are checked against their schemas."""
    return bool(tk.asbool(tk.config.get(f"{PREFIX}data_checks.check", True)))


def data_checks_megabytes() -> int:
    """Return the MiB of a file that are read for a check; 1 or more."""
    return max(1, int(tk.config.get(f"{PREFIX}data_checks.megabytes") or 50))


def data_checks_rows() -> int:
    """Return the rows of a table that are checked; 1 or more."""
    return max(1, int(tk.config.get(f"{PREFIX}data_checks.rows") or 1_000_000))


def data_checks_seconds() -> int:
    """Return the seconds that a check may take, without download; 1 or more."""
    return max(1, int(tk.config.get(f"{PREFIX}data_checks.seconds") or 60))


def data_checks_memory() -> int:
    """Return the MiB of address space that a check may use; 64 or more."""
    return max(64, int(tk.config.get(f"{PREFIX}data_checks.memory_megabytes") or 1024))


def check_visitors() -> bool:
    """Tell whether visitors without a login may check files and sources."""
    return bool(tk.asbool(tk.config.get(f"{PREFIX}check.visitors", False)))


def check_megabytes() -> int:
    """Return the MiB that a check may be given or read; 1 or more."""
    return max(1, int(tk.config.get(f"{PREFIX}check.megabytes") or 5))


def _not_negative(key: str, default: int) -> int:
    value = tk.config.get(key)
    return default if value in (None, "") else max(0, int(value))


def navigation() -> str:
    """Return who gets a link to harvesting in the header: "editors", "everyone" or "nobody"."""
    return str(tk.config.get(f"{PREFIX}nav") or "editors")


def metrics_token() -> str:
    """Return the token for reading the metrics; with "" they are off."""
    return str(tk.config.get(f"{PREFIX}metrics.token") or "").strip()


def vocabularies() -> str:
    """Return the folder of the portal's own vocabularies, "" for none."""
    return str(tk.config.get(f"{PREFIX}vocabularies") or "").strip()


def export_folder() -> Path | None:
    """Return the folder of the exported catalogue, None if neither it nor CKAN's storage is set."""
    if folder := str(tk.config.get(f"{PREFIX}export.folder") or "").strip():
        return Path(folder)
    storage = str(tk.config.get("ckan.storage_path") or "").strip()
    return Path(storage) / "ukharvest-export" if storage else None


def export_formats() -> list[str]:
    """Return the names of the formats that the catalogue is exported in."""
    return list(tk.aslist(tk.config[f"{PREFIX}export.formats"]))


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
        allow=tk.aslist(tk.config.get(f"{PREFIX}http.allow_private") or ""),
        proxied=bool(tk.config.get(f"{PREFIX}proxy")),
    )


def public_guard() -> Guard:
    """Return the guard that checks URLs of people without any right: public addresses only."""
    return PublicGuard(proxied=bool(proxy()))


def http_limits() -> HttpLimits:
    """Return time-outs, sizes and turns of the HTTP client."""
    return HttpLimits(
        connect=float(tk.config[f"{PREFIX}http.connect_timeout"]),
        read=float(tk.config[f"{PREFIX}http.read_timeout"]),
        total=float(tk.config[f"{PREFIX}http.total_timeout"]),
        max_bytes=int(tk.config[f"{PREFIX}http.max_megabytes"]) * 1024 * 1024,
        delay=float(tk.config[f"{PREFIX}http.delay"]),
        at_once=int(tk.config[f"{PREFIX}http.requests_per_host"]),
    )


def record_limits() -> RecordLimits:
    """Return the most that is imported of one record; each 1 or more."""
    return RecordLimits(
        resources=_limit("limits.resources"),
        tags=_limit("limits.tags"),
        values=_limit("limits.values"),
        text=_limit("limits.text"),
        line=_limit("limits.line"),
        url=_limit("limits.url"),
        points=_limit("limits.points"),
    )


def _limit(name: str) -> int:
    usual: int = getattr(RecordLimits(), name.removeprefix("limits."))
    return max(1, int(tk.config.get(f"{PREFIX}{name}") or usual))


def http_contact() -> str:
    """Return the contact for publishers in our requests: an email or URL, else the portal's URL."""
    return own_http_contact() or site_url()


def own_http_contact() -> str:
    """Return the email address or URL of the setting ``http.contact``, "" if it is not set."""
    return str(tk.config.get(f"{PREFIX}http.contact") or "").strip()


def proxy() -> str:
    """Return the proxy's URL, "" for none."""
    return str(tk.config.get(f"{PREFIX}proxy") or "")


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
    networks = tk.aslist(tk.config.get(key) or "")
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
    if tk.config.get(f"{PREFIX}proxy"):
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


def visitor_limits() -> tuple[int, int]:
    """Return the requests a minute of one anonymous visitor and of all; 0: without a limit."""
    own, all_ = f"{PREFIX}visitors.per_minute", f"{PREFIX}visitors.all_per_minute"
    return int(tk.config[own]), int(tk.config[all_])


def batch_size() -> int:
    """Return how many records a fetch consumer takes at once; 1: without batches."""
    return max(1, int(tk.config.get(f"{PREFIX}batch_size") or 100))


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
