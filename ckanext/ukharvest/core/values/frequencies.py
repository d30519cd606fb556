"""Update frequencies: one form for POD, ISO 19115, EU and plain English terms."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import Vocabulary, parts

_UNKNOWN = frozenset(("unknown", "notknown", "notspecified", "na", "null"))

_NUMBER = r"\d+(?:[.,]\d+)?"
_INTERVAL = re.compile(
    r"(?:R\d*/)?(?:[^/]*\d[^/]*/)?"
    rf"(P(?=.)(?:{_NUMBER}Y)?(?:{_NUMBER}M)?(?:{_NUMBER}W)?(?:{_NUMBER}D)?"
    rf"(?:T(?=.)(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?)",
    re.IGNORECASE,
)
_UNITS = {"Y": "year", "M": "month", "W": "week", "D": "day"}


def parse_frequency(value: str) -> str:
    """Return ``R/P…`` (an ISO 8601 repeating interval), ``irregular`` or ``never``.

    Understands intervals with or without ``R/``, a count or a start; the codes of ISO 19115 and
    Dublin Core; EU authority URIs; plain words ("Every month"). A source that does not know
    ("unknown") gives "".

    Raises:
        ValueError: none of these.
    """
    text = " ".join(value.split())
    if code := _intervals().get(text.upper().removeprefix("R/")):
        return code
    if len(text) <= 100 and (match := _INTERVAL.fullmatch(text)):
        duration = match.group(1).upper().replace(",", ".")
        return _intervals().get(duration, "R/" + duration)
    word = re.split(r"[/#]", text.rstrip("/"))[-1] if "://" in text else text
    whole = re.sub(r"[\W_]+", "", word).lower()
    word = re.sub(r"^(?:updated|update)|(?:updates|basis)$", "", whole) or whole
    if word in _UNKNOWN:
        return ""
    if code := _words().get(whole) or _words().get(word):
        return code
    raise ValueError(
        Message(
            "'{text}' is not a frequency we know; expected an interval such as R/P1Y or a word"
            " such as monthly or irregular",
            text=shorten(text, 40),
        )
    )


def read_frequency(text: str, report: Callable[[str, str], None]) -> tuple[str, dict[str, str]]:
    """Return a frequency, and the extra that keeps a text that is none.

    Args:
        report: called with a problem's code and text.
    """
    try:
        return parse_frequency(text) if text else "", {}
    except ValueError as exc:
        report("bad-frequency", str(exc))
        return "", {"frequency": text}


def frequency_label(value: str, translate: Callable[[str], str] = str) -> str:
    """Return the label of parse_frequency's result; other text unchanged."""
    label = _labels().get(value, "")
    if not label and (match := re.fullmatch(r"R/P(\d+)([YMWD])", value)):
        label = f"Every {match[1]} {_UNITS[match[2]]}s"
    if not label:
        return value
    message, number = split_label(label)
    return translate(message).replace("{n}", number)


def split_label(label: str) -> tuple[str, str]:
    """Return the message and the number of a label: "Every {n} years" and "2"."""
    number = re.search(r"\d+", label)
    return (label.replace(number[0], "{n}", 1), number[0]) if number else (label, "")


@vocabulary.derived("frequencies")
def _labels(read: Vocabulary) -> Mapping[str, str]:
    return {row["value"]: row["label"] for row in read.rows}


@vocabulary.derived("frequencies")
def _intervals(read: Vocabulary) -> Mapping[str, str]:
    """Return other forms of an interval; POD lists R/P0.5W for "biweekly" beside R/P2W."""
    return {interval: row["value"] for row in read.rows for interval in parts(row["intervals"])}


@vocabulary.derived("frequencies")
def _words(read: Vocabulary) -> Mapping[str, str]:
    """Return frequencies by their words, without case, spaces and punctuation."""
    return {
        re.sub(r"[\W_]+", "", word).lower(): row["value"]
        for row in read.rows
        for word in parts(row["words"])
    }
