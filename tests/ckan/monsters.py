"""Monster records for each source type: values far beyond what any real record has."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from xml.sax.saxutils import escape

from tests.publisher import Publisher
from tests.publishing.data_json import catalogue
from tests.publishing.gemini import gemini
from tests.publishing.oaipmh import OAI_LIST, oai_dc, oaipmh
from tests.publishing.ods import ODS_LIST, ods_dataset
from tests.publishing.opensearch import atom_entry, atom_feed
from tests.publishing.packages import DKAN_LIST, SEARCH, package
from tests.publishing.records import Item, items

TEXT = "All work and no play. " * 900_000  # 20 MB, the longest text of JSON that is read
XML_TEXT = TEXT[:9_900_000]  # libxml2 reads 10 MB
TITLE = "Roads and bridges " * 120  # 2,160 characters
RESOURCES = 10_000
TAGS = 35_000
POINTS = 1_000_000
# Control characters, lone surrogates, marks that reverse the text, a character beyond 16 bits.
ODD_TEXT = "a\x00b\x07c\x1b[31md\x7f\u202ee\ud800f\udfffg\ufeffh\U0001f30d" + "\u0301" * 5_000
NUMBER = 10**400
WRONG: tuple[Any, ...] = (None, True, -1, NUMBER, 1e308, [], [[[]]], {}, {"a": {"b": [1]}}, "")


def _polygon(points: int) -> str:
    ring = [[round(-3 + number % 1000 / 1000, 3), 51.5] for number in range(points)]
    ring[-1] = [ring[0][0], 52.5]
    return json.dumps({"type": "Polygon", "coordinates": [[*ring, ring[0]]]}, separators=(",", ":"))


@dataclass(frozen=True)
class Monster:
    """What each format writes into the fields that it has.

    Attributes:
        size: of a file, in bytes.
    """

    title: str = "Plain"
    text: str = "A description."
    resources: int = 1
    tags: int = 1
    spatial: str = ""
    size: Any = 1


HUGE = Monster(TITLE, TEXT, RESOURCES, TAGS, _polygon(POINTS))
XML_HUGE = replace(HUGE, text=XML_TEXT)
# The whole for one format of JSON and one of XML: the limits are the same code for all, and CI has
# little time. pyoxigraph reads texts of 16 MB.
LARGE = replace(HUGE, text=TEXT[:1_000_000], resources=2_000, tags=2_000, spatial=_polygon(50_000))
ODD = Monster(f"Odd {ODD_TEXT}", ODD_TEXT, size=NUMBER)


def _url(number: int) -> str:
    return f"https://data.example/files/{number}.csv"


def _package(number: int, monster: Monster) -> dict[str, Any]:
    return {
        **package(Item(number)),
        "title": monster.title,
        "notes": monster.text,
        "tags": [{"name": f"tag {each}"} for each in range(monster.tags)],
        "resources": [
            {"id": f"{number}-{each}", "url": _url(each), "size": monster.size}
            for each in range(monster.resources)
        ],
        "extras": [
            {"key": "spatial", "value": monster.spatial},
            {"key": monster.title, "value": monster.text[:1_000_000]},
            *({"key": f"extra {each}", "value": "x"} for each in range(monster.tags)),
        ],
    }


def _wrong_types(record: dict[str, Any], kept: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return copies of a record with each wrong value in every field but identity and title."""
    return [
        {key: value if key in kept else wrong for key, value in record.items()}
        | {"id": f"wrong-{number}", "identifier": f"wrong-{number}"}
        for number, wrong in enumerate(WRONG)
    ]


def _packages() -> list[dict[str, Any]]:
    found = [_package(0, Monster()), _package(1, LARGE), _package(2, ODD)]
    return found + _wrong_types({**found[0], "title": "Wrong"}, ("id", "name", "title"))


def _ckan(publisher: Publisher) -> str:
    found = _packages()
    answer = {"success": True, "result": {"count": len(found), "results": found}}
    publisher.serve(SEARCH.format(0), answer)
    return "/"


def _dkan(publisher: Publisher) -> str:
    found = _packages()
    publisher.serve(DKAN_LIST.format(0), {"success": True, "result": found})
    publisher.serve(DKAN_LIST.format(len(found)), {"success": True, "result": []})
    return "/"


