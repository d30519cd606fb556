"""docs/architecture.md matches the code: the floors, the rooms, and the files that it names."""

from __future__ import annotations

import re

from docs import codes
from tests.floors import CKAN_FROM, FEATURES, FLOORS

PAGE = (codes.ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
STEPS = re.findall(r"^\| (\d+) \|.*\| ([^|]+) \|$", PAGE, re.MULTILINE)


def test_the_page_has_the_floors_of_the_import_rule() -> None:
    table = PAGE.partition("## The floors")[2].partition("\n## ")[0]
    _head, *cells = re.findall(r"^\| ([^|]*)\|", table, re.MULTILINE)
    rows = [re.findall(r"`([^`]+)`", cell) for cell in reversed(cells)]
    drawn = [tuple(name.replace("/", ".") for name in row) for row in rows]

    assert drawn == [*FLOORS[1:CKAN_FROM], (), *FLOORS[CKAN_FROM:]]


def test_the_steps_are_numbered_without_a_gap() -> None:
    assert [int(number) for number, _modules in STEPS] == list(range(1, len(STEPS) + 1))
    assert len(STEPS) > 10


def test_every_step_names_modules_that_exist() -> None:
    modules = {number: re.findall(r"`([^`]+)`", cell) for number, cell in STEPS}
    assert [number for number, names in modules.items() if not names] == []
    names = {name for names in modules.values() for name in names}
    assert [name for name in names if not (codes.PACKAGE / name).is_file()] == []


def test_the_page_names_files_that_exist() -> None:
    names = {name for name in re.findall(r"`([\w/]+\.(?:py|html))`", PAGE) if "/" in name}
    folders = (codes.PACKAGE, codes.PACKAGE / "templates" / "ukharvest", codes.ROOT)
    is_there = {name: any((folder / name).is_file() for folder in folders) for name in names}
    assert sorted(name for name in names if not is_there[name]) == []


def test_the_page_lists_each_feature_with_its_templates() -> None:
    table = PAGE.partition("## The rooms")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| ([^|]*) \|$", table, re.MULTILINE)
    assert sorted(room for room, _templates in rows) == sorted(FEATURES)
    templates = {name for _room, cell in rows for name in re.findall(r"`([^`]+)`", cell)}
    folder = codes.PACKAGE / "templates" / "ukharvest"
    assert sorted(name for name in templates if not (folder / name).exists()) == []
