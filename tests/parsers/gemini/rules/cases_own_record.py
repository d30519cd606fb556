"""Records for GEMINI's requirements on the record itself that no Schematron tests."""

from __future__ import annotations

from tests.iso_spelling import el, text
from tests.parsers.gemini.rules.documents import dataset, swapped

_UNMARKED = {"constraints": "", "standard": "", "representation": ""}

CASES = {
    "gemini-o-root": (dataset(root="gmi:MI_Metadata"), dataset()),
    "gemini-o54-edition": (
        dataset(**_UNMARKED),
        dataset(**_UNMARKED | {"standard": "{standard}"}),
    ),
    "gemini-o45-chars": (
        dataset(file_id=text("gmd:fileIdentifier", "land use 2025")),
        dataset(file_id=text("gmd:fileIdentifier", " https://borchester.example/id/%20?a=(1) ")),
    ),
    "gemini-o30-future": (
        dataset(date_stamp=el("gmd:dateStamp", el("gco:DateTime", "2199-01-01T00:00:00"))),
        dataset(date_stamp=el("gmd:dateStamp", el("gco:Date", "soon"))),
    ),
    "gemini-o-gml": (
        swapped(dataset(), "http://www.opengis.net/gml/3.2", "http://www.opengis.net/gml"),
        dataset(),
    ),
}
