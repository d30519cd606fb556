"""Differences between two texts: removed and added parts."""

from __future__ import annotations

import difflib
import re

SAME, OLD, NEW = "same", "old", "new"
_WORDS = re.compile(r"\s+|[^\s]+")


def between(old: str, new: str) -> list[tuple[str, str]]:
    """Return the parts of both texts as (SAME, OLD or NEW, text).

    Texts with little in common are not mixed: the old text comes first, as a whole.
    """
    if not old or not new:
        return [(kind, text) for kind, text in ((OLD, old), (NEW, new)) if text]
    words = _WORDS.findall(old), _WORDS.findall(new)
    matcher = difflib.SequenceMatcher(None, *words, autojunk=False)
    if matcher.ratio() < 0.4:
        return [(OLD, old), (NEW, new)]
    found: list[tuple[str, str]] = []
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        gone, come = "".join(words[0][a1:a2]), "".join(words[1][b1:b2])
        if tag == "equal":
            found.append((SAME, gone))
            continue
        found += [(kind, text) for kind, text in ((OLD, gone), (NEW, come)) if text]
    return found
