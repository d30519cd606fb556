"""The value of one element of a record: its text, link and label."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.presentation.rendering.dates import format_iso_date
from ckanext.ukharvest.presentation.rendering.portal_values import Portal
from ckanext.ukharvest.presentation.rendering.source_record.labels import (
    KINDS,
    LABELS,
    LANGUAGES,
    NIL,
)


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a record.

    Attributes:
        text: the text to show.
        label: what it is, "" if the row's label says so.
        href: http or https URL of the text, "" if there is none.
        notes: further texts: a date as written, attributes.
        lines: where the elements that it was made of begin.
        is_said: the text is the record's; otherwise it is the reason why there is none.
    """

    text: str
    label: str = ""
    href: str = ""
    notes: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    is_said: bool = True


def link_value(text: str, href: str = "") -> Value:
    """Return a text with its URL, its own if the text is one; dates are spelt out."""
    if not href and (day := _day(text)):
        return Value(day, notes=(text,))
    notes = (href,) if href and href != text else ()
    address = href or text
    is_link = address[:4].lower() == "http" and is_web_url(address)
    return Value(text, href=address if is_link else "", notes=notes)


def _day(text: str) -> str:
    """Return a date of ISO 8601 as text, "" if it is none."""
    day = format_iso_date(text, Portal())
    return "" if day == text else day


def format_nil_reason(reason: str) -> str:
    """Return a reason for a missing value as text."""
    return NIL.get(reason, f"Not given: {reason.removeprefix('other:')}")


def format_code(code: str, text: str) -> str:
    """Return a code list value as text, with the element's own text if that adds anything."""
    if not code or text.lower() == code.lower():
        code, text = code or text, ""
    if text:
        return f"{text} ({code})"
    if code in LANGUAGES:
        return f"{LANGUAGES[code]} ({code})"
    # Others are identifiers.
    return _split(code, "") if re.fullmatch(r"[A-Za-z]+", code) else code


def label_of(name: str) -> str:
    """Return the label of an element or attribute, given its local name."""
    return KINDS.get(name) or LABELS.get(name) or format_name(name)


def format_name(name: str) -> str:
    """Return a name as words: of MD_DataIdentification "Data identification"."""
    plain = re.sub(r"^[A-Z]{2,3}_(?=[A-Z])", "", name)
    said = _split(plain, "_-.") or name
    return said[:1].upper() + said[1:]


def _split(name: str, marks: str) -> str:
    """Set a blank before each word in a name; abbreviations keep their capitals."""
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
