"""The demo's records: for each source type an organisation that does not exist, and its data.

A new source type can have a line in ORGANISATIONS; the documents are ``tests.publishing``'s.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ckanext.ukharvest.source_types import TYPES
from tests.publishing import files
from tests.publishing.ods import export_path
from tests.publishing.records import OGL, Box, File, Record

PLACES = (
    "Ashmoor", "Brindle Vale", "Coldharbour", "Dunsford", "Eastmere", "Frampton", "Glebe Cross",
    "Hollin Heath", "Ivelsey", "Jetty Reach", "Kingsbarrow", "Little Wend", "Marl Hill",
    "Nethercote", "Oakhanger", "Saint Bride’s", "Tanners Yard", "Upper Wend",
)  # fmt: skip
PLACES_EACH = 8


@dataclass(frozen=True)
class Subject:
    """What data are about, in each of an organisation's places.

    Attributes:
        service: number in the Local Government Service List.
        formats: of the files, as in ``tests.publishing.files``.
    """

    title: str
    about: str
    tags: tuple[str, ...]
    service: str
    formats: tuple[str, ...]


SUBJECTS = (
    Subject("Bus stops", "Stops with their shelters, and when they were last inspected.",
            ("buses", "transport"), "637", ("CSV", "GeoJSON")),
    Subject("Street lights", "Columns with the number of their lamps.",
            ("lighting", "roads"), "564", ("CSV", "JSON")),
    Subject("Libraries", "Branches with the books that were lent on an average day.",
            ("libraries", "culture"), "437", ("CSV", "API")),
    Subject("Recycling points", "Banks for glass, paper and textiles.",
            ("waste", "recycling"), "534", ("CSV", "XML")),
    Subject("Public toilets", "Toilets with the number of their cubicles.",
            ("toilets",), "579", ("XLSX",)),
    Subject("Conservation areas", "The plan of the areas, as it was printed.",
            ("planning", "heritage"), "511", ("PDF",)),
    Subject("Play areas", "Playgrounds with the number of their swings.",
            ("children", "parks"), "461", ("GeoJSON", "CSV")),
    Subject("Air quality", "Monitoring stations with the days above the limit.",
            ("air quality", "environment"), "413", ("CSV", "API")),
    Subject("Tide gauges", "Gauges with the floods that they have seen.",
            ("coast", "floods"), "", ("GeoJSON", "CSV")),
)  # fmt: skip


@dataclass(frozen=True)
class Organisation:
    """A publisher of one source type.

    Attributes:
        corner: south-west of its area, longitude and latitude.
        subjects: places in SUBJECTS.
        config: options of the harvest source.
    """

    title: str
    notes: str
    corner: tuple[float, float]
    subjects: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def host(self) -> str:
        return f"data.{slug(self.title)}.example"


SIZE = 20  # records a page
PERIOD = "2020-01-01", "2026-05-31"

ORGANISATIONS = {
    "ckan": Organisation(
        "Wendlesham County Council", "A county’s CKAN site.", (-1.42, 51.60),
        # Each run reads everything, so that the runs differ only by the site's changes.
        config={"full_check_days": 0}),
    "data_json": Organisation(
        "Thornmere Borough Council", "A council’s data.json in pages.", (-2.15, 52.86),
        (0, 1, 2, 3, 4, 7)),
    "dcat_rdf": Organisation(
        "Wendshire County Council", "A county’s DCAT catalogue in Turtle, in pages.",
        (-1.55, 52.19)),
    "dataset_table": Organisation(
        "Little Wend Parish Council", "A parish’s table of datasets.", (-1.20, 51.80)),
    "dkan": Organisation(
        "Wendbridge District Council", "A council’s DKAN 7.", (-1.10, 52.00), (0, 3, 4, 5, 6)),
    "gemini-csw": Organisation(
        "Saltings Coast Partnership", "A partnership’s CSW catalogue.", (-3.02, 54.10),
        (3, 5, 6, 8)),
    "gemini-single": Organisation(
        "Carrow Valley Trust", "The record of one dataset, as its editor saved it.",
        (-3.10, 54.60), (7,)),
    "gemini-waf": Organisation(
        "Carrow Valley National Park Authority", "A national park’s folder of records.",
        (-3.42, 54.38), (5, 6, 7)),
    "inventory": Organisation(
        "Wexmoor District Council", "A council’s inventory, in one document.", (-2.60, 51.30)),
    "oaipmh": Organisation(
        "Wexmoor College", "A college’s research archive.", (-2.60, 51.60), (5, 7, 8)),
    "ods": Organisation(
        "Marlbeck Borough Council", "A borough’s Opendatasoft portal, whose API has the rows.",
        (-1.90, 52.40), (0, 1, 2, 3, 7)),
    "opensearch": Organisation(
        "Harrier Survey", "A survey’s catalogue with OpenSearch.", (-1.40, 54.30), (5, 6, 7, 8)),
    "sparql": Organisation(
        "Ousebeck Water Board", "A water board’s SPARQL endpoint.", (-1.90, 54.00), (3, 4, 7, 8),
        config={"batch_size": SIZE, "page_size": SIZE}),
}  # fmt: skip
# Of a type without a line of its own.
for _number, _name in enumerate(sorted(TYPES.ours.keys() - ORGANISATIONS.keys())):
    _title = TYPES[_name].title
    ORGANISATIONS[_name] = Organisation(
        f"{_title} Town Council", f"A town’s data: {_title}.", (-2.8 + 0.5 * _number, 55.1)
    )
# Of data_json: a dataset with a file that is not there, and rows that break their schema.
DEAD = "bus-stops-dunsford"
DEAD_LINKS = (f"/files/{DEAD}-archive.csv",)
WRONG = ("street-lights-dunsford",)


def slug(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def records(kind: str, base: str) -> list[Record]:
    """Return the records of a source type's publisher, in the order of their identities."""
    found = [_linked(kind, each, base) for each in _records(kind)]
    if kind in ("gemini-single", "gemini-csw"):
        found = [replace(each, details=True, period=PERIOD) for each in found]
    if kind == "gemini-single":
        return found[:1]
    if kind == "gemini-waf":
        found.append(_service(found, base))
    return sorted(found, key=lambda each: each.guid)


