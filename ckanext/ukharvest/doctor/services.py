"""Checks of what harvesting depends on: plugins, settings, tables, Redis, Solr."""

from __future__ import annotations

import inspect
import ipaddress
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ckan.plugins as p
import ckan.plugins.toolkit as tk
import redis
import sqlalchemy as sa
from alembic.config import Config
from alembic.script import ScriptDirectory
from ckan import model
from ckan.exceptions import CkanConfigurationException
from ckan.lib import search
from ckanext.harvest import queue
from ckanext.harvest.interfaces import IHarvester
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest import source_types as types
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.consumers.workers import RABBITMQ
from ckanext.ukharvest.lib import other_harvesters
from ckanext.ukharvest.lib.checks import ERROR, INFO, SETTINGS, WARNING, Finding, check, examples
from ckanext.ukharvest.source_types.source_type import BESIDE

# Fields that ckanext-spatial's search backends write and CKAN's own schema lacks.
SPATIAL_FIELDS = {
    "solr-bbox": {"minx", "maxx", "miny", "maxy"},
    "solr-spatial-field": {"spatial_geom"},
}
# A private network larger than this is probably a mistake (prefix length).
WIDE = {4: 8, 6: 16}
PROBE_SECONDS = 5
# States of our tables in which the command alone does not help.
EXPLAINED = (database.State.UNRELEASED, database.State.AHEAD)
# Later, people would not see what they have just saved.
SOFT_COMMIT_MILLISECONDS = 10_000


@check("plugins", "The plugins are on, in order, and no two harvest one type.", is_quick=True)
def plugins() -> Iterator[Finding]:
    """Check the order of plugins and clashes, which stop CKAN at its start unless loaded later."""
    try:
        config.check_plugins()
    except CkanConfigurationException as exc:
        yield Finding(ERROR, "plugins", str(exc), "Change the line ckan.plugins as it says.")
    if not config.our_type_names():
        yield Finding(
            WARNING,
            "plugins",
            "No source type of ckanext-ukharvest is on.",
            "Add one, such as ukharvest_data_json, to the line ckan.plugins.",
        )


@check(
    "types",
    "Every source has a plugin that harvests it, and all installed types can be used.",
    is_quick=True,
)
def source_types() -> Iterator[Finding]:
    """Find unusable types of other distributions, and active sources that no plugin harvests."""
    for fault in types.left_out():
        yield Finding(ERROR, "types", fault.message, fault.what_to_do)
    known = {plugin.info()["name"] for plugin in p.PluginImplementations(IHarvester)}
    query = (
        model.Session.query(HarvestSource.type, model.Package.name)
        .join(model.Package, model.Package.id == HarvestSource.id)
        .filter(HarvestSource.active.is_(True), HarvestSource.type.notin_(known))
        .order_by(HarvestSource.type, model.Package.name)
    )
    for name, rows in itertools.groupby(query, key=lambda row: row[0]):
        sources = [source for _type, source in rows]
        number = f"{len(sources)} active source{'s' * (len(sources) > 1)}"
        yield Finding(
            ERROR,
            "types",
            f"{number} with the type {name!r}, which no plugin harvests: {examples(sources)}.",
            _adopt_or_add(name, sources),
        )


def _adopt_or_add(name: str, sources: list[str]) -> str:
    if name.startswith(BESIDE) and name in types.TYPES:
        return "The move is over: run 'ckan ukharvest adopt --finish'."
    if name in types.TYPES:
        return f"Add the plugin {types.TYPES[name].plugin} to the line ckan.plugins."
    kind = types.aliases().get(name)
    if kind is None:
        return (
            "Add the plugin of that type to the line ckan.plugins. If a type of ckanext-ukharvest "
            f"reads such a source, run 'ckan ukharvest adopt {sources[0]} --as TYPE --dry-run' to "
            "see what changes."
        )
    command = f"ckan ukharvest adopt {sources[0] if len(sources) == 1 else '--all'}"
    is_on = config.type_name(kind) in config.our_type_names()
    return (
        f"It is {kind.name!r} under another name: run '{command} --dry-run' to see what changes, "
        f"then '{command}'."
    ) + ("" if is_on else f" Before that, add the plugin {kind.plugin} to the line ckan.plugins.")


