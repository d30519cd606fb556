"""Runs with faults."""

from __future__ import annotations

import csv
import io
from typing import Any

PATH = "/data.json"


def codes(groups: list[dict[str, Any]]) -> dict[str, tuple[str, int]]:
    return {group["code"]: (group["severity"], group["records"]) for group in groups}


def lines(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))
