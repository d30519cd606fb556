"""docs/architecture.md matches the code: the floors, and the modules on a record's way."""

from __future__ import annotations

import re

from docs import codes
from tests.test_layers import CKAN_FROM, FLOORS

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