@check("hooks", "No plugin waits for calls by other harvesters.")
def hooks() -> Iterator[Finding]:
    """Find plugins with hooks of other harvesters, which ours do not call."""
    for hook in other_harvesters.find_uncalled_hooks():
        state = "" if hook.is_on else ", which is installed but off,"
        yield Finding(
            WARNING if hook.is_on else INFO,
            "hooks",
            f"The plugin {hook.plugin}{state} has {' and '.join(hook.hooks)}.",
            other_harvesters.instead(hook.hooks),
        )


@check("settings", "No setting is riskier than need be.", is_quick=True)
def settings() -> Iterator[Finding]:
    """Find settings that are allowed but rarely intended."""
    key = f"{config.PREFIX}http.allow_private"
    for text in tk.aslist(tk.config.get(key) or ""):
        network = ipaddress.ip_network(text)
        if network.prefixlen < WIDE[network.version]:
            yield Finding(
                WARNING,
                "settings",
                f"{key} has {text}, so any source may read from nearly any internal address.",
                "Name the networks of your publishers instead, such as 10.1.0.0/16.",
            )
    if tk.config.get(f"{config.PREFIX}proxy"):
        yield Finding(
            INFO,
            "settings",
            "Sources are read through a proxy, which resolves names itself.",
            "See to it that the proxy refuses internal addresses.",
        )
    if config.delete_after_runs() == 1 and config.delete_max_share() >= 1:
        yield Finding(
            WARNING,
            "settings",
            "One run that misses many records deletes all their datasets without asking "
            "(delete.after_runs = 1, delete.max_share = 1).",
            f"Set {config.PREFIX}delete.after_runs to 2 or {config.PREFIX}delete.max_share to 0.2.",
        )
    if tk.asbool(tk.config.get("ckan.search.solr_commit", True)):
        yield Finding(
            INFO,
            "settings",
            "CKAN asks Solr for a commit after each dataset, which makes a first harvest slow.",
            "Set ckan.search.solr_commit = false, and a soft commit of a second in Solr.",
            SETTINGS if _commits_by_itself() else "",
        )


def better_settings() -> Iterator[str]:
    """Yield lines for the ini, "key = value", that fix findings of ``settings``."""
    if tk.asbool(tk.config.get("ckan.search.solr_commit", True)) and _commits_by_itself():
        yield "ckan.search.solr_commit = false"


def _commits_by_itself() -> bool:
    """Tell whether Solr shows changes within some seconds without being asked to commit."""
    try:
        settings = _ask_solr("config/updateHandler")["config"]["updateHandler"]
        most = settings["autoSoftCommit"]["maxTime"]
    except Exception:  # noqa: BLE001 - then it is not known
        return False
    return 0 < int(most) <= SOFT_COMMIT_MILLISECONDS


@check("patches", "No bug of another package had to be worked around.")
def patches() -> Iterator[Finding]:
    """List what is replaced in other packages, and what of it was never tested."""
    for name, untested in compat.applied_patches.items():
        yield Finding(INFO, "patches", f"Replaced at load: {name}.")
        for function in untested:
            yield Finding(
                WARNING,
                "patches",
                f"{function} was replaced ({name}), and is not as in the versions tested.",
                USE_TESTED,
            )
    for name, untested in compat.omitted_patches.items():
        for function in untested:
            yield Finding(
                WARNING,
                "patches",
                f"{function} is not as in the versions tested, so that {name} was not applied:"
                " imports take longer.",
                USE_TESTED,
            )


USE_TESTED = "Use versions of CKAN and ckanext-harvest that ckanext-ukharvest was tested with."


@check("migrations", "The tables are those of the installed versions.", is_quick=True)
def migrations() -> Iterator[Finding]:
    """Check that the tables match the installed code."""
    for name in ("harvest", "ukharvest"):
        heads, versions = _heads(name), _versions(name)
        if versions != heads:
            to_do = f"Run 'ckan db upgrade -p {name}', then restart web servers and consumers."
            if name == "ukharvest" and (state := database.state_of(versions)) in EXPLAINED:
                to_do = database.TEXTS[state]
            elif name == "ukharvest" and database.is_unversioned(model.Session.connection()):
                to_do = database.UNVERSIONED
            yield Finding(
                ERROR,
                "migrations",
                f"The tables of {name!r} are at version "
                f"{', '.join(sorted(versions)) or 'none'}; the installed code needs "
                f"{', '.join(sorted(heads))}.",
                to_do,
            )


