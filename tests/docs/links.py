"""Relative links of documents."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from tests.docs import prose
from tests.docs.prose import ROOT

LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
FENCE = re.compile(r"^ {0,3}(```|~~~)[\s\S]*?^ {0,3}\1[^\S\n]*$", re.MULTILINE)
CODE = re.compile(r"`[^`\n]*`")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


def slug(heading: str) -> str:
    """Return GitHub's anchor of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


@cache
def _anchors(path: Path) -> frozenset[str]:
    text = FENCE.sub("", prose.text(path))
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
