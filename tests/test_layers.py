"""The import rule: every module belongs to one floor, and imports nothing from above.

A module without a floor fails, and there is no exception.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import ckanext.ukharvest

OURS = "ckanext.ukharvest"
PACKAGE = Path(ckanext.ukharvest.__file__).parent
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)

# From the ground up: modules and folders of each floor. "" is the package itself.
FLOORS: tuple[tuple[str, ...], ...] = (
    ("",),
    ("core",),
    ("readers", "parsers"),
    ("source_types", "stock_options"),
    ("mapping",),
    ("reading",),
    ("schema_check",),
    ("fields", "presentation", "presentation.rendering"),
    ("check_command",),
    ("testing",),
    ("interfaces", "compat", "config", "dataset_schema"),
    ("model", "migration"),
    ("quality",),
    ("presentation.messages",),
    ("engine",),
    ("operations",),
    ("search",),
    ("logic",),
    ("web",),
    ("helpers", "views"),  # where CKAN's blankets look
    ("cli",),
    ("harvesters",),
    ("testing.portal",),
    ("patches",),
    ("plugin", "form"),
)
CKAN_FROM = FLOORS.index(("interfaces", "compat", "config", "dataset_schema"))
# On one floor, and neither imports the other.
APART = (("readers", "parsers"),)
CKAN = ("ckan", "ckanext.harvest", "ckanext.dcat", "ckanext.spatial", "flask", "sqlalchemy")


def _name(path: Path) -> str:
    """Return a module's dotted name inside the package: "core.http.client"."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_name(path): path for path in FILES}


@cache
def _imports(path: Path) -> list[str]:
    """Return the full names of imported modules and names."""
    return list(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _imports_of_ours(path: Path) -> Iterator[str]:
    """Return our own modules that a file imports from."""
    for name in _imports(path):
        if _is(name, OURS):
            found = name.removeprefix(OURS).removeprefix(".")
            while found not in MODULES and found:
                found = found.rpartition(".")[0]
            yield found


def _is(name: str, *modules: str) -> bool:
    return any(name == module or name.startswith(module + ".") for module in modules)


def _place(name: str) -> tuple[int, str]:
    """Return a module's floor, and its entry there."""
    places = [
        (len(entry), number, entry)
        for number, floor in enumerate(FLOORS)
        for entry in floor
        if _is(name, entry)
    ]
    assert places, f"{name} stands on no floor"
    _length, number, entry = max(places)
    return number, entry


def _ids(path: Path) -> str:
    return _name(path) or "package"


def test_each_entry_is_there() -> None:
    assert [entry for floor in FLOORS for entry in floor if entry not in MODULES] == ["migration"]


@pytest.mark.parametrize("path", FILES, ids=_ids)
def test_a_module_imports_nothing_from_above(path: Path) -> None:
    floor, entry = _place(_name(path))
    for name in _imports_of_ours(path):
        other, its_entry = _place(name)
        assert other <= floor, f"{name} stands above"
        is_beside = any(entry in pair and its_entry in pair for pair in APART)
        assert entry == its_entry or not is_beside, f"{name} stands beside"


@pytest.mark.parametrize("path", FILES, ids=_ids)
def test_ckan_is_imported_above_its_line_alone(path: Path) -> None:
    if _place(_name(path))[0] >= CKAN_FROM:
        return
    assert not [name for name in _imports(path) if _is(name, *CKAN)]


@pytest.mark.parametrize("path", FILES, ids=_ids)
def test_the_model_knows_neither_pages_nor_the_network(path: Path) -> None:
    """Stored text stays text, whatever a page makes of it (decision 0019)."""
    if not _is(_name(path), "model"):
        return
    values = f"{OURS}.core.http.timed_client"  # a type: measurements of a request
    found = [name for name in _imports(path) if not _is(name, values)]
    assert not [n for n in found if _is(n, f"{OURS}.presentation", f"{OURS}.core.http")]


MODEL = ("sqlalchemy", "ckan.model", "ckanext.harvest.model", f"{OURS}.model")


@pytest.mark.parametrize("path", FILES, ids=_ids)
def test_pages_read_through_logic(path: Path) -> None:
    if _is(_name(path), "web"):
        assert not [name for name in _imports(path) if _is(name, *MODEL)]


@pytest.mark.parametrize("path", FILES, ids=_ids)
def test_the_plugin_alone_imports_the_patches(path: Path) -> None:
    if _name(path) == "plugin" or _is(_name(path), "patches"):
        return
    assert not [name for name in _imports(path) if _is(name, f"{OURS}.patches")]


@pytest.mark.parametrize("path", FILES, ids=_ids)
def test_a_source_type_is_declared_and_nothing_imports_its_plugin(path: Path) -> None:
    if _is(_name(path), "harvesters"):
        return
    assert not [name for name in _imports(path) if _is(name, f"{OURS}.harvesters")]


NETWORK = ("requests", "urllib3", "urllib.request", "http.client", "httpx", "socket", "ssl") + (
    "owslib",
    "sickle",
)


@pytest.mark.parametrize("path", FILES, ids=_ids)
def test_there_is_one_door_to_the_network(path: Path) -> None:
    # A publisher for tests serves and requests nothing.
    if _is(_name(path), "core.http") or _name(path) == "testing.publisher":
        return
    assert not [name for name in _imports(path) if _is(name, *NETWORK)]


@pytest.mark.parametrize("path", FILES, ids=_ids)
def test_xml_is_parsed_in_one_place(path: Path) -> None:
    if _name(path) == "core.xml.parser":
        return
    parsers = {"fromstring", "parse", "iterparse", "XML", "XMLParser", "HTMLParser", "iterwalk"}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            assert not (node.value.id in {"etree", "ET", "lxml"} and node.attr in parsers), (
                node.attr
            )
    assert not [name for name in _imports(path) if _is(name, "xml", "lxml.html", "bs4")]
