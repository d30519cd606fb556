"""GEMINI records of a fictional national park, for the types that harvest GEMINI.

The records are written from gemini.toml as UK GEMINI 2.3 requires, and ``served`` reads them back,
both without the extension's code.
"""

from __future__ import annotations

import tomllib
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from demo.map_service import Layer, MapService
from demo.publishers import Served, gemini_parts

GMD, GCO = "{http://www.isotc211.org/2005/gmd}", "{http://www.isotc211.org/2005/gco}"
GMX = "{http://www.isotc211.org/2005/gmx}"
HREF = "{http://www.w3.org/1999/xlink}href"
OGL = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
LICENCES = {OGL: "uk-ogl"}
CODES = (
    "https://standards.iso.org/ittf/PubliclyAvailableStandards/ISO_19139_Schemas/resources/codelist"
)
NO_LIMITS = "https://inspire.ec.europa.eu/metadata-codelist/LimitationsOnPublicAccess/noLimitations"
MEDIA = {"CSV": "csv", "GeoJSON": "geojson", "Shapefile": "zip", "GeoTIFF": "tif"}
_SIDES = ("westBoundLongitude", "southBoundLatitude", "eastBoundLongitude", "northBoundLatitude")


@dataclass(frozen=True)
class Record:
    """One record: a dataset, or a view service.

    Attributes:
        name: of its file, without ending.
        box: west, south, east, north in degrees.
        date: of the last change.
        links: URL, name, protocol.
        shows: identifiers of the datasets that a service shows.
        is_complete: it has all that GEMINI 2.3 asks for, so that a check finds no problem.
    """

    name: str
    title: str
    abstract: str
    box: tuple[float, float, float, float]
    date: str
    links: tuple[tuple[str, str, str], ...]
    category: str = ""
    keyword: str = ""
    frequency: str = ""
    shows: tuple[str, ...] = ()
    is_complete: bool = False

    @property
    def identifier(self) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{_table()['host']}/{self.name}"))

    @property
    def is_service(self) -> bool:
        return bool(self.shows)

    def untitled(self) -> Record:
        """Return the record without a title, as a later edit spoilt it."""
        return replace(self, title="", date="2026-07-01")


@cache
def _table() -> dict[str, Any]:
    place = Path(__file__).with_suffix(".toml")
    return tomllib.loads(place.read_text(encoding="utf-8"))


def records() -> list[Record]:
    """Return all datasets and after them the services, always in the same order."""
    table = _table()
    datasets = [_dataset(theme, place) for theme in table["theme"] for place in table["place"]]
    return [*datasets, *(_service(each) for each in table["service"])]


def document_with_services(record: Record, base: str) -> str:
    """Return the record as a file in which links to map services lead to those at ``base``."""
    return document(record).replace(f"{_table()['host']}/wms/", f"{base}/wms/")


def services(base: str) -> dict[str, MapService]:
    """Return the map services by their paths."""
    boxes = [tuple(each["box"]) for each in _table()["place"]]
    colours = ((25, 104, 190), (46, 125, 50), (176, 96, 16))
    found = {}
    for line in _table()["service"]:
        path = f"/wms/{_slug(line['name'] + ' WMS')}"
        layers = [
            Layer(_slug(theme), theme, colour, boxes)
            for theme, colour in zip(line["themes"], colours, strict=False)
        ]
        found[path] = MapService(base + path, line["name"], layers)
    return found


def lone() -> Record:
    """Return a dataset that is in no folder, because an identifier belongs to one source only."""
    return replace(
        records()[0],
        name="otter-survey",
        title="Otter survey of the Carrow",
        abstract="Signs of otters along the river Carrow, found on foot twice a year: tracks and "
        "holts, each with its date, its place and the name of the surveyor.",
        category="biota",
        keyword="Species distribution",
        links=((f"{_table()['host']}/data/otter-survey.csv", "Otter signs (CSV)", "WWW:DOWNLOAD"),),
        is_complete=True,
    )


def _dataset(theme: dict[str, Any], place: dict[str, Any]) -> Record:
    name = _slug(f"{theme['name']} {place['name']}")
    address = f"{_table()['host']}/data/{name}"
    return Record(
        name=name,
        title=f"{theme['name']}: {place['name']}",
        abstract=f"{theme['abstract']} This part covers {place['name']}.",
        box=tuple(place["box"]),
        date=theme["date"],
        links=tuple(
            (f"{address}.{MEDIA[each]}", f"{theme['name']} ({each})", "WWW:DOWNLOAD")
            for each in theme["formats"]
        ),
        category=theme["category"],
        keyword=theme["inspire"],
        frequency=theme["frequency"],
    )