def _dataset(number: int, monster: Monster) -> dict[str, Any]:
    return {
        **catalogue(items(3))["dataset"][number],
        "title": monster.title,
        "description": monster.text,
        "keyword": [f"tag {each}" for each in range(monster.tags)],
        "spatial": monster.spatial,
        "theme": [f"theme {each}" for each in range(monster.tags)],
        "distribution": [
            {"downloadURL": _url(each), "title": monster.title, "byteSize": monster.size}
            for each in range(monster.resources)
        ],
    }


def _data_json(publisher: Publisher) -> str:
    found = [_dataset(0, Monster()), _dataset(1, HUGE), _dataset(2, ODD)]
    wrong = _wrong_types({**found[0], "title": "Wrong"}, ("identifier", "title"))
    publisher.serve("/data.json", {"dataset": found + wrong})
    return "/data.json"


def _legal(text: str) -> str:
    """Return a text without what XML cannot hold: no XML parser reads it."""
    return "".join(sign for sign in text if sign.isprintable() or sign in "\t\n")


def _xml_text(text: str) -> str:
    return escape(_legal(text))


def _gemini_record(number: int, monster: Monster) -> str:
    text = "<gco:CharacterString>{}</gco:CharacterString>".format
    words = "".join(
        f"<gmd:keyword>{text(f'tag {each}')}</gmd:keyword>" for each in range(monster.tags)
    )
    keywords = (
        f"<gmd:descriptiveKeywords><gmd:MD_Keywords>{words}</gmd:MD_Keywords>"
        "</gmd:descriptiveKeywords>"
    )
    links = "".join(
        f"<gmd:onLine><gmd:CI_OnlineResource><gmd:linkage><gmd:URL>{_url(each)}</gmd:URL>"
        "</gmd:linkage></gmd:CI_OnlineResource></gmd:onLine>"
        for each in range(monster.resources)
    )
    places = ""
    if monster.spatial:
        ring = json.loads(monster.spatial)["coordinates"][0]
        numbers = " ".join(f"{y:g} {x:g}" for x, y in ring)[:9_900_000].rpartition(" ")[0]
        places = (
            '<gmd:extent><gmd:EX_Extent xmlns:gml="http://www.opengis.net/gml/3.2">'
            "<gmd:geographicElement><gmd:EX_BoundingPolygon><gmd:polygon>"
            '<gml:Polygon gml:id="p" srsName="urn:ogc:def:crs:EPSG::4326"><gml:exterior>'
            f"<gml:LinearRing><gml:posList>{numbers}</gml:posList></gml:LinearRing></gml:exterior>"
            "</gml:Polygon></gmd:polygon></gmd:EX_BoundingPolygon></gmd:geographicElement>"
            "</gmd:EX_Extent></gmd:extent>"
        )
    record = gemini(Item(number, _legal(monster.title), _legal(monster.text)))
    end = "</gmd:MD_DataIdentification>"
    record = record.replace(end, f"{keywords}{places}{end}")
    start = "<gmd:MD_DigitalTransferOptions>"
    return record.replace(start, f"{start}{links}")


def _gemini_records() -> list[str]:
    return [_gemini_record(n, each) for n, each in enumerate((Monster(), XML_HUGE, ODD))]


def _gemini_single(publisher: Publisher) -> str:
    text = (
        '<csw:GetRecordsResponse xmlns:csw="http://www.opengis.net/cat/csw/2.0.2">'
        f"<csw:SearchResults>{''.join(_gemini_records())}</csw:SearchResults>"
        "</csw:GetRecordsResponse>"
    )
    publisher.serve("/records.xml", text, headers={"Content-Type": "application/xml"})
    return "/records.xml"


def _inventory(publisher: Publisher) -> str:
    address = "https://data.example/"
    found = []
    for number, monster in enumerate((Monster(), LARGE, ODD)):
        renditions = "".join(
            f"<inv:Rendition><inv:Identifier>{address}{number}/{each}.csv</inv:Identifier>"
            "</inv:Rendition>"
            for each in range(monster.resources)
        )
        found.append(
            '<inv:Dataset Modified="2024-04-01">'
            f"<inv:Identifier>id-{number}</inv:Identifier>"
            f"<inv:Title>{_xml_text(monster.title)}</inv:Title>"
            f"<inv:Description>{_xml_text(monster.text)}</inv:Description>"
            '<inv:Resources><inv:Resource Type="Data"><inv:Identifier>file</inv:Identifier>'
            f"<inv:Title>File</inv:Title><inv:Renditions>{renditions}</inv:Renditions>"
            "</inv:Resource></inv:Resources></inv:Dataset>"
        )
    text = (
        '<inv:Inventory xmlns:inv="http://schemas.esd.org.uk/inventory" Modified="2024-05-01">'
        "<inv:Identifier>https://council.example</inv:Identifier>"
        f"<inv:Datasets>{''.join(found)}</inv:Datasets></inv:Inventory>"
    )
    publisher.serve("/inventory.xml", text, headers={"Content-Type": "application/xml"})
    return "/inventory.xml"


