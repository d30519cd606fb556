"""The records of a fictional college's research archive, in Dublin Core."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape

LICENCE = "https://creativecommons.org/licenses/by/4.0/"
NAMESPACES = {
    "oai_dc": "http://www.openarchives.org/OAI/2.0/oai_dc/",
    "dc": "http://purl.org/dc/elements/1.1/",
}
BOX = (-2.1, 53.1, -1.9, 53.2)

# Subject → what was observed.
SUBJECTS = {
    "peat depth": "depths of the peat, probed on a grid",
    "dip wells": "water levels in dip wells, hourly",
    "sphagnum": "cover of sphagnum mosses in quadrats",
    "moths": "counts of moths by night and trap",
    "curlew": "territories of curlew, walked in spring",
    "stream flow": "flow of the moor's streams at weirs",
}
YEARS = range(2010, 2025)


@dataclass
class Entry:
    """One record as its archive wrote it."""

    number: int
    subject: str
    year: int
    title: str

    @property
    def guid(self) -> str:
        return f"oai:archive.wexmoor-college.example:{self.number}"


def entries() -> list[Entry]:
    """Return all records, always in the same order."""
    pairs = [(subject, year) for subject in SUBJECTS for year in YEARS]
    return [
        Entry(number, subject, year, f"{subject.capitalize()} of Wexmoor, {year}")
        for number, (subject, year) in enumerate(pairs, 1)
    ]


def record(entry: Entry) -> str:
    """Return the record with its header."""
    files = f"https://archive.wexmoor-college.example/{entry.number}"
    west, south, east, north = BOX
    fields: Mapping[str, tuple[str, ...]] = {
        "title": (entry.title,),
        "creator": ("Moorland Group",),
        "publisher": ("Wexmoor College",),
        "subject": (entry.subject, "moorland"),
        "description": (f"Observations on Wexmoor in {entry.year}: {SUBJECTS[entry.subject]}.",),
        "date": (f"{entry.year + 1}-02-01",),
        "type": ("Dataset",),
        "identifier": (f"{files}", f"{files}/observations.csv"),
        "language": ("en",),
        "coverage": (
            f"name=Wexmoor; westlimit={west}; southlimit={south}; eastlimit={east};"
            f" northlimit={north}",
        ),
        "rights": (LICENCE,),
    }
    names = "".join(f' xmlns:{prefix}="{uri}"' for prefix, uri in NAMESPACES.items())
    found = "".join(
        f"<dc:{name}>{escape(text)}</dc:{name}>" for name, each in fields.items() for text in each
    )
    return (
        f"<record><header><identifier>{entry.guid}</identifier>"
        f"<datestamp>{entry.year + 1}-02-01T09:00:00Z</datestamp></header>"
        f"<metadata><oai_dc:dc{names}>{found}</oai_dc:dc></metadata></record>"
    )