def _heads(name: str) -> set[str]:
    file = Path(inspect.getsourcefile(type(p.get_plugin(name))) or "")
    folder = next(parent for parent in file.parents if (parent / "migration" / name).is_dir())
    alembic = Config()
    alembic.set_main_option("script_location", str(folder / "migration" / name).replace("%", "%%"))
    return set(ScriptDirectory.from_config(alembic).get_heads())


def _versions(name: str) -> set[str]:
    table = sa.table(f"{name}_alembic_version", sa.column("version_num"))
    if not sa.inspect(model.meta.engine).has_table(table.name):
        return set()
    return set(model.Session.scalars(sa.select(table.c.version_num)))


@check("redis", "The queue answers.", is_quick=True)
def redis_queue() -> Iterator[Finding]:
    """Check the queue's server with one request."""
    engine = tk.config.get("ckan.harvest.mq.type") or queue.MQ_TYPE
    if engine in RABBITMQ:
        advice = "Start it, or set ckan.harvest.mq.hostname and .port to where it is."
        try:
            queue.get_connection().close()
        except ValueError as exc:  # pika is not installed
            yield Finding(ERROR, "rabbitmq", f"{exc}.", "pip install pika")
        except Exception as exc:  # noqa: BLE001 - whatever pika raises, it is the answer
            yield Finding(ERROR, "rabbitmq", f"RabbitMQ does not answer: {exc!r}.", advice)
        return
    if engine != "redis":
        yield Finding(
            WARNING,
            "redis",
            f"ckan.harvest.mq.type is {engine!r}, which ckanext-harvest does not have.",
            "Set ckan.harvest.mq.type = redis, or amqp for RabbitMQ.",
        )
        return
    try:
        queue.get_connection_redis().ping()
    except redis.RedisError as exc:
        yield Finding(
            ERROR,
            "redis",
            f"Redis does not answer: {exc}.",
            "Start it, or set ckan.redis.url to where it is.",
        )


@check("solr", "Solr answers and has the fields that are needed.", is_quick=True)
def solr() -> Iterator[Finding]:
    """Check the search server and its fields."""
    try:
        fields = {field["name"] for field in _ask_solr("schema/fields")["fields"]}
    except Exception as exc:  # noqa: BLE001 - pysolr raises whatever its transport raises
        yield Finding(
            ERROR,
            "solr",
            f"Solr does not answer: {' '.join(str(exc).split())[:300]}.",
            "Start it, or set solr_url to where it is.",
        )
        return
    try:
        search.check_solr_schema_version()
    except search.SearchError as exc:
        yield Finding(
            ERROR, "solr", str(exc), "Use the Solr image or schema of your CKAN version, reindex."
        )
    if p.plugin_loaded("spatial_query"):
        backend = tk.config.get("ckanext.spatial.search_backend") or "solr-bbox"
        missing = SPATIAL_FIELDS.get(backend, set()) - fields
        if missing:
            yield Finding(
                ERROR,
                "solr",
                f"Solr lacks the fields {', '.join(sorted(missing))} of ckanext-spatial's search "
                f"backend {backend}.",
                "Add them to Solr's schema as ckanext-spatial's documentation says, then reindex.",
            )


def _ask_solr(path: str) -> Any:
    connection = search.make_connection()
    connection.timeout = PROBE_SECONDS
    return json.loads(connection._send_request("get", f"{path}?wt=json"))


@check("vocabularies", "The portal's own lists of values can be used.", is_quick=True)
def own_lists() -> Iterator[Finding]:
    """Find files that cannot be used, and a missing folder."""
    folder = vocabulary.folder()
    if folder is not None and not folder.is_dir():
        yield Finding(
            WARNING,
            "vocabularies",
            f"{config.PREFIX}vocabularies is {folder}, which is no folder here.",
            "Make it, or take the setting away.",
        )
    for name, fault in vocabulary.faults().items():
        yield Finding(
            ERROR,
            "vocabularies",
            f"The portal's own list {name} is not used: {fault}.",
            f"Correct {name}.csv, or delete it to go back to the list of this extension.",
        )
