"""The files of this repository, each as code and as prose: comments and docstrings."""

from __future__ import annotations

import io
import re
import tokenize
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "ckanext" / "ukharvest"
FOLDERS = (".ci", "bin", "ckanext", "contrib", "dev", "docs", "tests")
# Recorded publishers, templates of a source type, libraries, translations, and what is built.
LEFT_OUT = (
    "tests/sources/",
    "tests/conformance/documents/",
    "cookiecutter",
    "/vendor/",
    "/i18n/",
    "site/",
    "__pycache__",
)
_IN_BLOCKS = re.compile(r"/\*.*?\*/", re.DOTALL)
# Ending of a file → its comments.
COMMENTS = {
    ".html": re.compile(r"\{#.*?#\}", re.DOTALL),
    ".css": _IN_BLOCKS,
    ".js": re.compile(rf"{_IN_BLOCKS.pattern}|(?<!\S)//[^\n]*", re.DOTALL),
}
COMMENTS[".txt"] = COMMENTS[".html"]
_BEFORE_A_STATEMENT = (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


@cache
def files() -> tuple[Path, ...]:
    """Return the files of the repository."""
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    paths += ROOT.iterdir()
    return tuple(sorted(path for path in paths if path.is_file() and not _is_left_out(path)))


def _is_left_out(path: Path) -> bool:
    name = path.relative_to(ROOT).as_posix()
    return any(part in name for part in LEFT_OUT)


def documents() -> list[Path]:
    return [path for path in files() if path.suffix == ".md"]


def modules() -> list[Path]:
    """Return the files in Python: modules, and commands without an ending."""
    return [path for path in files() if path.suffix == ".py" or _is_command(path)]


def templates_and_assets() -> list[Path]:
    return [path for path in files() if path.suffix in COMMENTS and path.is_relative_to(PACKAGE)]


def _is_command(path: Path) -> bool:
    return not path.suffix and text(path).startswith("#!/usr/bin/env python")


@cache
def text(path: Path) -> str:
    """Return a file's text; bytes that are not UTF-8 are left out."""
    return path.read_text(encoding="utf-8", errors="ignore")


@cache
def code_and_prose(path: Path) -> tuple[str, str]:
    """Return a file without its comments and docstrings, and these."""
    if path.suffix == ".md":
        return "", text(path)
    if path.suffix == ".py" or _is_command(path):
        return _of_python(text(path))
    if comments := COMMENTS.get(path.suffix):
        return comments.sub(" ", text(path)), "\n".join(comments.findall(text(path)))
    return text(path), ""


def _of_python(source: str) -> tuple[str, str]:
    code: list[str] = []
    prose: list[str] = []
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        is_docstring = token.type == tokenize.STRING and before in _BEFORE_A_STATEMENT
        is_prose = is_docstring or token.type == tokenize.COMMENT
        (prose if is_prose else code).append(token.string)
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            before = token.type
    return " ".join(code).replace(" . ", "."), "\n".join(prose)
