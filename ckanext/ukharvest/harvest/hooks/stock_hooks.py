"""Call hooks that were written for stock harvesters, with what these gave them.

``ISpatialHarvester.get_package_dict`` of ckanext-spatial, ``IDCATRDFHarvester`` of ckanext-dcat,
and ``modify_package_dict`` of classes that the setting ``ckanext.ukharvest.hooks`` names.

A hook gets the dataset as its harvester made it of the same content: with that one's fields and
extras beside ours. What it changes is then changed in ours; what it leaves alone stays ours.
"""

from __future__ import annotations

import copy
import functools
import importlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ckan import model
from ckan import plugins as p
from ckan.lib.munge import munge_title_to_name
from ckan.lib.plugins import lookup_package_plugin
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource
from sqlalchemy.orm.attributes import set_committed_value

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.core.errors import HookFailed, SkipRecord
from ckanext.ukharvest.core.records import extra_values
from ckanext.ukharvest.interfaces import HarvestedRecord, IUkHarvest, SourceFacts

try:
    from ckanext.dcat.interfaces import IDCATRDFHarvester
except ImportError:
    IDCATRDFHarvester = None
try:
    from ckanext.spatial.interfaces import ISpatialHarvester
except ImportError:
    ISpatialHarvester = None

RDF, JSON_CATALOGUE, CKAN = "dcat_rdf", "data_json", "ckan"
ISO = ("gemini-csw", "gemini-single", "gemini-waf")
# Interface → its methods that are called.
CALLED: Mapping[str, tuple[str, ...]] = {
    "ISpatialHarvester": ("get_package_dict",),
    "IDCATRDFHarvester": (
        *("before_create", "before_update", "after_create", "after_update"),
        *("update_package_schema_for_create", "update_package_schema_for_update"),
    ),
}
METHOD = "modify_package_dict"
# Of these the source or a person decides: hooks get, and may change, ours.
_OURS = ("groups", "name", "owner_org", "private", "type")
_PLACE = "__place"  # of a file among ours


class StockHook(NamedTuple):
    """A plugin, or an instance of a named class, with its name in messages."""

    name: str
    plugin: Any
    interface: str


class Emptied(Exception):
    """A hook left nothing of an existing dataset, which then stays as it is."""


def hooks_of(source_type: str, own_type: str = "") -> list[StockHook]:
    """Return the stock hooks that are called for sources of a type, in the order of their calls.

    Raises:
        HookFailed: a class that the setting names cannot be used.
    """
    hooks = []
    for name in config.hook_classes():
        harvester = _harvester(name)
        theirs = str(harvester.info()["name"])
        kind = source_types.find(theirs)
        is_its = theirs == own_type or (not own_type and kind and kind.name == source_type)
        if is_its and source_type in (RDF, JSON_CATALOGUE, CKAN):
            hooks.append(StockHook(name, harvester, METHOD))
    if source_type in ISO:
        hooks += _implementations(ISpatialHarvester)
    elif source_type == RDF:
        hooks += _implementations(IDCATRDFHarvester)
    return hooks


def _implementations(interface: Any) -> Iterator[StockHook]:
    if interface is None:
        return
    for plugin in p.PluginImplementations(interface):
        names = CALLED[interface.__name__]
        is_own = any(
            getattr(type(plugin), name, None) not in (None, getattr(interface, name))
            for name in names
        )
        if is_own and not is_ported(type(plugin).__module__):
            yield StockHook(plugin.name, plugin, interface.__name__)


def is_ported(module: str) -> bool:
    """Tell whether the extension of a module has ``before_dataset_save`` instead of stock hooks."""
    usual = IUkHarvest.before_dataset_save
    return any(
        extension_of(type(plugin).__module__) == extension_of(module)
        and getattr(type(plugin), "before_dataset_save", usual) is not usual
        for plugin in p.PluginImplementations(IUkHarvest)
    )


def extension_of(module: str) -> str:
    """Return the extension that a module belongs to: ``ckanext.name``, or its first part."""
    parts = module.split(".")
    return ".".join(parts[:2] if parts[0] == "ckanext" else parts[:1])


