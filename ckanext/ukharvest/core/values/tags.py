"""Tags and names within CKAN's rules: CKAN refuses the whole dataset otherwise."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values.markup import plain_text
from ckanext.ukharvest.core.values.text import clean_text, decode_entities, is_redacted, shorten

# ckan.logic.validators.tag_length_validator and tag_name_validator, the same in 2.11 and 2.12.
TAG_MIN, TAG_MAX = 2, 100
_FORBIDDEN = re.compile(r"[^\w \-.]")

# Longest name that leaves room for "-" and a nine-digit suffix in CKAN's 100 characters.
SLUG_MAX = 90
# ckan.logic.validators.name_validator refuses the first three; the others follow /dataset/ in
# CKAN's routes.
_RESERVED = frozenset(
    ("new", "edit", "search", "activity", "changes", "collaborators", "delete", "follow")
    + ("followers", "groups", "history", "read", "resource", "resources", "unfollow")
)
# Letters that Unicode does not decompose into an ASCII letter and marks.
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ð": "d", "Ð": "D"}
    | {"þ": "th", "Þ": "Th", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i", "£": " gbp "}
)


def clean_tags(values: Iterable[object], field: str) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    """Return tags that CKAN 2.11 and 2.12 accept, and problems for those left out or changed.

    Lists in one text are split at commas, semicolons and line ends, which no tag can contain. A
    forbidden character becomes a space ("&" becomes "and") without a problem: the tag still reads
    the same: "cours d'eau" is "cours d eau". Tags left out or cut are reported as ``bad-tag``, once
    each. Of spellings that differ in case only, the first stays. ``parsers.record_checks`` limits
    their number.

    Args:
        values: the source's tags; a single text counts as a list of one.
        field: the field's name in the source format, for the problems.
    """
    dropped: list[str] = []
    cut: list[str] = []
    tags: dict[str, str] = {}
    for value in [values] if isinstance(values, str) else values:
        text = plain_text(clean_text(value) or value)
        if value is not None and not isinstance(value, str) and not text:
            dropped.append(json.dumps(value, ensure_ascii=False, default=str))
        # Entities first: the semicolon of "Health &amp; safety" separates nothing.
        for part in _split(text):
            tag = _tag(part)
            if len(tag) < TAG_MIN:
                dropped.append(part)
                continue
            if len(tag) > TAG_MAX:
                cut.append(part)
                tag = tag[:TAG_MAX].rstrip()
            tags.setdefault(tag.casefold(), tag)
    problems = [
        _problem(
            field,
            dropped,
            Message("left out"),
            Message("expected {tag_min} or more letters or digits", tag_min=TAG_MIN),
        ),
        _problem(
            field,
            cut,
            Message("cut at {tag_max} characters", tag_max=TAG_MAX),
            Message("expected keywords, not sentences"),
        ),
    ]
    return tuple(tags.values()), tuple(problem for problem in problems if problem)


def _split(text: str) -> list[str]:
    """Split a list in one text; URIs stay whole, redactions and empty items are dropped."""
    parts = re.split(r"[,;\n]", text)
    return [part.strip() for part in parts if part.strip() and not is_redacted(part)]


def _tag(text: str) -> str:
    """Write one tag in CKAN's alphabet; "" for a URI, which is no search term."""
    if re.match(r"[a-z][a-z0-9+.-]*://", text, re.IGNORECASE):
        return ""
    text = unicodedata.normalize("NFC", text)
    text = " ".join(_FORBIDDEN.sub(" ", text.replace("&", " and ")).split())
    text = text.lstrip("-_ ").rstrip("-_. ")
    return text if any(char.isalnum() for char in text) else ""


def _problem(field: str, tags: list[str], what: str, expected: str) -> Problem | None:
    if not tags:
        return None
    named = ", ".join(f"'{shorten(tag, 40)}'" for tag in tags[:5])
    more = Message(" and {count} more", count=len(tags) - 5) if len(tags) > 5 else ""
    verb = "was" if len(tags) == 1 else "were"
    return Problem(
        "bad-tag",
        field,
        Message(
            "{field}: {named}{more} {verb} {what}; {expected}",
            field=field,
            named=named,
            more=more,
            verb=verb,
            what=what,
            expected=expected,
        ),
    )


def slug(title: str) -> str:
    """Return a CKAN dataset name for a title: 2 to 90 of ``a-z0-9-``, "dataset" if none is left.

    It is cut at a word, and is never a reserved word of CKAN's routes.
    """
    text = unicodedata.normalize("NFKD", decode_entities(title).translate(_LETTERS))
    text = text.replace("&", " and ").replace("'", "").replace("’", "")
    text = "".join(char for char in text if not unicodedata.combining(char)).lower()
    name = re.sub(r"[^a-z0-9]+", "-", text).strip("-")
    if len(name) > SLUG_MAX:
        head, _, _ = name[: SLUG_MAX + 1].rpartition("-")
        name = head if len(head) > SLUG_MAX // 2 else name[:SLUG_MAX]
    if name in _RESERVED:
        return f"{name}-dataset"
    return name if len(name) > 1 else "dataset"
