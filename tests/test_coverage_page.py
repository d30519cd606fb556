"""tests/coverage.csv: rows are complete, and their pages and tests exist. docs/coverage.md sums up.

Each row is something that a portal's guide asks of a harvester or a portal, in a few words of our
own. Sections are numbered by us, in the order of the guide's headings; one that asks for nothing
itself has a row with its title alone. The guides are not in the repository, and not needed here.
"""

from __future__ import annotations

import ast
import csv
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.docs.links import broken_links

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "tests" / "coverage.csv"
PAGE = ROOT / "docs" / "coverage.md"
GUIDES = {
    "data.gov.uk": "for publishers and sysadmins, with its pages about fields",
    "data.gov": "for people who harvest its metadata again",
    "data.europa.eu": "for data providers, with its tables of fields",
    "data.gouv.fr": "for publishers: the first page about harvesting",
    "udata": "for administrators and developers: the chapter on harvesting",
}
STATUSES = {
    "built": "it works, and the test asserts it",
    "partly": "some of it works, which the test asserts; the row says what is missing",
    "not built": "the row says why, or that it is planned",
    "CKAN": "CKAN does it without this extension",
    "people": "the guide asks it of people, not of software",
}
# What works has a page and a test; what does not says why.
NEEDS_A_TEST = ("built", "partly")


class Row(NamedTuple):
    """One thing that a guide asks for.

    Attributes:
        about: the section's title, in its first row.
        read: links of docs/coverage.md to the pages that say more.
        tests: names as pytest has them, with semicolons between them.
    """

    guide: str
    section: str
    about: str
    asked: str
    read: str
    tests: str
    status: str
    reason: str


with TABLE.open(encoding="utf-8", newline="") as file:
    LINES = [Row(**line) for line in csv.DictReader(file)]
ROWS = [row for row in LINES if row.asked]


def page() -> str:
    """Return docs/coverage.md: the numbers of rows, and those that do not just work."""
    counts = []
    for guide in [*GUIDES, "all"]:
        kinds = Counter(row.status for row in ROWS if guide in (row.guide, "all"))
        numbers = [str(kinds.total()), *(str(kinds[status]) for status in STATUSES)]
        counts.append([guide, *numbers])
    others = [
        [row.guide, row.asked, row.read or "–", row.status, row.reason]
        for row in ROWS
        if row.status != "built"
    ]
    return "\n".join(
        [
            "# What the guides ask for\n",
            "Each sentence of five portals' guides that asks something of a harvester or a portal"
            " has a row in\n`tests/coverage.csv`, with the page to read and the test that holds it."
            " This page has the sums, and every\nrow that does not just work.\n",
            *_table(["guide", "about"], GUIDES.items()),
            "",
            *_table(["status", "meaning"], STATUSES.items()),
            "",
            *_table(["guide", "rows", *STATUSES], counts),
            "",
            "## What is not built, or in part\n",
            *_table(["guide", "asked for", "read", "status", "why"], others),
            "",
        ]
    )


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    return [lines[0], re.sub(r"[^|]+", "---", lines[0]), *lines[1:]]


@cache
def names_in(path: Path) -> frozenset[str]:
    """Return the tests of a module as pytest names them, without importing it."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):  # tests of the contract
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ClassDef):
            inner = (part for part in node.body if isinstance(part, ast.FunctionDef))
            names.update(f"{node.name}::{part.name}" for part in inner)
    return frozenset(name for name in names if name.rpartition("::")[2].startswith("test_"))


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


def test_page_has_the_sums_of_the_table(pytestconfig: pytest.Config) -> None:
    if pytestconfig.getoption("update"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()
    assert broken_links(PAGE, page()) == []


def test_row_appears_once() -> None:
    assert list(dict.fromkeys(row.guide for row in LINES)) == list(GUIDES)
    asked = Counter((row.guide, row.section, row.asked) for row in ROWS)
    assert [key for key, count in asked.items() if count > 1] == []


def test_rows_say_what_their_status_demands() -> None:
    assert [row for row in ROWS if row.status not in STATUSES] == []
    working = [row for row in ROWS if row.status in NEEDS_A_TEST]
    assert [row for row in working if "](" not in row.read or not row.tests] == []
    assert [row for row in ROWS if (row.status == "built") == bool(row.reason)] == []


def test_each_test_exists() -> None:
    named = {test.strip() for row in ROWS for test in row.tests.split(";") if test}
    assert sorted(test for test in named if not is_a_test(test)) == []


def test_each_link_leads_to_a_page_and_its_heading() -> None:
    assert broken_links(PAGE, "\n".join(row.read for row in ROWS)) == []
    links = re.compile(r"\[[^]]+\]\([\w/-]+\.md(?:#[\w-]+)?\)(?:, )?")
    assert [row.read for row in ROWS if links.sub("", row.read)] == []


@pytest.mark.parametrize("guide", GUIDES)
def test_each_numbered_heading_has_its_rows(guide: str) -> None:
    lines = [row for row in LINES if row.guide == guide]
    sections = [numbers(row.section) for row in lines if row.about]
    assert sections[0] == (1,)
    pairs = zip(sections, sections[1:], strict=False)
    assert [pair for pair in pairs if not follows(*pair)] == []
    assert [numbers(row.section) for row in lines] == sorted(numbers(row.section) for row in lines)
    # A section without a row has parts with rows.
    parts = {numbers(row.section)[:-1] for row in lines if row.asked}
    empty = [numbers(row.section) for row in lines if not row.asked]
    assert [section for section in empty if section not in parts] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tests/test_network_guard.py::test_look_up_of_another_machine_is_refused", True),
        (
            "tests/ckan/sources/test_organization_types.py::TestFacet::test_data_govs_own_query",
            True,
        ),
        ("tests/ckan/sources/test_organization_types.py::test_data_govs_own_query", False),
        ("tests/testing/test_publisher.py::test_nothing_of_the_kind", False),
        ("tests/testing/test_publisher.py", False),
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
