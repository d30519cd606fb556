"""docs/coverage.md: rows are complete, their pages and tests exist, and the counts are right.

The guides themselves are not in the repository, and not needed here.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.docs.test_references import broken_links, slug

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "coverage.md"
TEXT = PAGE.read_text(encoding="utf-8")
GUIDES = ("data.gov.uk", "data.gov", "data.europa.eu", "data.gouv.fr", "udata")
STATUSES = ("built", "partly", "not built", "CKAN", "people")
# What works has a page and a test; what does not says why.
NEEDS_A_TEST = ("built", "partly")
NEEDS_A_REASON = ("partly", "not built", "CKAN", "people")
NOTHING = "–"
COUNTS = "| guide | rows | built | partly | not built | CKAN | people |"
SECTIONS = "| section | about | rows |"
ROWS = "| section | asked for | read | test | status |"


class Row(NamedTuple):
    """One thing that a guide asks for; the cells of its line."""

    guide: str
    section: str
    asked: str
    read: str
    test: str
    status: str

    @property
    def kind(self) -> str:
        return self.status.partition(":")[0]

    @property
    def reason(self) -> str:
        return self.status.partition(":")[2].strip()

    @property
    def tests(self) -> list[str]:
        return re.findall(r"`([^`]+)`", self.test)


def table(text: str, head: str) -> Iterator[list[str]]:
    """Yield the cells of each line below a table's head."""
    _before, found, after = text.partition(f"{head}\n")
    assert found, f"there is no table {head}"
    for line in after.splitlines()[1:]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip()[1:-1].split("|")]


def chapters() -> dict[str, str]:
    """Return guide → its part of the page."""
    parts = re.split(r"^## (.+)$", TEXT, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


CHAPTERS = chapters()
LINES = [(guide, cells) for guide, text in CHAPTERS.items() for cells in table(text, ROWS)]
FOUND = [Row(guide, *cells) for guide, cells in LINES if len(cells) == 5]


@cache
def names_in(path: Path) -> frozenset[str]:
    """Return the tests of a module as pytest names them, without importing it."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ImportFrom):  # tests of the contract
            found.update(each.name for each in node.names)
        elif isinstance(node, ast.ClassDef):
            inner = (each for each in node.body if isinstance(each, ast.FunctionDef))
            found.update(f"{node.name}::{each.name}" for each in inner)
    return frozenset(name for name in found if name.rpartition("::")[2].startswith("test_"))


def is_a_test(text: str) -> bool:
    """Tell whether ``tests/…/test_x.py::test_name`` exists."""
    name, _, function = text.partition("::")
    path = ROOT / name
    is_module = re.fullmatch(r"tests/(?:\w+/)*test_\w+\.py", name) and path.is_file()
    return bool(is_module) and function in names_in(path)


def numbers(section: str) -> tuple[int, ...]:
    return tuple(int(part) for part in section.split("."))


def follows(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Tell whether a section can be the next one: 3 → 3.1 or 4; 3.1 → 3.1.1, 3.2 or 4."""
    nexts = [(*one[:depth], one[depth] + 1) for depth in range(len(one))]
    return other in ((*one, 1), *nexts)


def test_the_page_has_the_guides() -> None:
    assert tuple(CHAPTERS) == GUIDES


def test_a_row_has_all_its_columns() -> None:
    assert [cells for _guide, cells in LINES if len(cells) != 5 or not all(cells)] == []


def test_row_appears_once() -> None:
    asked = Counter((row.guide, row.section, row.asked) for row in FOUND)
    assert [key for key, count in asked.items() if count > 1] == []


def test_a_status_is_one_of_the_five() -> None:
    assert [row for row in FOUND if row.kind not in STATUSES] == []
    listed = [cells[0] for cells in table(TEXT, "| status | meaning |")]
    assert tuple(listed) == STATUSES


def test_covered_rows_name_a_page_and_a_test() -> None:
    rows = [row for row in FOUND if row.kind in NEEDS_A_TEST]
    assert [row for row in rows if "](" not in row.read or not row.tests] == []
    others = [row for row in FOUND if row not in rows]
    assert [row for row in others if row.test != NOTHING and not row.tests] == []


def test_uncovered_rows_give_a_reason() -> None:
    assert [row for row in FOUND if row.kind in NEEDS_A_REASON and not row.reason] == []
    assert [row for row in FOUND if row.kind == "built" and row.reason] == []


def test_each_test_exists() -> None:
    named = {test for row in FOUND for test in row.tests}
    assert sorted(test for test in named if not is_a_test(test)) == []


def test_each_link_leads_to_a_page_and_its_heading() -> None:
    assert broken_links(PAGE, TEXT) == []
    rows = [row for row in FOUND if row.read != NOTHING]
    assert [row for row in rows if not re.search(r"\]\([\w/-]+\.md(?:#[\w-]+)?\)", row.read)] == []


def test_the_counts_at_the_top_are_right() -> None:
    expected = []
    for guide in GUIDES:
        kinds = Counter(row.kind for row in FOUND if row.guide == guide)
        counts = [kinds.total(), *(kinds[status] for status in STATUSES)]
        expected.append([f"[{guide}](#{slug(guide)})", *map(str, counts)])
    sums = [sum(int(cells[column]) for cells in expected) for column in range(1, 7)]
    assert list(table(TEXT, COUNTS)) == [*expected, ["all", *map(str, sums)]]


@pytest.mark.parametrize("guide", GUIDES)
def test_each_numbered_heading_has_its_rows(guide: str) -> None:
    listed = list(table(CHAPTERS[guide], SECTIONS))
    sections = [numbers(cells[0]) for cells in listed]
    assert sections[0] == (1,)
    pairs = zip(sections, sections[1:], strict=False)
    assert [pair for pair in pairs if not follows(*pair)] == []
    rows = [numbers(row.section) for row in FOUND if row.guide == guide]
    assert rows == sorted(rows)
    assert set(rows) <= set(sections)
    counts = Counter(rows)
    assert [cells[2] for cells in listed] == [str(counts[section]) for section in sections]
    # A section without a row has parts with rows.
    parts = {section[:-1] for section in rows}
    assert [each for each in sections if each not in counts and each not in parts] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tests/test_network_guard.py::test_look_up_of_another_machine_is_refused", True),
        (
            "tests/ckan/test_organization_types.py::TestFacet::test_data_govs_own_query",
            True,
        ),
        ("tests/ckan/test_organization_types.py::test_data_govs_own_query", False),
        ("tests/test_publisher.py::test_nothing_of_the_kind", False),
        ("tests/test_publisher.py", False),
        ("tests/test_nowhere.py::test_a", False),
        ("tests/publisher.py::recorded", False),
        ("../tests/test_network_guard.py::test_look_up_of_another_machine_is_refused", False),
    ],
)
def test_a_test_that_is_not_there_is_found(text: str, expected: bool) -> None:
    assert is_a_test(text) is expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("1", "2", True),
        ("3", "3.1", True),
        ("3.8", "4", True),
        ("7.9", "7.10", True),
        ("1", "3", False),
        ("3.1", "3.3", False),
        ("3", "3.2", False),
        ("2", "2", False),
    ],
)
def test_a_gap_in_the_numbers_is_found(one: str, other: str, expected: bool) -> None:
    assert follows(numbers(one), numbers(other)) is expected
