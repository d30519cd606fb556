"""The interface for source types of other distributions: one module, which needs no CKAN."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from ckanext.ukharvest import source_type_api

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE = ROOT / "contrib" / "cookiecutter-ukharvest-source-type"
PAGE = (ROOT / "docs" / "developing" / "source-types.md").read_text(encoding="utf-8")
OURS = "ckanext.ukharvest"


def _imports(code: str) -> set[tuple[str, str]]:
    """Return module and name of what a module imports from our package."""
    return {
        (node.module, alias.name)
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(OURS)
        for alias in node.names
    }


@pytest.mark.parametrize("path", sorted(TEMPLATE.rglob("*.py")), ids=lambda path: path.name)
def test_template_uses_the_interface_and_nothing_else(path: Path) -> None:
    code = re.sub(r"\{\{ cookiecutter\.(\w+) \}\}", r"\1", path.read_text(encoding="utf-8"))
    imports = _imports(code)
    assert {
        module
        for module, _name in imports
        if module != source_type_api.__name__ and not module.startswith(f"{OURS}.testing")
    } == set()
    names = {name for module, name in imports if module == source_type_api.__name__}
    assert names <= {*source_type_api.__all__}


def test_page_lists_exactly_what_the_interface_has() -> None:
    section = PAGE.split("## What you can rely on")[1].split("\n## ")[0]
    table = [line for line in section.splitlines() if line.startswith("| ") and "`" in line]
    names = re.findall(r"`(\w+)`", "".join(line.split("|")[2] for line in table))
    assert sorted(names) == sorted(source_type_api.__all__)


def test_page_and_template_name_the_present_version() -> None:
    versions = re.findall(r"interface=(\d+)", PAGE) + re.findall(r"version (\d+) of", PAGE)
    assert {*versions} == {str(source_type_api.INTERFACE)}
    (declaration,) = TEMPLATE.rglob("source_type.py")
    assert f"interface={source_type_api.INTERFACE}," in declaration.read_text(encoding="utf-8")


def test_every_name_of_the_interface_exists() -> None:
    assert [name for name in source_type_api.__all__ if not hasattr(source_type_api, name)] == []