def _service(line: dict[str, Any]) -> Record:
    places = _table()["place"]
    boxes = [each["box"] for each in places]
    name = _slug(f"{line['name']} WMS")
    shown = [_slug(f"{theme} {place['name']}") for theme in line["themes"] for place in places]
    address = f"{_table()['host']}/wms/{name}?service=WMS&request=GetCapabilities"
    return Record(
        name=name,
        title=f"{line['name']} (view service)",
        abstract=f"A web map service that shows: {', '.join(line['themes'])}.",
        box=tuple(f(b[i] for b in boxes) for i, f in enumerate((min, min, max, max))),
        date=line["date"],
        links=((address, f"{line['name']} (WMS)", "OGC:WMS"),),
        keyword="infoMapAccessService",
        shows=tuple(shown),
    )


def _slug(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def document(record: Record) -> str:
    """Return the record as a file."""
    return "".join(
        (
            '<?xml version="1.0" encoding="UTF-8"?>\n<gmd:MD_Metadata',
            *(f' xmlns:{prefix}="{uri}"' for prefix, uri in _NAMESPACES.items()),
            ">\n",
            _text("fileIdentifier", record.identifier),
            _coded("language", "LanguageCode", "eng"),
            _coded("hierarchyLevel", "MD_ScopeCode", "service" if record.is_service else "dataset"),
            f"<gmd:contact>{_party('pointOfContact')}</gmd:contact>\n",
            f"<gmd:dateStamp><gco:Date>{record.date}</gco:Date></gmd:dateStamp>\n",
            _text("metadataStandardName", "UK GEMINI"),
            _text("metadataStandardVersion", "2.3"),
            gemini_parts.REFERENCE_SYSTEM if record.is_complete else "",
            f"<gmd:identificationInfo>{''.join(_identification(record))}</gmd:identificationInfo>\n",
            _distribution(record),
            gemini_parts.QUALITY if record.is_complete else "",
            "</gmd:MD_Metadata>\n",
        )
    )


_NAMESPACES = {
    "gmd": GMD[1:-1],
    "gco": GCO[1:-1],
    "gmx": GMX[1:-1],
    "srv": "http://www.isotc211.org/2005/srv",
    "gml": "http://www.opengis.net/gml/3.2",
    "xlink": "http://www.w3.org/1999/xlink",
}


def _identification(record: Record) -> Iterator[str]:
    kind = "srv:SV_ServiceIdentification" if record.is_service else "gmd:MD_DataIdentification"
    yield f"<{kind}>"
    dated = (
        f"<gmd:date><gmd:CI_Date><gmd:date><gco:Date>{record.date}</gco:Date></gmd:date>"
        f"{_coded('dateType', 'CI_DateTypeCode', 'revision')}</gmd:CI_Date></gmd:date>"
    )
    code = _text("code", f"{_table()['host']}/id/{record.name}")
    identifier = f"<gmd:identifier><gmd:MD_Identifier>{code}</gmd:MD_Identifier></gmd:identifier>"
    citation = f"{_text('title', record.title)}{dated}{identifier}"
    yield f"<gmd:citation><gmd:CI_Citation>{citation}</gmd:CI_Citation></gmd:citation>\n"
    yield _text("abstract", record.abstract)
    yield f"<gmd:pointOfContact>{_party('owner')}</gmd:pointOfContact>\n"
    if record.is_complete:
        yield f"<gmd:pointOfContact>{_party('distributor')}</gmd:pointOfContact>\n"
    if record.frequency:
        code = _coded(
            "maintenanceAndUpdateFrequency", "MD_MaintenanceFrequencyCode", record.frequency
        )
        inner = f"<gmd:MD_MaintenanceInformation>{code}</gmd:MD_MaintenanceInformation>"
        yield f"<gmd:resourceMaintenance>{inner}</gmd:resourceMaintenance>\n"
    yield (
        f"<gmd:descriptiveKeywords><gmd:MD_Keywords>{_text('keyword', record.keyword)}"
        "</gmd:MD_Keywords></gmd:descriptiveKeywords>\n"
    )
    yield _constraints("accessConstraints", NO_LIMITS, "no limitations to public access")
    yield _constraints("useConstraints", OGL, "Open Government Licence v3.0")
    if record.is_service:
        yield "<srv:serviceType><gco:LocalName>view</gco:LocalName></srv:serviceType>"
        yield _extent("srv", record)
        yield '<srv:couplingType><srv:SV_CouplingType codeListValue="tight"/></srv:couplingType>'
        yield from map(_coupled, record.shows)
    else:
        if record.is_complete:
            yield _coded("spatialRepresentationType", "MD_SpatialRepresentationTypeCode", "vector")
        yield _coded("language", "LanguageCode", "eng")
        category = f"<gmd:MD_TopicCategoryCode>{record.category}</gmd:MD_TopicCategoryCode>"
        yield f"<gmd:topicCategory>{category}</gmd:topicCategory>\n"
        yield _extent("gmd", record)
    yield f"</{kind}>"


def _distribution(record: Record) -> str:
    links = "".join(
        "<gmd:onLine><gmd:CI_OnlineResource>"
        f"<gmd:linkage><gmd:URL>{escape(url)}</gmd:URL></gmd:linkage>"
        f"{_text('protocol', protocol)}{_text('name', name)}"
        f"{gemini_parts.LINK if record.is_complete else ''}"
        "</gmd:CI_OnlineResource></gmd:onLine>\n"
        for url, name, protocol in record.links
    )
    return (
        "<gmd:distributionInfo><gmd:MD_Distribution>"
        f"{gemini_parts.FORMAT if record.is_complete else ''}<gmd:transferOptions>"
        f"<gmd:MD_DigitalTransferOptions>{links}</gmd:MD_DigitalTransferOptions>"
        "</gmd:transferOptions></gmd:MD_Distribution></gmd:distributionInfo>\n"
    )


def _extent(prefix: str, record: Record) -> str:
    box = "".join(
        f"<gmd:{side}><gco:Decimal>{degrees}</gco:Decimal></gmd:{side}>"
        for side, degrees in zip(_SIDES, record.box, strict=True)
    )
    return (
        f"<{prefix}:extent><gmd:EX_Extent><gmd:geographicElement><gmd:EX_GeographicBoundingBox>"
        f"{box}</gmd:EX_GeographicBoundingBox></gmd:geographicElement>"
        f"{gemini_parts.PERIOD if record.is_complete else ''}</gmd:EX_Extent>"
        f"</{prefix}:extent>\n"
    )


def _constraints(element: str, url: str, words: str) -> str:
    anchor = f"<gmx:Anchor xlink:href={quoteattr(url)}>{escape(words)}</gmx:Anchor>"
    return (
        "<gmd:resourceConstraints><gmd:MD_LegalConstraints>"
        f"{_coded(element, 'MD_RestrictionCode', 'otherRestrictions')}"
        f"<gmd:otherConstraints>{anchor}</gmd:otherConstraints>"
        "</gmd:MD_LegalConstraints></gmd:resourceConstraints>\n"
    )


def _coupled(name: str) -> str:
    dataset = next(each for each in records() if each.name == name)
    url = f"{_table()['host']}/waf/{dataset.name}.xml?id={dataset.identifier}"
    return f'<srv:operatesOn uuidref="{dataset.identifier}" xlink:href="{escape(url)}"/>\n'


def _party(role: str) -> str:
    table = _table()
    address = _text("electronicMailAddress", table["email"])
    return (
        f"<gmd:CI_ResponsibleParty>{_text('organisationName', table['publisher'])}"
        f"<gmd:contactInfo><gmd:CI_Contact><gmd:address><gmd:CI_Address>{address}"
        "</gmd:CI_Address></gmd:address></gmd:CI_Contact></gmd:contactInfo>"
        f"{_coded('role', 'CI_RoleCode', role)}</gmd:CI_ResponsibleParty>"
    )


def _coded(element: str, kind: str, value: str) -> str:
    code = f'<gmd:{kind} codeList="{CODES}/gmxCodelists.xml#{kind}" codeListValue="{value}"/>'
    return f"<gmd:{element}>{code}</gmd:{element}>"


def _text(element: str, words: str) -> str:
    inner = f"<gco:CharacterString>{escape(words)}</gco:CharacterString>"
    return f"<gmd:{element}>{inner}</gmd:{element}>\n"


def served(record: ElementTree.Element) -> Served:
    """Read a gmd:MD_Metadata without the extension's code."""
    title = _first(record, "title")
    licence = next(e for e in record.iter(f"{GMX}Anchor") if "licence" in e.attrib[HREF])
    west, south, east, north = (float(_first(record, side)) for side in _SIDES)
    level = next(record.iter(f"{GMD}MD_ScopeCode")).attrib["codeListValue"]
    return Served(
        guid=_first(record, "fileIdentifier"),
        title=title,
        urls=frozenset(each.text or "" for each in record.iter(f"{GMD}URL")),
        raw=ElementTree.tostring(record, encoding="unicode"),
        licence=LICENCES[licence.attrib[HREF]],
        extras={"resource-type": level, "metadata-date": _first(record, "dateStamp")},
        box=(west, south, east, north),
        is_readable=bool(title),
    )


def _first(record: ElementTree.Element, name: str) -> str:
    element = next(record.iter(GMD + name))
    return "".join(element.itertext()).strip()
