"""Sizes of files as publishers write them: bytes, or a number with a unit."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from ckanext.ukharvest.core.values.text import shorten

TEXT = "size-text"  # the extra with the text of a size that could not be read

_SIZE = re.compile(
    r"(?P<number>\d{1,18}(?:[.,]\d{1,9})?(?:e[+]?\d{1,2})?)\s*(?P<unit>[a-z]*)", re.IGNORECASE
)
_GROUPED = re.compile(r"\d{1,3}(?:[,\s]\d{3})+(?=\s*(?:[a-z]*)$)", re.IGNORECASE)
# Most programs count in steps of 1024; in French a byte is an octet.
_UNITS = {
    unit: 1024**power
    for power, units in enumerate(
        ("b byte bytes o octet octets", "k kb kib ko kio", "m mb mib mo mio", "g gb gib go gio")
        + ("t tb tib to tio",)
    )
    for unit in units.split()
}
_MOST = 10**18  # PostgreSQL's largest integer has 19 digits


def parse_size(value: str) -> int:
    """Return a size in bytes: "20480", "17.06 KB", "12,5 Ko", "1,234,567 bytes", "2.0E3".

    A number with a unit was rounded for people, so its bytes are approximate.

    Raises:
        ValueError: not a size.
    """
    text = value.strip()
    if _GROUPED.match(text) and not re.fullmatch(r"\d+,\d{3}\s*[a-z]{2}", text, re.IGNORECASE):
        text = re.sub(r"(?<=\d)[,\s](?=\d{3})", "", text)
    match = _SIZE.fullmatch(text)
    unit = (match["unit"].lower() if match else "") or "b"
    if match is None or unit not in _UNITS:
        raise ValueError(f"'{shorten(value, 40)}' is no size; expected bytes")
    number = Decimal(match["number"].replace(",", "."))
    size = int(number) if _UNITS[unit] == 1 else round(number * _UNITS[unit])
    if size >= _MOST:
        raise ValueError(f"'{shorten(value, 40)}' is no size; expected bytes")
    return size


def read_size(text: str, report: Callable[[str, str], None]) -> tuple[int | None, dict[str, str]]:
    """Return a size in bytes, and the extra that keeps a text that is none.

    Args:
        report: called with a problem's code and text.
    """
    if not text:
        return None, {}
    try:
        return parse_size(text), {}
    except ValueError as exc:
        report("bad-size", str(exc))
        return None, {TEXT: text}
