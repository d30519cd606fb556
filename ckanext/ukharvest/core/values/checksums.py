"""Checksums of files as publishers write them: one reader for every format.

SPDX's ``checksumValue`` and ``algorithm`` (a name or a URI of SPDX), an algorithm before the value
("sha256:ab12…", "md5=…", "sha256-" and base64 as in Subresource Integrity), hexadecimal or base64.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterable

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
