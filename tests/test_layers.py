"""The import rule: every module belongs to one floor, and imports nothing from above.

A module without a floor fails, and there is no exception.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import ckanext.ukharvest
from tests.floors import CKAN_FROM, FEATURES, FLOORS

OURS = "ckanext.ukharvest"
PACKAGE = Path(ckanext.ukharvest.__file__).parent
TESTS = Path(__file__).parent
# Of the modules, so many have a test module at the same place below tests/ or tests/ckan/.
MIRRORED = 0.8

# On one floor, and neither imports the other.
APART = (("readers", "parsers"), FEATURES, ("sources", "datasets"))
CKAN = ("ckan", "ckanext.harvest", "ckanext.dcat", "ckanext.spatial", "flask", "sqlalchemy")


def _name(path: Path) -> str:
    """Return a module's dotted name inside the package: "core.http.client"."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def _names(module: str) -> tuple[list[str], list[str]]:
    """Return the full names that a module imports, and what it takes from names: "json.loads"."""
    imported: list[str] = []
    attributes: list[str] = []
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module}: relative import"
            imported += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            attributes.append(f"{node.value.id}.{node.attr}")
    return imported, attributes


def _imports(module: str) -> list[str]:
    return _names(module)[0]


def _imports_of_ours(module: str) -> Iterator[str]:
    """Return our own modules that a module imports from."""
    for name in _imports(module):
        if _is(name, OURS):
            imported = name.removeprefix(OURS).removeprefix(".")
            while imported not in MODULES and imported:
                imported = imported.rpartition(".")[0]
            yield imported


def _is(name: str, *modules: str) -> bool:
    return any(name == module or name.startswith(module + ".") for module in modules)


@cache
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


def _importers(modules: Iterable[str], *forbidden: str) -> list[str]:
    """Return which of the modules import a forbidden name, and which name."""
    return [
        f"{module} imports {name}"
        for module in modules
        for name in _imports(module)
        if _is(name, *forbidden)
    ]


def _all_but(*modules: str) -> list[str]:
    return [module for module in MODULES if not _is(module, *modules)]


def _within(folder: str) -> list[str]:
    return [module for module in MODULES if _is(module, folder)]


def test_every_entry_of_a_floor_exists() -> None:
    assert [entry for floor in FLOORS for entry in floor if entry not in MODULES] == ["migration"]


def test_modules_import_nothing_from_above_or_beside() -> None:
    offenders: dict[str, set[str]] = {}
    for module in MODULES:
        floor, entry = _place(module)
        for name in _imports_of_ours(module):
            other, its_entry = _place(name)
            is_beside = entry != its_entry and any({entry, its_entry} <= {*pair} for pair in APART)
            if other > floor or is_beside:
                offenders.setdefault(module, set()).add(name)
    assert offenders == {}


def test_nothing_imports_a_feature_but_itself() -> None:
    outside = [module for module in MODULES if _place(module)[1] not in FEATURES]
    assert _importers(outside, *(f"{OURS}.{feature}" for feature in FEATURES)) == []


def test_ckan_is_imported_above_its_line_only() -> None:
    below = [module for module in MODULES if _place(module)[0] < CKAN_FROM]
    assert _importers(below, *CKAN) == []


def test_model_imports_neither_presentation_nor_the_client() -> None:
    """Stored text stays text, whatever a page makes of it (decision 0016)."""
    models = [module for module in MODULES if module.endswith(".model")]
    assert _importers(models, f"{OURS}.rendering", f"{OURS}.lib.texts", f"{OURS}.core.http") == []


def test_pages_read_through_actions() -> None:
    ours = [f"{OURS}.{module}" for module in MODULES if module.endswith(".model")]
    models = ("sqlalchemy", "ckan.model", "ckanext.harvest.model", *ours)
    pages = [module for module in MODULES if module.endswith((".pages", ".steps", ".form"))]
    assert _importers(pages, *models) == []


def test_only_the_plugin_imports_the_patches() -> None:
    assert _importers(_all_but("plugin", "patches"), f"{OURS}.patches") == []


def test_nothing_imports_the_plugin_of_a_source_type() -> None:
    assert _importers(_all_but("harvesters", "source_type_api"), f"{OURS}.harvesters") == []


def test_only_core_http_imports_a_network_module() -> None:
    network = ("requests", "urllib3", "urllib.request", "http.client", "httpx", "socket", "ssl")
    # A publisher for tests serves and requests nothing.
    modules = _all_but("core.http", "testing.publisher")
    assert _importers(modules, *network, "owslib", "sickle") == []


def test_xml_is_parsed_in_one_place() -> None:
    functions = "fromstring", "parse", "iterparse", "XML", "XMLParser", "HTMLParser", "iterwalk"
    parsers = {f"{name}.{each}" for name in ("etree", "ET", "lxml") for each in functions}
    modules = _all_but("core.xml.parser")
    calls = {module: parsers.intersection(_names(module)[1]) for module in modules}
    assert {module: names for module, names in calls.items() if names} == {}
    assert _importers(modules, "xml", "lxml.html", "bs4") == []


def test_packages_of_the_harvest_are_read_at_a_glance() -> None:
    """No more than nine files, each with one subject (decision 0020)."""
    packages = [PACKAGE / "harvest", *(PACKAGE / "harvest").glob("*/__init__.py")]
    folders = [path if path.is_dir() else path.parent for path in packages]
    assert [folder.name for folder in folders if len([*folder.glob("*.py")]) > 9] == []


def test_names_of_the_harvest_stand_for_one_thing() -> None:
    """No public function or class has the name of another above the line; an action's auth has."""
    owners: dict[str, list[str]] = {}
    for module, path in MODULES.items():
        if _place(module)[0] >= CKAN_FROM:
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name[0] != "_":
                    owners.setdefault(node.name, []).append(module)
    shared = {name: modules for name, modules in owners.items() if len(modules) > 1}
    assert {name: m for name, m in shared.items() if any(_is(one, "harvest") for one in m)} == {}


def test_no_module_of_tests_is_imported_by_another() -> None:
    """What several need stands in a ``conftest.py``, or in a module named for its subject."""
    importers = []
    for path in sorted(TESTS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                words = ast.unparse(node).replace(",", " ").split(" as ")[0]
                if re.match(r"(from|import) (tests\b|\.).*[ .]test_", words):
                    importers.append(f"{path.relative_to(TESTS)}: {words}")
    assert importers == []


def _has_tests(path: Path) -> bool:
    return path.is_file() and "\ndef test_" in path.read_text(encoding="utf-8")


def test_tests_stand_where_their_code_stands() -> None:
    """Who opens lib/slots.py opens test_slots.py in tests/lib or tests/ckan/lib."""
    modules = [path.relative_to(PACKAGE) for path in MODULES.values() if path.name != "__init__.py"]
    modules = [path for path in modules if "migration" not in path.parts]
    mirrored = [
        path
        for path in modules
        if any(
            _has_tests(top / path.parent / f"test_{path.name}") for top in (TESTS, TESTS / "ckan")
        )
    ]
    assert len(mirrored) / len(modules) >= MIRRORED
