"""References in documents, docstrings and comments lead to something in this repository.

Checked: links and anchors of Markdown, names of Markdown files and of modules, numbers of
decisions. Pictures and web pages elsewhere are not asked for.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "ckanext" / "ukharvest"
FOLDERS = ("ckanext", "dev", "docs", "tests")
# Recorded publishers, and what is built.
LEFT_OUT = ("tests/sources/", "tests/conformance/documents/", "site/", "__pycache__")

LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
FENCE = re.compile(r"^ {0,3}(```|~~~)[\s\S]*?^ {0,3}\1[^\S\n]*$", re.MULTILINE)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
DECISION = re.compile(r"\bdecisions? (\d{4})\b|\bdecisions/(\d{4})", re.IGNORECASE)
# Papers of the people who began this, which the repository does not have.
PAPERS = re.compile(r"\bDESIGN\b")
MARKDOWN_NAME = re.compile(r"(?<![\w/.:-])(?:\.\./)*[\w.-]+(?:/[\w.-]+)*\.md\b")
FILE_NAME = re.compile(r"`([a-z_]\w*\.py)`")
MODULE_NAME = re.compile(r"(?<![\w/.:-])[a-z_]\w*(?:/[a-z_]\w*)+\.py\b")
NAMED = (DECISION, PAPERS, MARKDOWN_NAME, FILE_NAME, MODULE_NAME)


def _files(suffix: str) -> list[Path]:
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob(f"*{suffix}")]
    found += ROOT.glob(f"*{suffix}")
    return sorted(path for path in found if not _is_left_out(path))


def _is_left_out(path: Path) -> bool:
    name = path.relative_to(ROOT).as_posix()
    return any(each in name for each in LEFT_OUT)


DOCUMENTS = _files(".md")
MODULES = _files(".py")
NAMES = {path.name for path in MODULES}
NUMBERS = {path.name[:4] for path in (ROOT / "docs" / "decisions").glob("0*.md")}


def slug(heading: str) -> str:
    """Return GitHub's anchor of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


@cache
def _anchors(path: Path) -> frozenset[str]:
    text = FENCE.sub("", _text(path))
    found: list[str] = []
    for heading in HEADING.findall(text):
        name = slug(heading)
        earlier = found.count(name)
        found.append(f"{name}-{earlier}" if earlier else name)
    return frozenset(found)


def broken_links(path: Path, text: str) -> list[str]:
    """Return the relative links of a document that lead nowhere."""
    broken = []
    for link in LINK.findall(CODE.sub("", FENCE.sub("", text))):
        if re.match(r"[a-z][a-z+.-]*:", link, re.IGNORECASE):
            continue
        name, _, anchor = unquote(link).partition("#")
        target = (path.parent / name).resolve() if name else path
        is_there = target.exists() and target.is_relative_to(ROOT)
        if not is_there or (anchor and anchor not in _anchors(target)):
            broken.append(link)
    return broken


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


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _docstrings_and_comments(path: Path) -> str:
    """Return a module's comments and texts in triple quotes, "" if it names nothing at all."""
    if not any(pattern.search(_text(path)) for pattern in NAMED):
        return ""
    tokens = tokenize.generate_tokens(io.StringIO(_text(path)).readline)
    return "\n".join(
        token.string
        for token in tokens
        if token.type == tokenize.COMMENT
        or (token.type == tokenize.STRING and '"""' in token.string[:5])
    )


def _offenders(
    paths: Iterable[Path], text_of: Callable[[Path], str], broken: Callable[[Path, str], list[str]]
) -> dict[str, list[str]]:
    """Return what is broken, by file."""
    wrong = {path: broken(path, text_of(path)) for path in paths}
    return {path.relative_to(ROOT).as_posix(): names for path, names in wrong.items() if names}


def test_links_in_documents_lead_somewhere() -> None:
    assert _offenders(DOCUMENTS, _text, broken_links) == {}


def test_documents_name_files_and_decisions_that_exist() -> None:
    def prose(path: Path) -> str:
        return COMMENT.sub("", FENCE.sub("", _text(path)))

    assert _offenders(DOCUMENTS, prose, broken_names) == {}


def test_docstrings_and_comments_name_files_that_exist() -> None:
    assert _offenders(MODULES, _docstrings_and_comments, broken_names) == {}


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
    ],
)
def test_only_broken_names_are_found(text: str, broken: list[str]) -> None:
    assert broken_names(PACKAGE / "plugin.py", text) == broken
