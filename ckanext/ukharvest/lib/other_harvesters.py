"""Find plugins with hooks of other harvesters that our harvesters do not call.

Those of ``harvest/hooks/stock_hooks.py`` are called if their plugin is on, or the setting names
their class. Plugins that are installed but off count too: those of other harvesters are taken out
of ``ckan.plugins`` when their sources are adopted. Their code is read, not imported.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, NamedTuple

from ckan import plugins as p

from ckanext.ukharvest import config
from ckanext.ukharvest.harvest.database import group_pairs
from ckanext.ukharvest.harvest.hooks.stock_hooks import METHOD, is_ported

# What to write instead is in docs/migrating.md, under this heading.
HEADING = "Hooks of your own extensions"

_SAVE = (
    "write a plugin of IUkHarvest with before_dataset_save instead, as docs/migrating.md says "
    f"under “{HEADING}”"
)
_READ = "write a source type of your own instead, as docs/developing/source-types.md says"
_VALIDATE = "choose the option validation of the source instead"
_USER = "set ckanext.harvest.user_name instead"
_ON = (
    "add the plugin to ckan.plugins, unless it harvests too, as then two would harvest its sources"
)
_NAME = (
    "name the class in ckanext.ukharvest.hooks, or write a plugin of IUkHarvest instead, as "
    f"docs/migrating.md says under “{HEADING}”"
)
_DOWNLOAD = "use a setting for what is sent, or write a source type of your own"
_LINK = "remove it: pages of records link to the URL that each was read from"
# Methods that subclasses of the harvesters of ckanext-harvest, -spatial and -dcat override, and
# what to do instead.
_OF_DATASETS = {
    METHOD: _NAME,
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
# Interface → its methods that are not called.
_UNCALLED = {
    "ISpatialHarvester": {"get_validators": _VALIDATE, "transform_to_iso": _READ},
    "IDCATRDFHarvester": {
        "before_download": _DOWNLOAD,
        "update_session": _DOWNLOAD,
        "after_download": _READ,
        "after_parsing": _READ,
    },
}
_INSTEAD = {
    **dict.fromkeys(_UNCALLED, _ON),
    **_OF_DATASETS,
    **_STAGES,
    **{name: way for ways in _UNCALLED.values() for name, way in ways.items()},
}
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

    Without those of an extension with ``before_dataset_save`` on: it was changed already.
    """
    uncalled = []
    for point in entry_points(group="ckan.plugins"):
        owner = point.dist.name.replace("_", "-").lower() if point.dist else ""
        if owner not in _STOCK_DISTRIBUTIONS and not is_ported(point.module):
            is_on = p.plugin_loaded(point.name)
            called = {METHOD} if point.value in config.hook_classes() else set()
            if hooks := tuple(name for name in _hooks(point, is_on=is_on) if name not in called):
                uncalled.append(UncalledHook(point.name, hooks, is_on))
    return sorted(set(uncalled))


def instead(hooks: tuple[str, ...]) -> str:
    """Return what to write instead, in English: a sentence for each way."""
    ways = group_pairs((_INSTEAD[name], name) for name in hooks)
    return " ".join(
        f"Our harvesters do not call {' and '.join(names)}: {way}." for way, names in ways.items()
    )


def _is_stock(module: str) -> bool:
    return any(f"{module}.".startswith(f"{package}.") for package in _STOCK)


def _hooks(point: EntryPoint, *, is_on: bool) -> tuple[str, ...]:
    seen: set[tuple[str, str]] = set()
    nodes = list(_classes(point.module, point.attr, seen))
    stock = {name for module, name in seen if _is_stock(module)}
    methods = {
        *(_OF_DATASETS if stock.intersection((*_BASES, *_HARVESTERS)) else ()),
        *(_STAGES if stock.intersection(_HARVESTERS) else ()),
    }
    interfaces = {name for node in nodes for name in _interfaces_of(node)}
    methods |= {name for interface in interfaces for name in _UNCALLED[interface]}
    own = {
        part.name
        for node in nodes
        for part in node.body
        if isinstance(part, ast.FunctionDef) and part.name in methods
    }
    return tuple(sorted(own if is_on else own | interfaces))


def _interfaces_of(node: ast.ClassDef) -> Iterator[str]:
    """Yield the interfaces of stock harvesters that a class's own body or bases name."""
    yield from (name for base in node.bases if (name := _last(base)) in _UNCALLED)
    for part in node.body:
        call = part.value if isinstance(part, ast.Expr) else None
        if isinstance(call, ast.Call) and _last(call.func) == "implements":
            yield from (name for arg in call.args[:1] if (name := _last(arg)) in _UNCALLED)


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