def _records(kind: str) -> list[Record]:
    us = ORGANISATIONS[kind]
    turn = 3 * [*ORGANISATIONS].index(kind)
    places = (PLACES[turn % len(PLACES) :] + PLACES)[:PLACES_EACH]
    made = [
        Record(
            number,
            title=f"{subject.title}, {place}",
            description=f"{subject.about} {_ABOUT.format(place)}",
            name=slug(f"{subject.title} {place}"),
            tags=subject.tags,
            publisher=us.title,
            email=f"data@{us.host}",
            licence=OGL,
            modified=f"2026-0{1 + number % 6}-{1 + number % 28:02}",
            box=_box(us.corner, number % PLACES_EACH),
            service=subject.service,
        )
        for number, (subject, place) in enumerate(
            (SUBJECTS[each], place) for each in us.subjects for place in places
        )
    ]
    return [replace(each, guid=_identity(kind, us.host, each)) for each in made]


_ABOUT = "One row for each in {}: its reference, its name, its place on the map and a count."


def _box(corner: tuple[float, float], number: int) -> Box:
    west, south = corner[0] + number % 4 * 0.1, corner[1] + number // 4 * 0.06
    return round(west, 2), round(south, 2), round(west + 0.08, 2), round(south + 0.05, 2)


def _identity(kind: str, host: str, record: Record) -> str:
    """Return an identity as publishers of the type have them."""
    address = f"https://{host}/id/{record.name}"
    if kind in ("ckan", "dkan") or kind.startswith("gemini"):
        return str(uuid.uuid5(uuid.NAMESPACE_URL, address))
    if kind in ("inventory", "ods"):
        return record.name
    return f"oai:{host}:{record.number:03}" if kind == "oaipmh" else address


def _linked(kind: str, record: Record, base: str) -> Record:
    """Return a record with the URLs of its page and its files."""
    if kind == "ods":
        exports = tuple(
            File(base + export_path(record.guid, form.lower()), form, form)
            for form in ("CSV", "JSON")
        )
        return replace(record, files=exports)
    subject = next(each for each in SUBJECTS if record.title.startswith(each.title))
    found = files.links(base, record.name, *subject.formats)
    if kind == "data_json" and record.name == DEAD:
        found += files.links(base, f"{record.name}-archive", "CSV")
    return replace(record, page=f"{base}/dataset/{record.name}", files=found)


def _service(shown: list[Record], base: str) -> Record:
    """Return a map service that shows datasets."""
    west, south, east, north = zip(*(each.box for each in shown if each.box), strict=True)
    name = "carrow-valley-wms"
    host = ORGANISATIONS["gemini-waf"].host
    address = f"{base}/wms?service=WMS&request=GetCapabilities"
    return replace(
        shown[0],
        number=len(shown),
        guid=str(uuid.uuid5(uuid.NAMESPACE_URL, f"https://{host}/id/{name}")),
        title="Maps of the Carrow Valley (view service)",
        description="A web map service that shows the areas of the national park.",
        name=name,
        tags=("infoMapAccessService",),
        service="",
        box=(min(west), min(south), max(east), max(north)),
        files=(File(address, "Maps (WMS)", "WMS"),),
        shows=tuple(each.guid for each in shown),
    )
