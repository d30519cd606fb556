"""References in documents, docstrings and comments lead to something in this repository.

Checked: links and anchors of Markdown, names of Markdown files, of modules and of what is in them,
numbers of decisions. Pictures and web pages elsewhere are not asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.docs import prose
from tests.docs.code_names import broken_in_code, broken_in_markdown
from tests.docs.links import FENCE, LINK, broken_links
from tests.docs.prose import PACKAGE, ROOT

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
DECISION = re.compile(r"\bdecisions? (\d{4})\b|\bdecisions/(\d{4})", re.IGNORECASE)
# Papers of the people who began this, which the repository does not have.
PAPERS = re.compile(r"\bDESIGN\b")
MARKDOWN_NAME = re.compile(r"(?<![\w/.:-])(?:\.\./)*[\w.-]+(?:/[\w.-]+)*\.md\b")
FILE_NAME = re.compile(r"(?<![\w/.:*-])[a-z_][a-z0-9_]*\.py\b")
MODULE_NAME = re.compile(r"(?<![\w/.:-])[a-z_]\w*(?:/[a-z_]\w*)+\.py\b")
WITH_COMMENTS = [*prose.modules(), *prose.templates_and_assets()]
NAMES = {path.name for path in prose.modules()}
NUMBERS = {path.name[:4] for path in (ROOT / "docs" / "decisions").glob("0*.md")}


def broken_names(path: Path, text: str) -> list[str]:
    """Return names of documents, modules and decisions in a text that are not there."""
    broken = PAPERS.findall(text)
    text = LINK.sub("", text)  # links have a test of their own
    for name in MARKDOWN_NAME.findall(text):
        places = (path.parent, ROOT, ROOT / "docs")
        if not any((place / name).is_file() for place in places):
            broken.append(name)
    for name in MODULE_NAME.findall(text):
        places = (path.parent, PACKAGE, ROOT, ROOT / "dev", ROOT / "ckanext")
        if not any((place / name).is_file() for place in places):
            broken.append(name)
    broken += [name for name in FILE_NAME.findall(text) if name not in NAMES]
    cited = {one or other for one, other in DECISION.findall(text)}
    return broken + [f"decision {number}" for number in sorted(cited - NUMBERS)]


def _prose(path: Path) -> str:
    return prose.code_and_prose(path)[1]


def _unfenced(path: Path) -> str:
    return COMMENT.sub("", FENCE.sub("", prose.text(path)))


def _offenders(
    paths: Iterable[Path], text_of: Callable[[Path], str], broken: Callable[[Path, str], list[str]]
) -> dict[str, list[str]]:
    """Return what is broken, by file."""
    wrong = {path: broken(path, text_of(path)) for path in paths}
    return {path.relative_to(ROOT).as_posix(): names for path, names in wrong.items() if names}


def test_links_in_documents_lead_somewhere() -> None:
    assert _offenders(prose.documents(), prose.text, broken_links) == {}


def test_documents_name_files_and_decisions_that_exist() -> None:
    assert _offenders(prose.documents(), _unfenced, broken_names) == {}


def test_docstrings_and_comments_name_files_that_exist() -> None:
    assert _offenders(WITH_COMMENTS, _prose, broken_names) == {}


def test_docstrings_and_comments_name_code_that_exists() -> None:
    assert _offenders(WITH_COMMENTS, _prose, broken_in_code) == {}


def test_documents_name_code_that_exists() -> None:
    assert _offenders(prose.documents(), _unfenced, broken_in_markdown) == {}


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("[a](gone.md)", ["gone.md"]),
        ("[a](README.md#no-such-heading)", ["README.md#no-such-heading"]),
        ("[a](#no-such-heading)", ["#no-such-heading"]),
        ("[a](../../README.md)", ["../../README.md"]),
        ("see [a](docs/decisions/README.md)", []),
        ("[b](https://example.org/x.md)", []),
        ("`[c](gone.md)`", []),
    ],
)
def test_only_broken_links_are_found(text: str, broken: list[str]) -> None:
    assert broken_links(ROOT / "CHANGELOG.md", text) == broken


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("DESIGN 3.6", ["DESIGN"]),
        ("platform.md 0 item 5", ["platform.md"]),
        ("docs/decisions/0008-adoption.md", ["docs/decisions/0008-adoption.md"]),
        ("decision 9999", ["decision 9999"]),
        ("core/words.py", ["core/words.py"]),
        ("core/records.py and decision 0020, in README.md", []),
        ("only the import rules changed (new_rules.py)", ["new_rules.py"]),
        ("see claims.py and test_NAME.py", []),
    ],
)
def test_only_broken_names_are_found(text: str, broken: list[str]) -> None:
    assert broken_names(PACKAGE / "plugin.py", text) == broken


@pytest.mark.parametrize(
    "text",
    [
        "``locks.hold``",
        "call ``ending.abandon``",
        "``model.index_values``",
        "see sweeper.schedules",
        "``engine.source_config.Setting``",
        "``link_evidence.find``",
        "``Record.no_such_column``",
        "``core.no_such_module.parse``",
        "if unknown (record_organizations)",
        "a service failed (``service_faults``)",
        "``NoSuchClass``",
    ],
)
def test_names_of_nothing_are_found(text: str) -> None:
    (name,) = broken_in_code(PACKAGE / "harvest" / "gather" / "gather_stage.py", text)
    assert name in text


@pytest.mark.parametrize(
    "text",
    [
        "``record_rows.lock_rows``, ``harvest.records.record_rows.lock_rows``",
        "``lock_rows`` and ``lock_rows()``",
        "``ckanext.ukharvest.harvest.model.Record``",
        "``Record.missed_runs``, ``GatherState.taken``",
        "``time.monotonic``, ``str.format``, ``IOrganizationController.edit``",
        "``ckan.plugins``, CKAN's package_owner_org_update",
        "data.gov.uk, data.json, ``distribution.mediaType``, rules.csv, ``parse_*``, field_odfe_…",
        "tests/publishers/reading.py, original_NAME, ``{field: value}``",
    ],
)
def test_names_of_something_are_left_alone(text: str) -> None:
    assert broken_in_code(PACKAGE / "harvest" / "gather" / "gather_stage.py", text) == []
