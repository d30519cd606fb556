"""Catalogues of any size in each format: datasets with three resources, alike in all formats."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from xml.sax.saxutils import escape

from tests.publisher import Response

LICENCE = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
DATE = "2026-05-01"
HOST = "https://data.bench.example"


def datasets(name: str, count: int, changed: int = 0) -> Iterator[dict[str, Any]]:
    """Yield datasets of a catalogue; the first ``changed`` have another description.

    Args:
        name: of the catalogue; in titles and identifiers, so that no two catalogues share any.
    """
    for number in range(count):
        more = " It was counted again." if number < changed else ""
        yield {
            "id": f"{HOST}/{name}/{number}",
            "title": f"Ward {number} in numbers ({name})",
            "text": f"What the county counted in ward {number}. " * 5 + more,
            "tags": ["wards", "counts", f"group {number % 50}"],
            "files": [
                (f"Numbers of year {year}", f"{HOST}/{name}/{number}/{year}.csv")
                for year in (2023, 2024, 2025)
            ],
        }


def data_json(name: str, count: int, changed: int = 0) -> dict[str, Response]:
    """Return the routes of a data.json catalogue (Project Open Data 1.1)."""
    found = [_pod(each) for each in datasets(name, count, changed)]
    body = json.dumps(
        {"conformsTo": "https://project-open-data.cio.gov/v1.1/schema", "dataset": found}
    )
    return {f"/{name}/data.json": _response(body, "application/json")}


def _pod(each: dict[str, Any]) -> dict[str, Any]:
    return {
        "@type": "dcat:Dataset",
        "identifier": each["id"],
        "title": each["title"],
        "description": each["text"],
        "keyword": each["tags"],
        "modified": DATE,
        "accessLevel": "public",
        "publisher": {"name": "County"},
        "contactPoint": {"fn": "Open data", "hasEmail": "mailto:data@bench.example"},
        "license": LICENCE,
        "distribution": [
            {
                "@type": "dcat:Distribution",
                "title": title,
                "mediaType": "text/csv",
                "format": "CSV",
                "downloadURL": url,
            }
            for title, url in each["files"]
        ],
    }


def turtle(name: str, count: int, changed: int = 0) -> dict[str, Response]:
    """Return the routes of a DCAT catalogue in Turtle."""
    head = (
        "@prefix dcat: <http://www.w3.org/ns/dcat#> .\n@prefix dct: <http://purl.org/dc/terms/> .\n"
        "@prefix foaf: <http://xmlns.com/foaf/0.1/> .\n"
        "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
        f"<{HOST}/{name}> a dcat:Catalog .\n"
    )
    parts = (_triples(each, f"{HOST}/{name}") for each in datasets(name, count, changed))
    return {f"/{name}/catalog.ttl": _response(head + "".join(parts), "text/turtle")}


def _triples(each: dict[str, Any], catalogue: str) -> str:
    tags = ", ".join(json.dumps(tag) for tag in each["tags"])
    files = "".join(
        f"<{url}#file> a dcat:Distribution ; dct:title {json.dumps(title)} ;\n"
        f'  dcat:downloadURL <{url}> ; dct:format "CSV" ; dct:license <{LICENCE}> .\n'
        for title, url in each["files"]
    )
    listed = ", ".join(f"<{url}#file>" for _title, url in each["files"])
    return (
        f"<{catalogue}> dcat:dataset <{each['id']}> .\n"
        f"<{each['id']}> a dcat:Dataset ; dct:title {json.dumps(each['title'])} ;\n"
        f"  dct:description {json.dumps(each['text'])} ;\n"
        f"  dct:identifier {json.dumps(each['id'])} ;\n"
        f'  dcat:keyword {tags} ; dct:modified "{DATE}"^^xsd:date ; dct:license <{LICENCE}> ;\n'
        f'  dct:publisher [ a foaf:Organization ; foaf:name "County" ] ;\n'
        f"  dcat:distribution {listed} .\n{files}"
    )


def json_ld(name: str, count: int, changed: int = 0) -> dict[str, Response]:
    """Return the routes of a DCAT catalogue in JSON-LD, with its datasets inside."""
    terms = ("dcat", "http://www.w3.org/ns/dcat#"), ("dct", "http://purl.org/dc/terms/")
    found = [_node(each) for each in datasets(name, count, changed)]
    catalogue = {
        "@context": dict(terms),
        "@id": f"{HOST}/{name}",
        "@type": "dcat:Catalog",
        "dcat:dataset": found,
    }
    return {f"/{name}/catalog.jsonld": _response(json.dumps(catalogue), "application/ld+json")}


def _node(each: dict[str, Any]) -> dict[str, Any]:
    return {
        "@id": each["id"],
        "@type": "dcat:Dataset",
        "dct:identifier": each["id"],
        "dct:title": each["title"],
        "dct:description": each["text"],
        "dcat:keyword": each["tags"],
        "dct:license": {"@id": LICENCE},
        "dcat:distribution": [
            {
                "@id": f"{url}#file",
                "@type": "dcat:Distribution",
                "dct:title": title,
                "dcat:downloadURL": {"@id": url},
                "dct:format": "CSV",
            }
            for title, url in each["files"]
        ],
    }


def inventory(name: str, count: int, changed: int = 0) -> dict[str, Response]:
    """Return the routes of an Inventory XML document."""
    parts = "".join(_inventory_dataset(each) for each in datasets(name, count, changed))
    body = (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<inv:Inventory xmlns:inv="http://schemas.esd.org.uk/inventory" Modified="{DATE}">'
        f"<inv:Identifier>{HOST}/{name}</inv:Identifier><inv:Metadata><inv:Publisher>{HOST}"
        "</inv:Publisher><inv:Title>County</inv:Title></inv:Metadata>"
        f"<inv:Datasets>{parts}</inv:Datasets></inv:Inventory>"
    )
    return {f"/{name}/inventory.xml": _response(body, "text/xml; charset=utf-8")}


def _inventory_dataset(each: dict[str, Any]) -> str:
    files = "".join(
        f'<inv:Resource Type="Data"><inv:Identifier>{url}</inv:Identifier>'
        f"<inv:Title>{escape(title)}</inv:Title><inv:Renditions><inv:Rendition>"
        f"<inv:Identifier>{url}</inv:Identifier><inv:MimeType>text/csv</inv:MimeType>"
        "<inv:Availability>Download</inv:Availability></inv:Rendition></inv:Renditions>"
        "</inv:Resource>"
        for title, url in each["files"]
    )
    return (
        f'<inv:Dataset Modified="{DATE}"><inv:Identifier>{each["id"]}</inv:Identifier>'
        f"<inv:Title>{escape(each['title'])}</inv:Title>"
        f"<inv:Description>{escape(each['text'])}</inv:Description>"
        f"<inv:Rights>{LICENCE}</inv:Rights><inv:Resources>{files}</inv:Resources></inv:Dataset>"
    )


def folder(name: str, count: int, changed: int = 0) -> dict[str, Response]:
    """Return the routes of a web-accessible folder of GEMINI records (ISO 19139)."""
    rows, routes = [], {}
    for number, each in enumerate(datasets(name, count, changed)):
        day = "2026-05-02" if number < changed else DATE
        rows.append(f'<a href="{number}.xml">{number}.xml</a>  {day} 10:31  4.1K\n')
        routes[f"/{name}/waf/{number}.xml"] = _response(_gemini(each), "application/xml")
    listing = f"<html><head><title>Index of /</title></head><pre>{''.join(rows)}</pre></html>"
    return {f"/{name}/waf/": _response(listing, "text/html"), **routes}


def _gemini(each: dict[str, Any]) -> str:
    def text(value: str) -> str:
        return f"<gco:CharacterString>{escape(value)}</gco:CharacterString>"

    words = "".join(f"<gmd:keyword>{text(tag)}</gmd:keyword>" for tag in each["tags"])
    files = "".join(
        "<gmd:onLine><gmd:CI_OnlineResource>"
        f"<gmd:linkage><gmd:URL>{url}</gmd:URL></gmd:linkage><gmd:name>{text(title)}</gmd:name>"
        "</gmd:CI_OnlineResource></gmd:onLine>"
        for title, url in each["files"]
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>'
        '<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd"'
        ' xmlns:gco="http://www.isotc211.org/2005/gco">'
        f"<gmd:fileIdentifier>{text(each['id'])}</gmd:fileIdentifier>"
        '<gmd:hierarchyLevel><gmd:MD_ScopeCode codeListValue="dataset"/></gmd:hierarchyLevel>'
        f"<gmd:dateStamp><gco:Date>{DATE}</gco:Date></gmd:dateStamp><gmd:identificationInfo>"
        "<gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation>"
        f"<gmd:title>{text(each['title'])}</gmd:title></gmd:CI_Citation></gmd:citation>"
        f"<gmd:abstract>{text(each['text'])}</gmd:abstract><gmd:descriptiveKeywords>"
        f"<gmd:MD_Keywords>{words}</gmd:MD_Keywords></gmd:descriptiveKeywords><gmd:extent>"
        "<gmd:EX_Extent><gmd:geographicElement><gmd:EX_GeographicBoundingBox>"
        "<gmd:westBoundLongitude><gco:Decimal>-2.1</gco:Decimal></gmd:westBoundLongitude>"
        "<gmd:eastBoundLongitude><gco:Decimal>-1.2</gco:Decimal></gmd:eastBoundLongitude>"
        "<gmd:southBoundLatitude><gco:Decimal>51.2</gco:Decimal></gmd:southBoundLatitude>"
        "<gmd:northBoundLatitude><gco:Decimal>52.1</gco:Decimal></gmd:northBoundLatitude>"
        "</gmd:EX_GeographicBoundingBox></gmd:geographicElement></gmd:EX_Extent></gmd:extent>"
        "</gmd:MD_DataIdentification></gmd:identificationInfo><gmd:distributionInfo>"
        "<gmd:MD_Distribution><gmd:transferOptions><gmd:MD_DigitalTransferOptions>"
        f"{files}</gmd:MD_DigitalTransferOptions></gmd:transferOptions></gmd:MD_Distribution>"
        "</gmd:distributionInfo></gmd:MD_Metadata>"
    )


# Format → routes, and the path that a source names.
FORMATS = {
    "data.json": (data_json, "/{}/data.json"),
    "Turtle": (turtle, "/{}/catalog.ttl"),
    "JSON-LD": (json_ld, "/{}/catalog.jsonld"),
    "inventory": (inventory, "/{}/inventory.xml"),
    "folder": (folder, "/{}/waf/"),
}


def _response(body: str, media_type: str) -> Response:
    return Response(body.encode(), headers={"Content-Type": media_type})
