"""Call plugins of other extensions, and ckanext-dcat's profiles, for a record.

Hooks of stock harvesters are called as ``stock_hooks`` says.
"""

from __future__ import annotations

import contextlib
import copy
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import sqlalchemy as sa
from ckan import model
from ckan import plugins as p

from ckanext.ukharvest import source_types, write_batch
from ckanext.ukharvest.core.errors import ConfigError, HookFailed, SkipRecord, UkharvestError
from ckanext.ukharvest.core.fingerprint import is_triples
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import (
    DatasetRecord,
    Problem,
    RawRecord,
    ResourceTranslation,
    Translation,
    extra_values,
)
from ckanext.ukharvest.core.values.languages import language_code
from ckanext.ukharvest.core.values.text import one_line
from ckanext.ukharvest.harvest.consumers.failures import failing_service
from ckanext.ukharvest.harvest.hooks.stock_hooks import Emptied, StockDataset, hooks_of
from ckanext.ukharvest.interfaces import (
    JSON,
    NTRIPLES,
    XML,
    HarvestedRecord,
    IUkHarvest,
    IUkHarvestTranslations,
    RawContent,
    SourceFacts,
)
from ckanext.ukharvest.mapping.package_mapper import main_language
from ckanext.ukharvest.reading.record_classifier import MAX_GUID
from ckanext.ukharvest.source_types.source_type import PORTAL

log = logging.getLogger(__name__)

_LISTS = ("extras", "resources", "tags", "groups")


def hook_versions(source_type: str, own_type: str = "") -> list[list[str]]:
    """Return name and version of each hook of a type, in their order; [] if there is none.

    Raises:
        HookFailed: a plugin does not say its version, or a stock hook cannot be used.
    """
    versions = [[hook.name, hook.interface] for hook in hooks_of(source_type, own_type)]
    for plugin in p.PluginImplementations(IUkHarvest):
        try:
            versions.append([plugin.name, str(plugin.dataset_hook_version())])
        except Exception as exc:
            log.exception("Plugin %r failed to say its version", plugin.name)
            raise _failure(plugin, exc) from exc
    return versions


def change_dataset(
    record: DatasetRecord,
    raw: RawRecord,
    source: SourceFacts,
    package: dict[str, Any],
    stock: StockDataset,
) -> frozenset[str]:
    """Let each plugin change a package dict in place; first those with hooks of stock harvesters.

    Args:
        raw: what the record was parsed from.
        stock: the dataset as these get it.

    Returns:
        Names of the fields and extras that they changed, added or removed.

    Raises:
        SkipRecord: a plugin skips the record.
        Emptied: a stock hook leaves the existing dataset as it is.
        HookFailed: a plugin failed, or left no package dict behind.
    """
    plugins = list(p.PluginImplementations(IUkHarvest))
    if not plugins and not stock.hooks:
        return frozenset()
    before, own = copy.deepcopy(_values(package)), _with_raw(record, raw)
    if stock.hooks:
        _call_stock(own, package, stock)
    for plugin in plugins:
        with _naming(plugin, record):
            with _in_hook():
                answer = plugin.before_dataset_save(own, source, package)
            _check(answer, package)
            package.pop("id", None)  # CKAN's own
    after = _values(package)
    names = before.keys() | after.keys()
    return frozenset(name for name in names if before.get(name) != after.get(name))


def _call_stock(record: HarvestedRecord, package: dict[str, Any], stock: StockDataset) -> None:
    with _naming(stock.hooks[0], record):
        stock.open(record, package)
    for hook in stock.hooks:
        with _naming(hook, record), _in_hook():
            stock.call(hook)
    with _naming(hook, record):
        stock.close(package)
        _check(None, package)


def end_dataset(
    record: DatasetRecord, package: Mapping[str, Any], stock: StockDataset, package_id: str
) -> None:
    """Call stock hooks after a dataset was saved, before the commit.

    Raises:
        HookFailed: one failed, or returned an error.
    """
    for hook in stock.hooks:
        with _naming(hook, record):
            stock.end(hook, package, package_id)


def plugins_with(method: str) -> list[Any]:
    """Return the plugins of ``IUkHarvest`` that have a method of their own of this name."""
    usual = getattr(IUkHarvest, method)
    plugins = p.PluginImplementations(IUkHarvest)
    return [plugin for plugin in plugins if getattr(type(plugin), method, usual) is not usual]


def record_guid(record: DatasetRecord, raw: RawRecord, source: SourceFacts) -> str:
    """Return the identity that a plugin gives a record, "" for none.

    Raises:
        SkipRecord: a plugin skips the record.
        HookFailed: a plugin failed, or returned something else.
    """
    for plugin in plugins_with("record_guid"):
        with _naming(plugin, record):
            guid = plugin.record_guid(_with_raw(record, raw), source)
            if not isinstance(guid, str) or len(guid) > MAX_GUID:
                raise TypeError(f"{guid!r} is no identifier")
        if guid:
            return guid
    return ""


