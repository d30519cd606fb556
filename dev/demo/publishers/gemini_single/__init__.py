"""A national park's record of one dataset, as its editor saved it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from tests.publisher import Response

from demo.publishers import Read, Served, document, gemini

TITLE = "Carrow Valley, one record (GEMINI file)"
ORGANISATION = "Carrow Valley National Park Authority"
PATH = "/records/otter-survey.xml"
CONFIG: Mapping[str, Any] = {}
FAULTS = ("bad-record",)  # it is one record


def routes(base: str, fault: str) -> dict[str, Response]:
    """Return the file."""
    record = gemini.lone()
    if fault == "bad-record":
        record = record.untitled()
    return {PATH: document(gemini.document(record), "application/xml")}


def count(read: Read, url: str) -> list[Served]:
    """Return the record of the file."""
    return [gemini.served(ElementTree.fromstring(read(url)))]
