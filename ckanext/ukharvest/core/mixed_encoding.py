"""An error handler of decoders: bytes that are not UTF-8 are read as Windows-1252.

For concatenated files, which contain both.
"""

from __future__ import annotations

import codecs

MIXED = "ukharvest-windows-1252"


def _windows_1252(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    wrong = error.object[error.start : error.end]
    text = "".join(_byte(value) for value in wrong)
    return text, error.end


def _byte(value: int) -> str:
    byte = bytes([value])
    try:
        return byte.decode("cp1252")
    except UnicodeDecodeError:
        return byte.decode("latin-1")


codecs.register_error(MIXED, _windows_1252)