@functools.cache
def _harvester(name: str) -> Any:
    """Return an instance of a class of the setting.

    Raises:
        HookFailed: it cannot be made.
    """
    module, _colon, class_name = name.partition(":")
    try:
        return _instance(getattr(importlib.import_module(module), class_name))
    except Exception as exc:
        raise HookFailed(
            f"ckanext.ukharvest.hooks: “{name}” cannot be used ({type(exc).__name__}: {exc});"
            " expected module:Class of a harvester that is installed"
        ) from exc


def _instance(harvester: type) -> Any:
    """Return an instance of a harvester's class of its own.

    CKAN's constructor returns that of a parent class if there is one, and keeps ours for others.
    """
    return object.__new__(harvester)


class StockDataset:
    """One dataset as stock hooks get it.

    Args:
        existing: the dataset as ``package_show`` returns it, None if it is new.
        job_id, object_id: of the run's record; "" in a trial.
    """

    def __init__(
        self,
        source: SourceFacts,
        existing: Mapping[str, Any] | None,
        *,
        job_id: str = "",
        object_id: str = "",
    ) -> None:
        self.hooks = hooks_of(source.type, source.own_type)
        self._source, self._existing = source, existing
        self._ids = job_id, object_id
        self._object: Any = None
        self._dcat_dict: Any = {}
        self._iso_values: dict[str, Any] = {}
        self._xml_tree: Any = None
        self._shared: dict[str, Any] = {}  # among the hooks of ckanext-dcat
        self._before: dict[str, Any] = {}
        self._given: dict[str, Any] = {}

    def open(self, record: HarvestedRecord, package: Mapping[str, Any]) -> None:
        """Make what the hooks get of a record and the dataset that we made of it."""
        self._object = self._harvest_object(record)
        self._given = _overlay(package, self._stock_values(record, package))
        if self._existing:
            self._given |= {key: self._existing[key] for key in ("id", "name")}
        self._given.setdefault("name", record.name or munge_title_to_name(record.title))
        self._before = copy.deepcopy(self._given)

    def call(self, hook: StockHook) -> None:
        """Call one hook before the dataset is saved.

        Raises:
            SkipRecord: it leaves nothing of a new dataset.
            Emptied: it leaves nothing of an existing one.
        """
        given = self._given
        if hook.interface == METHOD:
            more = () if self._source.type == CKAN else (self._dcat_dict,)
            if self._source.type == CKAN:
                hook.plugin._set_config(self._object.source.config)
            answer = hook.plugin.modify_package_dict(given, *more, self._object)
        elif hook.interface == "ISpatialHarvester":
            context = {"model": model, "session": model.Session, "user": config.harvest_user()}
            answer = hook.plugin.get_package_dict(
                context,
                {
                    "package_dict": given,
                    "iso_values": self._iso_values,
                    "xml_tree": self._xml_tree,
                    "harvest_object": self._object,
                },
            )
        else:
            before = hook.plugin.before_update if self._existing else hook.plugin.before_create
            before(self._object, given, self._shared)
            answer = given
        if not answer and self._existing:
            raise Emptied
        if not answer:
            raise SkipRecord("it left no dataset to save")
        self._given = answer

    def close(self, package: dict[str, Any]) -> None:
        """Change our dataset as the hooks changed theirs."""
        files = package["resources"], self._before["resources"]
        changed = _taken(package, self._before, self._given)
        changed["extras"] = _extras(
            _taken(*(extra_values(each) for each in (package, self._before, self._given)))
        )
        changed["resources"] = list(_files(self._given.get("resources", ()), *files))
        package.clear()
        package.update(changed)

    def end(self, hook: StockHook, package: Mapping[str, Any], package_id: str) -> None:
        """Call a hook of ckanext-dcat after its dataset was saved, in the same transaction.

        Raises:
            HookFailed: it returned an error.
        """
        if hook.interface == "IDCATRDFHarvester":
            after = hook.plugin.after_update if self._existing else hook.plugin.after_create
            if error := after(self._object, {**package, "id": package_id}, self._shared):
                raise HookFailed(str(error))

    def context(self) -> dict[str, Any]:
        """Return the context with the form's schema as hooks of ckanext-dcat change it.

        {} if there are none.
        """
        action = "update" if self._existing else "create"
        name = f"update_package_schema_for_{action}"
        plugins = [hook.plugin for hook in self.hooks if hook.interface == "IDCATRDFHarvester"]
        usual = getattr(IDCATRDFHarvester, name, None)
        own = [plugin for plugin in plugins if getattr(type(plugin), name, usual) is not usual]
        if not own:
            return {}
        schema = getattr(lookup_package_plugin("dataset"), f"{action}_package_schema")()
        for plugin in own:
            schema = getattr(plugin, name)(schema)
        return {"schema": schema}

    def _harvest_object(self, record: HarvestedRecord) -> Any:
        """Return an object outside the session: whatever a hook sets in it is not saved."""
        job_id, object_id = self._ids
        existing_id = str(self._existing["id"]) if self._existing else None
        own = HarvestObject(guid=record.guid, content=record.raw.content, package_id=existing_id)
        own.id = object_id or None
        own.harvest_source_id = self._source.id
        own.harvest_job_id = job_id or None
        session = model.Session
        for name, cls, id_ in (
            ("source", HarvestSource, self._source.id),
            ("job", HarvestJob, job_id),
            ("package", model.Package, existing_id),
        ):
            set_committed_value(own, name, session.get(cls, id_) if id_ else None)
        return own

    def _stock_values(self, record: HarvestedRecord, package: Mapping[str, Any]) -> dict[str, Any]:
        """Return the dataset that the stock harvester makes of a record."""
        type_ = self._source.type
        if type_ in ISO:
            return self._iso_dataset(record)
        if type_ == RDF:
            values = _rdf_dataset(record)
            self._object.content = json.dumps(values)
            return values
        tree = record.raw.tree
        if type_ == JSON_CATALOGUE:
            from ckanext.dcat.converters import dcat_to_ckan

            self._dcat_dict = tree
            return dict(dcat_to_ckan(tree))
        return {key: value for key, value in tree.items() if key not in package}

    def _iso_dataset(self, record: HarvestedRecord) -> dict[str, Any]:
        from ckanext.spatial.harvested_metadata import ISODocument
        from ckanext.spatial.harvesters.base import SpatialHarvester

        self._xml_tree = record.raw.tree
        self._iso_values = ISODocument(xml_tree=self._xml_tree).read_values()
        harvester = _instance(SpatialHarvester)
        harvester._save_object_error = lambda *_: None  # ours reports these
        harvester._is_wms = lambda _url: False  # which would use the network
        return dict(harvester.get_package_dict(self._iso_values, self._object))


