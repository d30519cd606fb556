"""Loaded by Python at start in processes that a test gives this folder: one parser with bugs."""

import time
from typing import Any

from ckanext.ukharvest.parsers import datajson

_parse = datajson.parse


def _fail(raw: Any, options: Any) -> Any:
    if "Make the parser fail" in raw.content:
        raise ZeroDivisionError("a bug that a test put here")
    if "Make the parser hang" in raw.content:
        time.sleep(600)
    return _parse(raw, options)


datajson.parse = _fail