@contextlib.contextmanager
def _naming(plugin: Any, record: DatasetRecord) -> Iterator[None]:
    """Name the plugin in what its hook raises in the block.

    Raises:
        SkipRecord: the plugin skips the record.
        HookFailed: it failed.
    """
    try:
        yield
    except SkipRecord as exc:
        raise SkipRecord(f"{plugin.name}: {exc.message}") from exc
    except Emptied:
        raise
    except Exception as exc:
        # The database is down, not the plugin: all records wait.
        if failing_service(exc) or isinstance(exc, sa.exc.OperationalError):
            raise
        log.exception("The hook of plugin %r failed for %r", plugin.name, record.guid)
        raise _failure(plugin, exc) from exc


def _with_raw(record: DatasetRecord, raw: RawRecord) -> HarvestedRecord:
    """Return a record as hooks get it."""
    content = raw.content or ""
    own = {field.name: getattr(record, field.name) for field in fields(DatasetRecord)}
    return HarvestedRecord(**own, raw=RawContent(content, _media_type(content), raw.url))


def _media_type(content: str) -> str:
    if is_triples(content):
        return NTRIPLES
    return JSON if content.lstrip()[:1] in ("{", "[") else XML


def _values(package: Mapping[str, Any]) -> dict[str, Any]:
    return {**package, **extra_values(package)}


@contextlib.contextmanager
def _in_hook() -> Iterator[None]:
    """Mark the block as a hook's, if this is a trial.

    Raises:
        CommitRefused: the hook has committed, also if it caught what that raised.
    """
    batch = write_batch.current()
    if batch is None or not batch.is_trial:
        yield
        return
    batch.has_committed = False
    batch.hook_savepoint = model.Session().get_nested_transaction()
    try:
        yield
    finally:
        batch.hook_savepoint = None
    if batch.has_committed:
        raise write_batch.CommitRefused


def _failure(plugin: Any, exc: Exception) -> HookFailed:
    # The text of other exceptions is not written for publishers.
    reason = exc.message if isinstance(exc, UkharvestError) else type(exc).__name__
    return HookFailed(
        f"the plugin {plugin.name} of this portal failed ({one_line(reason)}); the portal's log has"
        " the details"
    )