def _rdf_dataset(record: HarvestedRecord) -> dict[str, Any]:
    """Return the dataset that ckanext-dcat's profiles of this portal make of a record."""
    from ckanext.dcat.processors import RDFParser

    parser = RDFParser()
    parser.g = record.raw.graph
    dataset = dict(next(iter(parser.datasets()), {}))
    dataset.setdefault("extras", []).append({"key": "guid", "value": record.guid})
    return dataset


def _overlay(ours: Mapping[str, Any], stock: Mapping[str, Any]) -> dict[str, Any]:
    """Return our dataset with a stock harvester's values where it has others."""
    own = {key: ours[key] for key in _OURS if key in ours}
    files = {file.get("url"): file for file in reversed(stock.get("resources") or ())}
    given = {
        **ours,
        **stock,
        **own,
        "extras": _extras({**extra_values(ours), **extra_values(stock)}),
        "resources": [
            {**file, **files.get(file.get("url"), {}), _PLACE: place}
            for place, file in enumerate(ours["resources"])
        ],
    }
    return copy.deepcopy(given)


def _extras(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value} for key, value in values.items()]


def _taken(
    ours: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any]
) -> dict[str, Any]:
    """Return our values, changed as ``before`` was to ``after``."""
    is_same = {key: key in before and before[key] == value for key, value in after.items()}
    return {
        key: ours[key] if same else after[key]
        for key, same in is_same.items()
        if not same or key in ours
    }


def _files(
    given: Iterable[Mapping[str, Any]],
    ours: Sequence[dict[str, Any]],
    before: Sequence[Mapping[str, Any]],
) -> Iterator[dict[str, Any]]:
    """Yield our files as the hooks changed theirs: the same dicts, whose match keys are known."""
    free = dict(enumerate(ours))
    for after in given:
        place = after.get(_PLACE, -1)
        file = free.pop(place, {})
        changed = _taken(file, before[place], after) if file else dict(after)
        changed.pop(_PLACE, None)
        file.clear()
        file.update(changed)
        yield file
