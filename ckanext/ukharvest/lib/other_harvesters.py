"""Find plugins with hooks of other harvesters, which our harvesters never call.

Plugins that are installed but off count too: those of other harvesters are taken out of
``ckan.plugins`` when their sources are adopted. Their code is read, not imported.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Collection, Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, NamedTuple

from ckan import plugins as p

from ckanext.ukharvest.harvest.database import group_pairs
from ckanext.ukharvest.interfaces import IUkHarvest

# What to write instead is in docs/migrating.md, under this heading.
HEADING = "Hooks of your own extensions"

_INTERFACES = ("ISpatialHarvester", "IDCATRDFHarvester")
_SAVE = (
    "write a plugin of IUkHarvest with before_dataset_save instead, as docs/migrating.md says "
    f"under “{HEADING}”"
)
_READ = "write a source type of your own instead, as docs/developing/source-types.md says"
_VALIDATE = "choose the option validation of the source instead"
_USER = "set ckanext.harvest.user_name instead"
_LINK = "remove it: pages of records link to the URL that each was read from"
# Methods that subclasses of the harvesters of ckanext-harvest, -spatial and -dcat override, and
# what to do instead.
_OF_DATASETS = {
    "modify_package_dict": _SAVE,
    "get_package_dict": _SAVE,
    "_get_package_dict": _SAVE,
    "transform_to_iso": _READ,
    "_get_guids_and_datasets": _READ,
    "_get_content": _READ,
    "_get_content_as_unicode": _READ,
    "_get_content_and_type": _READ,
    "_get_validator": _VALIDATE,
    "_validate_document": _VALIDATE,
    "_get_user_name": _USER,
    "get_original_url": _LINK,
}
# These too where the harvester has them itself: a subclass of another one has to define them.
_STAGES = {
    "gather_stage": _READ,
    "fetch_stage": _READ,
    "import_stage": _SAVE,
    "validate_config": _READ,
}
_INSTEAD = {**dict.fromkeys(_INTERFACES, _SAVE), **_OF_DATASETS, **_STAGES}
_BASES = ("SpatialHarvester", "GeminiHarvester", "DCATHarvester")
_HARVESTERS = (
    *("CKANHarvester", "CSWHarvester", "WAFHarvester", "DocHarvester", "GeminiCswHarvester"),
    *("GeminiDocHarvester", "GeminiWafHarvester", "DCATRDFHarvester", "DCATJSONHarvester"),
)
# Their plugins and base classes define the hooks.
_STOCK = ("ckan", "ckanext.harvest", "ckanext.spatial", "ckanext.dcat", "ckanext.ukharvest")
_STOCK_DISTRIBUTIONS = tuple(package.replace(".", "-") for package in _STOCK)


class UncalledHook(NamedTuple):
    """A hook that no harvester of ours calls.

    Attributes:
        plugin: name of the plugin, as in ``ckan.plugins``.
        hooks: names of the interfaces and methods, sorted.
        is_on: the plugin is in ``ckan.plugins``.
    """

    plugin: str
    hooks: tuple[str, ...]
    is_on: bool


def find_uncalled_hooks() -> list[UncalledHook]:
    """Return the installed plugins with such hooks, by name.

    Without those of a distribution that has a plugin of ``IUkHarvest`` on: it was changed already.
    """
    changed = {_package(type(plugin).__module__) for plugin in p.PluginImplementations(IUkHarvest)}
    uncalled = []
    for point in entry_points(group="ckan.plugins"):
        owner = point.dist.name.replace("_", "-").lower() if point.dist else ""
        is_left_out = owner in _STOCK_DISTRIBUTIONS or _package(point.module) in changed
        if not is_left_out and (hooks := _hooks(point)):
            uncalled.append(UncalledHook(point.name, hooks, p.plugin_loaded(point.name)))
    return sorted(set(uncalled))


def instead(hooks: tuple[str, ...]) -> str:
    """Return what to write instead, in English: a sentence for each way."""
    ways = group_pairs((_INSTEAD[name], name) for name in hooks)
    return " ".join(
        f"Our harvesters do not call {' and '.join(names)}: {way}." for way, names in ways.items()
    )


def _package(module: str) -> str:
    """Return the extension that a module belongs to: ``ckanext.name``, or its first part."""
    parts = module.split(".")
    return ".".join(parts[:2] if parts[0] == "ckanext" else parts[:1])


def _is_stock(module: str) -> bool:
    return any(f"{module}.".startswith(f"{package}.") for package in _STOCK)


def _hooks(point: EntryPoint) -> tuple[str, ...]:
    seen: set[tuple[str, str]] = set()
    nodes = list(_classes(point.module, point.attr, seen))
    stock = {name for module, name in seen if _is_stock(module)}
    methods = {
        *(_OF_DATASETS if stock.intersection((*_BASES, *_HARVESTERS)) else ()),
        *(_STAGES if stock.intersection(_HARVESTERS) else ()),
    }
    return tuple(sorted({name for node in nodes for name in _hooks_of(node, methods)}))


def _hooks_of(node: ast.ClassDef, methods: Collection[str]) -> Iterator[str]:
    """Yield the hooks in a class's own body: interfaces, and those of ``methods``."""
    yield from (name for base in node.bases if (name := _last(base)) in _INTERFACES)
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name in methods:
            yield part.name
        call = part.value if isinstance(part, ast.Expr) else None
        if isinstance(call, ast.Call) and _last(call.func) == "implements":
            yield from (name for arg in call.args[:1] if (name := _last(arg)) in _INTERFACES)


def _last(node: ast.expr) -> str:
    """Return the last part of a dotted name, "" of anything else."""
    return getattr(node, "attr", "") or getattr(node, "id", "")


def _classes(module: str, name: str, seen: set[tuple[str, str]]) -> Iterator[ast.ClassDef]:
    """Yield the definition of a class, and those of its bases outside the stock packages.

    Args:
        seen: gets the module and name of each class, of the stock packages too.
    """
    if (module, name) in seen:
        return
    seen.add((module, name))
    if _is_stock(module):
        return
    tree, imported = _module(module)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            yield node
            for base in node.bases:
                if isinstance(base, ast.Name):
                    yield from _classes(*imported.get(base.id, (module, base.id)), seen)
                elif isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name):
                    parent, member = imported.get(base.value.id, ("", ""))
                    yield from _classes(f"{parent}.{member}".strip("."), base.attr, seen)
            return
    if name in imported:
        yield from _classes(*imported[name], seen)


def _module(name: str) -> tuple[ast.Module, dict[str, tuple[str, str]]]:
    """Return a module's code, and the names that it imports: name → module and name there.

    The name is "" for a module. Both are empty if the code cannot be read. Imports only the
    packages that the module lies in.
    """
    try:
        spec: Any = importlib.util.find_spec(name)
        tree = ast.parse(Path(spec.origin).read_bytes())
        return tree, dict(_imported(tree, spec.parent))
    except Exception:  # noqa: BLE001 - whatever a package that cannot be imported raises
        return ast.Module([], []), {}


def _imported(tree: ast.Module, package: str) -> Iterator[tuple[str, tuple[str, str]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            origin = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            yield from ((name.asname or name.name, (origin, name.name)) for name in node.names)
        elif isinstance(node, ast.Import):
            for name in node.names:
                yield name.asname or name.name.partition(".")[0], (name.name, "")
