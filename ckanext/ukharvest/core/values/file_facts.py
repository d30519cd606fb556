"""Sizes and checksums of files as publishers write them.

A size is bytes, or a number with a unit. Checksums: SPDX's ``checksumValue`` and ``algorithm`` (a
name or a URI of SPDX), an algorithm before the value ("sha256:ab12…", "md5=…", "sha256-" and base64
as in Subresource Integrity), hexadecimal or base64.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable
from decimal import Decimal

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.text import shorten

TEXT = "size-text"  # the extra with the text of a size that could not be read

_SIZE = re.compile(
    r"(?P<number>\d{1,18}(?:[.,]\d{1,9})?(?:e[+]?\d{1,2})?)\s*(?P<unit>[a-z]*)", re.IGNORECASE
)
# With a French unit the comma is a decimal one.
_GROUPED = re.compile(
    r"\d{1,3}(?:\s\d{3})+(?!\d)|[1-9]\d{0,2}(?:,\d{3})+(?=(?:\.\d+)?\s*(?!o|[kmgt]i?o)[a-z]*$)",
    re.IGNORECASE,
)
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
    """Return a size in bytes: "20480", "17.06 KB", "12,5 Ko", "1,234 KB", "2.0E3".

    A number with a unit was rounded for people, so its bytes are approximate.

    Raises:
        ValueError: not a size.
    """
    text = value.strip()
    if grouped := _GROUPED.match(text):
        text = re.sub(r"[,\s]", "", grouped[0]) + text[grouped.end() :]
    match = _SIZE.fullmatch(text)
    unit = (match["unit"].lower() if match else "") or "b"
    if match is None or unit not in _UNITS:
        raise ValueError(
            Message("'{value}' is not a size; expected a number of bytes", value=shorten(value, 40))
        )
    number = Decimal(match["number"].replace(",", "."))
    size = int(number) if _UNITS[unit] == 1 else round(number * _UNITS[unit])
    if size >= _MOST:
        raise ValueError(
            Message("'{value}' is not a size; expected a number of bytes", value=shorten(value, 40))
        )
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


# Algorithm, as the letters and digits of its name → bytes of its checksums.
_BYTES = {"md5": 16, "sha1": 20, "sha224": 28, "sha256": 32, "sha384": 48, "sha512": 64}
_NAMED = re.compile(r"(?:urn:)?(md5|sha-?(?:1|224|256|384|512))[:=-]\s*(?=\S)", re.IGNORECASE)
# The local part of a URI of SPDX: checksumAlgorithm_sha256.
_TERM = re.compile(r"(?:.*[/#])?(?:checksumAlgorithm_)?([^/#]*)", re.DOTALL)


def read_checksums(given: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the extras for the checksums of a file; {} if there are none.

    ``hash`` and ``hash_algorithm`` are the first one, as in ckanext-dcat, and ``checksums`` a JSON
    list of all where there are several. Base64 becomes hexadecimal, as DCAT-AP has it.

    Args:
        given: value and algorithm of each, "" for an algorithm that is not named.
    """
    checksums = dict.fromkeys(_checksum(*pair) for pair in given if pair[0])
    if not checksums:
        return {}
    value, algorithm = next(iter(checksums))
    texts = [f"{name} {text}".strip() for text, name in checksums]
    every = json.dumps(texts, ensure_ascii=False) if len(texts) > 1 else ""
    extras = {"hash": value, "hash_algorithm": algorithm, "checksums": every}
    return {name: text for name, text in extras.items() if text}


def _checksum(value: str, algorithm: str) -> tuple[str, str]:
    if match := _NAMED.match(value):
        value, algorithm = value[match.end() :], algorithm or match[1]
    match = _TERM.fullmatch(algorithm)
    name = re.sub(r"[^a-z0-9]", "", match[1].casefold()) if match else ""
    return _in_hexadecimal(value, _BYTES.get(name, 0)), algorithm


def _in_hexadecimal(value: str, size: int) -> str:
    """Return base64 of this number of bytes as hexadecimal; other texts unchanged."""
    if len(value) != -(-size // 3) * 4:  # base64 writes three bytes as four letters
        return value
    try:
        decoded = base64.b64decode(value, validate=True)
    except (ValueError, binascii.Error):
        return value
    return decoded.hex() if len(decoded) == size else value
