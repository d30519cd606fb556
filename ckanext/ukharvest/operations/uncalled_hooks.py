"""Find plugins with hooks of other harvesters, which our harvesters never call.

Plugins that are installed but off count too: those of other harvesters are taken out of
``ckan.plugins`` when their sources are adopted. Their code is read, not imported.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import NamedTuple

import ckan.plugins as p

from ckanext.ukharvest.interfaces import IUkHarvest

# What to write instead is in docs/migrating.md, under this heading.
HEADING = "Hooks of your own extensions"

SPATIAL, DCAT, METHOD = "ISpatialHarvester", "IDCATRDFHarvester", "modify_package_dict"
# Their plugins and base classes define the hooks.
_STOCK = ("ckan", "ckanext.harvest", "ckanext.spatial", "ckanext.dcat", "ckanext.ukharvest")
_STOCK_DISTRIBUTIONS = tuple(each.replace(".", "-") for each in _STOCK)


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
    changed = {_package(type(each).__module__) for each in p.PluginImplementations(IUkHarvest)}
    found = {}
    for point in entry_points(group="ckan.plugins"):
        owner = point.dist.name.replace("_", "-").lower() if point.dist else ""
        if owner in _STOCK_DISTRIBUTIONS or _package(point.module) in changed:
            continue
        if hooks := _hooks(point):
            found[point.name] = UncalledHook(point.name, hooks, p.plugin_loaded(point.name))
    return [found[name] for name in sorted(found)]


def instead(hooks: tuple[str, ...]) -> str:
    """Return what to write instead, as a sentence in English."""
    names = " and ".join(hooks)
    return (
        f"Our harvesters do not call {names}: write a plugin of IUkHarvest with "
        f"before_dataset_save instead, as docs/migrating.md says under “{HEADING}”."
    )


def _package(module: str) -> str:
    """Return the extension that a module belongs to: ``ckanext.name``, or its first part."""
    parts = module.split(".")
    return ".".join(parts[:2] if parts[0] == "ckanext" else parts[:1])


def _is_stock(module: str) -> bool:
    return any(f"{module}.".startswith(f"{each}.") for each in _STOCK)


def _hooks(point: EntryPoint) -> tuple[str, ...]:
    names: set[str] = set()
    for node in _classes(point.module, point.attr, set()):
        names.update(_hooks_of(node))
    return tuple(sorted(names))


def _hooks_of(node: ast.ClassDef) -> Iterator[str]:
    """Yield the hooks in a class's own body."""
    yield from (name for base in node.bases if (name := _last(base)) in (SPATIAL, DCAT))
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name == METHOD:
            yield METHOD
        call = each.value if isinstance(each, ast.Expr) else None
        if isinstance(call, ast.Call) and _last(call.func) == "implements":
            yield from (name for arg in call.args[:1] if (name := _last(arg)) in (SPATIAL, DCAT))


def _last(node: ast.expr) -> str:
    """Return the last part of a dotted name, "" of anything else."""
    return getattr(node, "attr", "") or getattr(node, "id", "")


def _classes(module: str, name: str, seen: set[tuple[str, str]]) -> Iterator[ast.ClassDef]:
    """Yield the definition of a class, and those of its bases outside the stock packages."""
    if _is_stock(module) or (module, name) in seen:
        return
    seen.add((module, name))
    tree = _tree(module)
    imported = _imported(tree, module)
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


def _imported(tree: ast.Module, module: str) -> dict[str, tuple[str, str]]:
    """Return the names that a module imports: name → module and name there, "" for a module."""
    found = {}
    source = _source(module)
    is_package = source is not None and source.name == "__init__.py"
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            path = module.split(".")
            parent = path[: len(path) - node.level + is_package] if node.level else []
            origin = ".".join([*parent, *filter(None, [node.module])])
            for each in node.names:
                found[each.asname or each.name] = (origin, each.name)
        elif isinstance(node, ast.Import):
            for each in node.names:
                found[each.asname or each.name.partition(".")[0]] = (each.name, "")
    return found


def _tree(module: str) -> ast.Module:
    """Return the parsed source of a module, an empty one if it cannot be read."""
    source = _source(module)
    try:
        return ast.parse(source.read_bytes()) if source else ast.Module([], [])
    except (OSError, SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


def _source(module: str) -> Path | None:
    """Return the file of a module; imports only the packages that it lies in."""
    try:
        spec = importlib.util.find_spec(module) if module else None
    except Exception:  # noqa: BLE001 - a package that cannot be imported
        return None
    origin = spec.origin if spec else None
    return Path(origin) if origin and origin.endswith(".py") else None
