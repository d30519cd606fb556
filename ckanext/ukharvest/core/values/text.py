"""Clean plain text: without control characters and other artefacts of a format."""

from __future__ import annotations

import enum
import html
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from html.entities import html5
from typing import Any

# C0 and C1 controls but tab and line feed, and lone surrogates, which neither XML nor PostgreSQL
# can hold; JSON escapes such as \u0000 and \ud800 bring them in.
_UNWANTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

# Windows' letters of a document that calls itself Latin-1, as HTML reads them (WHATWG, 13.2.5.80).
_WINDOWS = {chr(byte): bytes((byte,)).decode("cp1252", "ignore") for byte in range(0x80, 0xA0)}

# Characters that are invisible, or that reverse the text after them (Unicode 9 and 23.2): in a
# message they would hide or change its meaning.
_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]"
)

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")  # noqa: RUF001 - full-width forms

# Project Open Data's mark for text that a federal agency withholds: "[[REDACTED-EX B6]]".
_REDACTED = re.compile(r"\[\[\s*REDACTED.*\]\]", re.IGNORECASE | re.DOTALL)


class StrEnum(str, enum.Enum):
    """An enum whose members are texts, as Python 3.11 has it, for CKAN on Python 3.10."""

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, format_spec: str) -> str:
        return format(str(self.value), format_spec)


class Repaired(ValueError):
    """A text that is not what is expected, but can only mean one thing.

    Attributes:
        repaired: what it means; "" if that is not known.
        code: of the problem.
    """

    def __init__(self, message: str, repaired: Any, code: str) -> None:
        super().__init__(message)
        self.repaired = repaired
        self.code = code


def marked(text: str) -> str:
    """Mark a text for translation; it is translated when rendered. Import it as ``_``."""
    return text


def clean_text(value: object) -> str:
    """Return a value as stripped text with LF line ends and without control characters.

    Those of Windows' letters (U+0080 to U+009F) become the letters.

    Numbers become their text, booleans ``true`` or ``false``; None and anything that is not a
    single value (lists, objects, bytes, NaN) become "".
    """
    if not isinstance(value, str):
        return _number_text(value)
    if value.isascii() and value.isprintable():  # as nearly all are
        return value.strip()
    text = value.replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ")
    text = _UNWANTED.sub(lambda sign: _WINDOWS.get(sign[0], ""), text)
    return text.strip().strip("\ufeff").strip()


def _number_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):  # of any size: JSON has no largest number
        return str(value)
    if isinstance(value, (float, Decimal)) and math.isfinite(value):
        return str(value)
    return ""


def parse_count(value: object) -> int:
    """Return how many things a server announces; -1 for none, and for what no catalogue has."""
    text = clean_text(value)
    return int(text) if text.isdecimal() and len(text) < 12 else -1


# HTML's rule for attributes: without a semicolon, "&region=" and "&copy2" are no references.
_ENTITY = re.compile(r"&(#(?:\d{1,7}|x[0-9a-f]{1,6})|[a-z][a-z0-9]{1,31})(;|(?![a-z0-9=;]))", re.I)
_TWICE = re.compile(r"&(?:amp;)+(?=(?:#\w{1,8}|[a-z][a-z0-9]{1,31});)", re.IGNORECASE)


def decode_entities(text: str) -> str:
    """Return a text with its HTML entities decoded, those escaped twice (``&amp;eacute;``) too.

    URLs keep the names of their parameters: ``?a=1&region=2``.
    """
    return _ENTITY.sub(_character, _TWICE.sub("&", text)) if "&" in text else text


def _character(match: re.Match[str]) -> str:
    is_known = match[1][0] == "#" or match[1] + match[2] in html5
    return html.unescape(match[0]) if is_known else match[0]


def is_redacted(value: str) -> bool:
    """Tell whether a text is nothing but a redaction mark of Project Open Data."""
    return _REDACTED.fullmatch(value.strip()) is not None


def shorten(value: str, length: int = 80) -> str:
    """Return a text on one line, at most ``length`` characters long, for use in a message.

    Invisible characters are named, as in "dataset[U+200E]".
    """
    line = name_unseen(" ".join(value.split()))
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def name_unseen(value: str) -> str:
    """Return a text with its invisible characters named, as in "dataset[U+200E]".

    For terminals and logs, which obey some of them, a line feed too.
    """
    return _UNSEEN.sub(lambda sign: f"[U+{ord(sign[0]):04X}]", value)


def as_cell(value: str) -> str:
    """Return a text for a cell of a CSV file; one that a spreadsheet would run is quoted.

    Some spreadsheets take the full-width forms of the signs as well.
    """
    return f"'{value}" if value.lstrip().startswith(_FORMULA) else value


def counted(number: int, name: str) -> str:
    """Return a number with a name in English: "1 record", "2,000 records"."""
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def one_line(value: object) -> str:
    """Return CKAN's validation errors, however nested, as one readable line."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {one_line(inner)}" for key, inner in value.items() if inner)
    if isinstance(value, (list, tuple)):
        return ", ".join(one_line(inner) for inner in value if inner)
    return str(value)


def fold_name(text: str) -> str:
    """Return a name's letters and digits in one case, to compare it with other spellings."""
    return re.sub(r"[\W_]+", "", text).casefold()
