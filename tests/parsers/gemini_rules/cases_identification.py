"""Records for the rules on title to abstract."""

from __future__ import annotations

from tests.iso_spelling import nil, text
from tests.parsers.gemini_rules.documents import dataset

CASES = {
    "gemini-01-value": (dataset(title=nil("gmd:title")), dataset()),
    "gemini-02-value": (
        dataset(alternate=nil("gmd:alternateTitle", "no")),
        dataset(alternate=nil("gmd:alternateTitle", "other:none")),
    ),
    "gemini-04-value": (dataset(abstract=text("gmd:abstract", " ")), dataset()),
    "gemini-04-short": (
        dataset(abstract=text("gmd:abstract", "x" * 99)),
        dataset(abstract=text("gmd:abstract", "x" * 100)),
    ),
}
