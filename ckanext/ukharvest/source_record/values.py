"""What one element of a record says: its words, what is behind them, and its name in words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from ckanext.ukharvest.core.values import clean_text, is_web_url
from ckanext.ukharvest.source_record.labels import KINDS, LABELS, LANGUAGES, NIL

_DATE = re.compile(
    r"(\d{4})-(\d\d)(?:-(\d\d)(?:T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?)?", re.ASCII
)
_ZONES = dict.fromkeys(("Z", "+00:00", "+0000"), "UTC")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


@dataclass(frozen=True, slots=True)
class Value:
    """One thing that a record says.

    Attributes:
        text: the words.
        label: what it is, "" if the row's label says so.
        href: http or https address behind the words, "" if there is none.
        notes: further words: a date as it is written, attributes.
        lines: where the elements that it was made of begin.
        is_said: the record has these words; else they say why it has none.
    """

    text: str
    label: str = ""
    href: str = ""
    notes: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    is_said: bool = True


def linked(text: str, href: str = "") -> Value:
    """Return a text with the address that belongs to it, or that it is; dates are spelt out."""
    if not href and (day := _day(text)):
        return Value(day, notes=(text,))
    notes = (href,) if href and href != text else ()
    address = href or text
    is_link = address[:4].lower() == "http" and is_web_url(address)
    return Value(text, href=address if is_link else "", notes=notes)


def _day(text: str) -> str:
    """A date of ISO 8601 as people write it, "" if it is none."""
    match = _DATE.fullmatch(text)
    if not match:
        return ""
    year, month, day, time, zone = match.groups()
    try:
        found = date(int(year), int(month), int(day or 1))
    except ValueError:
        return ""
    said = f"{_MONTHS[found.month - 1]} {year}"
    if day:
        said = f"{found.day} {said}"
    if time and (time, zone) != ("00:00", None):
        said += f", {time} {_ZONES.get(zone, zone) or ''}".rstrip()
    return said


def nil_in_words(reason: str) -> str:
    """Return a reason for a value's absence in words."""
    return NIL.get(reason, f"Not given: {reason.removeprefix('other:')}")


def code_in_words(code: str, text: str) -> str:
    """Return a value of a code list in words, and the text beside it if that says more."""
    if not code or text.lower() == code.lower():
        code, text = code or text, ""
    if text:
        return f"{text} ({code})"
    if code in LANGUAGES:
        return f"{LANGUAGES[code]} ({code})"
    # Others are identifiers.
    return _split(code, "") if re.fullmatch(r"[A-Za-z]+", code) else code


def label_of(name: str) -> str:
    """Return what an element or attribute is called, given its local name."""
    return KINDS.get(name) or LABELS.get(name) or name_in_words(name)


def name_in_words(name: str) -> str:
    """Return the words of a name: of MD_DataIdentification "Data identification"."""
    plain = re.sub(r"^[A-Z]{2,3}_(?=[A-Z])", "", name)
    said = _split(plain, "_-.") or name
    return said[:1].upper() + said[1:]


def _split(name: str, marks: str) -> str:
    """Set a blank wherever a word begins in a name; abbreviations keep their capitals."""
    parts = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    for mark in marks:
        parts = parts.replace(mark, " ")
    return " ".join(
        each if each.isupper() and len(each) > 1 else each.lower() for each in parts.split()
    )


def tidy(text: str | None) -> str:
    """Return a text without the layout of the XML; paragraphs stay."""
    lines = (" ".join(line.split()) for line in clean_text(text).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))
