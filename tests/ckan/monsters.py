"""Monster records of JSON and of XML: values far beyond what any real record has.

The limits are the same code for all formats, behind the parsers.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from xml.sax.saxutils import escape

from tests.publisher import Publisher
from tests.publishing.data_json import catalogue
from tests.publishing.gemini import gemini
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
ODD = Monster(f"Odd {ODD_TEXT}", ODD_TEXT, size=NUMBER)


def _url(number: int) -> str:
    return f"https://data.example/files/{number}.csv"


def _wrong_types(record: dict[str, Any], kept: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return copies of a record with each wrong value in every field but identity and title."""
    return [
        {key: value if key in kept else wrong for key, value in record.items()}
        | {"id": f"wrong-{number}", "identifier": f"wrong-{number}"}
        for number, wrong in enumerate(WRONG)
    ]


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


SERVERS: dict[str, Callable[[Publisher], str]] = {
    "data_json": _data_json,
    "gemini-single": _gemini_single,
}