def _check(result: Any, package: dict[str, Any]) -> None:
    """Check what a plugin left behind.

    Raises:
        TypeError: it returned another dict, or a list of the dict has another form.
    """
    if result is not None and result is not package:
        raise TypeError("before_dataset_save has to change the dict in place and return None")
    for key in _LISTS:
        rows = package.get(key, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise TypeError(f"{key} is no list of dicts")
    extras = package.setdefault("extras", [])
    package.setdefault("resources", [])
    keys = {str(extra["key"]) for extra in extras if extra.get("key") and "value" in extra}
    if len(keys) != len(extras):
        raise TypeError("extras need a key and a value each, and no key twice")
    if not all(group.get("name") for group in package.get("groups", [])):
        raise TypeError("groups need a name each")


OPTION = "profiles"


def check_profiles(names: Sequence[str]) -> None:
    """Check that the profiles are installed.

    Raises:
        ConfigError: ckanext-dcat or a profile is not installed.
    """
    _parser(names)


def read_by_profiles(
    content: str, names: Sequence[str]
) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """Return the dataset dict that the profiles make from a record's N-Triples, and problems.

    If a profile fails, the dict is empty and there is a problem; the record is still imported.

    Raises:
        ConfigError: see ``check``.
    """
    parser = _parser(names)
    try:
        parser.parse(content, _format="nt")
        return next(iter(parser.datasets()), {}), ()
    except Exception as exc:  # noqa: BLE001 - profiles are other people's code
        log.exception("The profiles %s failed", ", ".join(names))
        message = (
            f"{OPTION}: {', '.join(names)} could not read this dataset ({type(exc).__name__});"
            " the portal's log has the details"
        )
        return {}, (Problem("profile-failed", OPTION, message),)


def _parser(names: Sequence[str]) -> Any:
    try:
        from ckanext.dcat.processors import RDFParser, RDFProfileException
    except ImportError as exc:
        raise ConfigError(
            f"{OPTION}: needs the package ckanext-dcat, which is not installed on this portal",
            field=OPTION,
        ) from exc
    try:
        return RDFParser(profiles=list(names))
    except RDFProfileException as exc:
        raise ConfigError(
            f"{OPTION}: {exc}; expected names of ckanext-dcat's profiles, such as euro_dcat_ap_3",
            field=OPTION,
        ) from exc


Declared = TypeVar("Declared")
Texts = TypeVar("Texts", Translation, ResourceTranslation)


def with_plugins_translations(record: DatasetRecord) -> DatasetRecord:
    """Return the record with what plugins of ``IUkHarvestTranslations`` add to it.

    A plugin that fails adds nothing: the record gets a problem and is imported.
    """
    for plugin in p.PluginImplementations(IUkHarvestTranslations):
        try:
            record = _translated(plugin, record)
        except Exception as exc:  # noqa: BLE001 - plugins are other people's code
            log.exception("Plugin %r failed to translate %r", plugin.name, record.guid)
            message = (
                f"translation: the plugin {plugin.name} failed ({type(exc).__name__}); the dataset"
                " is imported without its translations, and the portal's log has the details"
            )
            problem = Problem("translation-failed", "translation", message)
            record = replace(record, problems=(*record.problems, problem))
    return record


def _translated(plugin: Any, record: DatasetRecord) -> DatasetRecord:
    added = _checked(plugin.dataset_translations(record), Translation)
    resources = tuple(
        replace(file, translations=_merged(file.translations, more, main_language(record)))
        if (more := _checked(plugin.resource_translations(record, file), ResourceTranslation))
        else file
        for file in record.resources
    )
    if not added and resources == record.resources:
        return record
    merged = _merged(record.translations, added, main_language(record))
    return replace(record, translations=merged, resources=resources)


def _checked(answer: Any, kind: type[Texts]) -> Mapping[str, Texts]:
    """Return a plugin's answer by language code.

    Raises:
        TypeError: it has another form.
    """
    if not isinstance(answer, Mapping):
        raise TypeError(f"{answer!r} is no mapping of languages")
    for key, texts in answer.items():
        if not language_code(str(key)) or not isinstance(texts, kind):
            raise TypeError(f"{key!r}: {texts!r} is no {kind.__name__}")
        for field in fields(kind):
            _check_value(getattr(texts, field.name), is_list=field.name == "tags")
    return {language_code(str(key)): texts for key, texts in answer.items()}


def _check_value(value: object, *, is_list: bool) -> None:
    values = value if is_list else (value,)
    if not isinstance(values, tuple) or not all(isinstance(text, str) for text in values):
        raise TypeError(f"{value!r} is no {'tuple of tags' if is_list else 'text'}")


def _merged(own: Mapping[str, Texts], added: Mapping[str, Texts], main: str) -> dict[str, Texts]:
    """Return the translations with those added; the source's own texts stay."""
    merged = dict(own)
    for code, texts in added.items():
        if code != main:
            before = own.get(code, texts)
            names = [field.name for field in fields(texts) if not getattr(before, field.name)]
            merged[code] = replace(before, **{name: getattr(texts, name) for name in names})
    return merged


def register_types() -> None:
    """Let the source types have the names and options that plugins declare while they are loaded.

    A plugin that fails adds nothing: sources that need what it declares then fail with an unknown
    option, so that nothing is imported by wrong rules.
    """
    PORTAL.aliases, PORTAL.titles = load_type_aliases, load_type_titles
    PORTAL.options = load_hook_options


def load_type_aliases() -> dict[str, str]:
    """Return the portal's own name of a type → the name of ours that reads it."""
    static = {alias: kind.name for kind in source_types.TYPES.values() for alias in kind.aliases}
    aliases: dict[str, str] = {}
    for plugin, declared in _declared("source_type_aliases", _texts):
        for own, name in declared.items():
            ours = static.get(name, name)
            if ours not in source_types.TYPES or own in source_types.TYPES or own in static:
                log.error("Plugin %r: %r cannot be a name of the type %r", plugin, own, name)
            else:
                aliases.setdefault(own, ours)
    return aliases


def load_type_titles() -> dict[str, str]:
    """Return the portal's own name of a type → its title, of those that a plugin gives one."""
    titles: dict[str, str] = {}
    for _plugin, declared in _declared("source_type_titles", _texts):
        titles = {**declared, **titles}
    return titles


def load_hook_options(name: str) -> tuple[Option, ...]:
    """Return the options that plugins declare for a type, by its own name or ours."""
    options = []
    for plugin, declared in _declared("source_options", tuple, name):
        for option in declared:
            if isinstance(option, Option):
                options.append(option)
            else:
                log.error("Plugin %r: %r is no Option", plugin, option)
    return tuple(options)


def _texts(declared: Any) -> dict[str, str]:
    return {str(own): str(text) for own, text in dict(declared).items()}


def _declared(
    method: str, convert: Callable[[Any], Declared], *args: str
) -> Iterator[tuple[str, Declared]]:
    """Yield each plugin's name and what it declares; one that fails declares nothing."""
    for plugin in p.PluginImplementations(IUkHarvest):
        try:
            declared = convert(getattr(plugin, method)(*args) or ())
        except Exception:
            log.exception("Plugin %r failed in %s", plugin.name, method)
        else:
            yield plugin.name, declared
