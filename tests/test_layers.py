"""The import rule of the design: who may know whom. No exception."""

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

# Layer → what of ours it may import: first part of the dotted name, "" for the package itself.
ALLOWED = {
    "core": {"core"},
    "readers": {"core", "readers"},
    "parsers": {"core", "parsers"},
    "links": {"core", "links"},
    "extent": {"core", "extent"},
    "fields": set(),
    "shown": {"core", "fields", "source_record", "shown"},
    "form_fields": {"core", "fields", "shown"},
    "source_record": {"core", "source_record"},
    "types": {"core", "readers", "parsers"},
    "check": {"", "core", "readers", "parsers", "types", "check"},
}
# What stands above, from the bottom: none of it may be known below.
FLOORS = ("model", "words", "portal", "mails", "logic", "pages", "helpers")
# Who may import CKAN: the four that are made for it, and CKAN's own kinds of file.
KNOWS_CKAN = {
    "mapper",
    "assessment",
    "search",
    "interfaces",
    "stars",
    "theming",
    "store",
    "compat",
    "link_job",
    "trial_job",
    "callbacks",
    "liveness",
    "sweeper",
    "harvesters",
    "model",
    "migration",
    "logic",
} | {
    "plugin",
    "config",
    "views",
    "pages",
    "helpers",
    "words",
    "mails",
    "form",
    "map_view",
    "portal",
    "cli",
    "doctor",
}
HARVESTERS_THAT_KNOW_CKAN = {"base", "run"}
CKAN = ("ckan", "ckanext.harvest", "ckanext.dcat", "ckanext.spatial", "flask", "sqlalchemy")


def _names(path: Path) -> list[str]:
    """A file's place in the package: ["core", "http"]."""
    return list(path.relative_to(PACKAGE).with_suffix("").parts)


@cache
def _imports(path: Path) -> list[str]:
    """Full names of the modules, or of what is taken from them."""
    return list(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _is(name: str, *modules: str) -> bool:
    return any(name == module or name.startswith(module + ".") for module in modules)


def _ids(path: Path) -> str:
    return "/".join(_names(path))


@pytest.mark.parametrize("path", FILES, ids=_ids)
def test_a_layer_imports_only_what_lies_below(path: Path) -> None:
    allowed = ALLOWED.get(_names(path)[0])
    for name in _imports(path) if allowed is not None else ():
        if _is(name, OURS):
            parts = [*name.split(".")[2:], ""]
            is_submodule = (PACKAGE / parts[0]).exists() or (PACKAGE / f"{parts[0]}.py").exists()
            assert (parts[0] if is_submodule else "") in (allowed or ()), name


@pytest.mark.parametrize("path", FILES, ids=_ids)
def test_a_floor_knows_nothing_of_those_above(path: Path) -> None:
    floor = _names(path)[0]
    above = FLOORS[FLOORS.index(floor) + 1 :] if floor in FLOORS else ()
    assert not [name for name in _imports(path) if _is(name, *(f"{OURS}.{each}" for each in above))]


@pytest.mark.parametrize("path", FILES, ids=_ids)
def test_only_the_ckan_side_imports_ckan(path: Path) -> None:
    names = _names(path)
    if names[0] in KNOWS_CKAN and names[0] != "harvesters":
        return
    if names[0] == "harvesters" and names[1] in HARVESTERS_THAT_KNOW_CKAN:
        return
    assert not [name for name in _imports(path) if _is(name, *CKAN)]


@pytest.mark.parametrize("path", FILES, ids=_ids)
def test_nothing_imports_the_harvesters(path: Path) -> None:
    if _names(path)[0] == "harvesters":
        return
    assert not [name for name in _imports(path) if _is(name, f"{OURS}.harvesters")]


# The parts of the one door to the network.
DOOR = {"address", "body", "exchange", "guard", "http", "wire"}
NETWORK = ("requests", "urllib3", "urllib.request", "http.client", "httpx", "socket", "ssl") + (
    "owslib",
    "sickle",
)


@pytest.mark.parametrize("path", FILES, ids=_ids)
def test_there_is_one_door_to_the_network(path: Path) -> None:
    names = _names(path)
    if names[0] == "core" and names[1] in DOOR:
        return
    assert not [name for name in _imports(path) if _is(name, *NETWORK)]


@pytest.mark.parametrize("path", FILES, ids=_ids)
def test_xml_is_parsed_in_one_place(path: Path) -> None:
    if _names(path) == ["core", "xml"]:
        return
    parsers = {"fromstring", "parse", "iterparse", "XML", "XMLParser", "HTMLParser", "iterwalk"}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            assert not (node.value.id in {"etree", "ET", "lxml"} and node.attr in parsers), (
                node.attr
            )
    assert not [name for name in _imports(path) if _is(name, "xml", "lxml.html", "bs4")]
