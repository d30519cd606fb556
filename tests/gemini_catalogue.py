"""A catalogue of generated GEMINI records shaped as real ones; the same from every seed.

How often a shape occurs is about how often it did in 92 records of live catalogues: versions 2.1
and 2.3, GML 3.1 and 3.2, Anchors, nilReason, boxes in eastings and northings, other prefixes.
"""

from __future__ import annotations

import os
import random
import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.gemini_record import Record

ISO = "http://www.isotc211.org/2005/"
NAMESPACES = {
    **{prefix: ISO + prefix for prefix in ("gmd", "gco", "gmx", "srv")},
    "xlink": "http://www.w3.org/1999/xlink",
    "gml": "http://www.opengis.net/gml/3.2",
}
OLD_GML = "http://www.opengis.net/gml"
CSW = "http://www.opengis.net/cat/csw/2.0.2"
KINDS = ("dataset",) * 13 + ("series",) * 2 + ("service",) * 4 + ("nonGeographicDataset",)
AGE = 1_780_000_000  # of all files: a listing shows the same times on every day


@dataclass(frozen=True)
class Made:
    """A record: its identity, the element without XML declaration, and its file."""

    guid: str
    kind: str
    element: str
    document: bytes

    @property
    def file(self) -> str:
        return f"{self.guid}.xml"


def records(count: int = 300, seed: int = 6) -> list[Made]:
    """Make records of all kinds; services operate on datasets before and after them."""
    rng = random.Random(seed)
    guids = [str(uuid.UUID(int=rng.getrandbits(128), version=4)) for _ in range(count)]
    kinds = [rng.choice(KINDS) for _ in guids]
    data = [guid for guid, kind in zip(guids, kinds, strict=True) if kind == "dataset"]
    made = []
    for number, (guid, kind) in enumerate(zip(guids, kinds, strict=True)):
        element = _root(Record(number, guid, kind, rng, data).body(), rng)
        made.append(Made(guid, kind, element, _document(element, rng)))
    return made


def write(made: Iterable[Made], folder: Path) -> None:
    """Write each record into a file of its own."""
    for record in made:
        path = folder / record.file
        path.write_bytes(record.document)
        os.utime(path, (AGE, AGE))


def answer(made: list[Made]) -> bytes:
    """Return all of them as one saved answer of a catalogue."""
    found = f'numberOfRecordsMatched="{len(made)}" numberOfRecordsReturned="{len(made)}"'
    elements = "\n".join(record.element for record in made)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<csw:GetRecordsResponse xmlns:csw="{CSW}">'
        f'<csw:SearchResults {found} nextRecord="0">{elements}</csw:SearchResults>'
        "</csw:GetRecordsResponse>"
    ).encode()


def _root(body: str, rng: random.Random) -> str:
    names = {**NAMESPACES, "gml": rng.choices((NAMESPACES["gml"], OLD_GML), (4, 1))[0]}
    spelt = "".join(f' xmlns:{prefix}="{uri}"' for prefix, uri in names.items())
    element = f"<gmd:MD_Metadata{spelt}>{body}</gmd:MD_Metadata>"
    other = rng.choices(("gmd:", "", "ns1:"), (8, 1, 1))[0]
    element = re.sub(r"(</?)gmd:", rf"\g<1>{other}", element)
    return element.replace("xmlns:gmd=", f"xmlns:{other[:-1]}=" if other else "xmlns=")


def _document(element: str, rng: random.Random) -> bytes:
    begin = rng.choices(("UTF-8", "BOM", "ISO-8859-1", "none"), (16, 2, 1, 1))[0]
    codec = {"BOM": "utf-8-sig", "ISO-8859-1": "latin-1"}.get(begin, "utf-8")
    named = "ISO-8859-1" if codec == "latin-1" else "UTF-8"
    lines = [] if begin == "none" else [f'<?xml version="1.0" encoding="{named}"?>']
    if rng.random() < 0.2:
        lines.append('<?xml-stylesheet type="text/xsl" href="record.xsl"?>')
    if rng.random() < 0.2:
        lines.append("<!-- Written by the map desk -->")
    return "\n".join((*lines, element, "")).encode(codec, "xmlcharrefreplace")