def _dcat_rdf(publisher: Publisher) -> str:
    lines = [
        "@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .",
        "@prefix locn: <http://www.w3.org/ns/locn#> .",
        "@prefix gsp: <http://www.opengis.net/ont/geosparql#> .",
    ]
    for number, monster in enumerate((Monster(), LARGE, ODD)):
        node = f"<https://data.example/id/{number}>"
        title, text = (json.dumps(_xml_text(each)) for each in (monster.title, monster.text))
        lines.append(f"{node} a dcat:Dataset; dct:title {title}; dct:description {text} .")
        lines += [f'{node} dcat:keyword "tag {each}" .' for each in range(min(monster.tags, 900))]
        lines += [
            f"{node} dcat:distribution [ a dcat:Distribution; dcat:downloadURL <{_url(each)}> ] ."
            for each in range(min(monster.resources, 5_000))
        ]
        if monster.spatial:
            shape = f"{json.dumps(monster.spatial)}^^gsp:geoJSONLiteral"
            lines.append(f"{node} dct:spatial [ locn:geometry {shape} ] .")
    text = "\n".join(lines)
    publisher.serve("/catalog.ttl", text, headers={"Content-Type": "text/turtle"})
    return "/catalog.ttl"


def _oaipmh(publisher: Publisher) -> str:
    """Serve records of Dublin Core, whose limits are the same code; GEMINI's are above."""
    found = []
    for number, monster in enumerate((Monster(), LARGE, ODD)):
        record = oai_dc(Item(number, _legal(monster.title), _legal(monster.text)))
        subjects = "".join(f"<dc:subject>tag {each}</dc:subject>" for each in range(monster.tags))
        links = "".join(
            f"<dc:identifier>{_url(each)}</dc:identifier>" for each in range(monster.resources)
        )
        found.append(record.replace("</oai_dc:dc>", f"{subjects}{links}</oai_dc:dc>"))
    text = oaipmh(f"<ListRecords>{''.join(found)}</ListRecords>")
    publisher.serve(OAI_LIST, text, headers={"Content-Type": "text/xml"})
    return OAI_LIST


def _ods(publisher: Publisher) -> str:
    found = [_ods_dataset(n, each) for n, each in enumerate((Monster(), LARGE, ODD))]
    publisher.serve(ODS_LIST.format(0), {"total_count": len(found), "results": found})
    return "/"


def _ods_dataset(number: int, monster: Monster) -> dict[str, Any]:
    spatial = json.loads(monster.spatial) if monster.spatial else None
    default = {
        "title": monster.title,
        "description": monster.text,
        "keyword": [f"tag {each}" for each in range(monster.tags)],
        "theme": [f"theme {each}" for each in range(monster.tags)],
        "bbox": {"type": "Feature", "geometry": spatial, "properties": {}} if spatial else None,
        "records_count": monster.size,
    }
    files = [
        {"id": f"file-{each}", "url": _url(each), "title": monster.title}
        for each in range(monster.resources)
    ]
    return {**ods_dataset(Item(number)), "attachments": files, "metas": {"default": default}}


def _opensearch(publisher: Publisher) -> str:
    found = []
    for number, monster in enumerate((Monster(), LARGE, ODD)):
        entry = atom_entry(Item(number, _legal(monster.title), _legal(monster.text)))
        tags = "".join(f'<category term="tag {each}"/>' for each in range(monster.tags))
        links = "".join(
            f'<link rel="enclosure" href="{_url(each)}"/>' for each in range(monster.resources)
        )
        found.append(entry.replace("</entry>", f"{tags}{links}</entry>"))
    text = atom_feed("".join(found), len(found))
    publisher.serve("/results.atom", text, headers={"Content-Type": "application/atom+xml"})
    return "/results.atom"


SERVERS: dict[str, Callable[[Publisher], str]] = {
    "ckan": _ckan,
    "data_json": _data_json,
    "dcat_rdf": _dcat_rdf,
    "dkan": _dkan,
    "gemini-single": _gemini_single,
    "inventory": _inventory,
    "oaipmh": _oaipmh,
    "ods": _ods,
    "opensearch": _opensearch,
}
