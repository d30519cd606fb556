"""The datasets of a fictional water board, as triples."""

from __future__ import annotations

import json

HOST = "https://data.ousebeck-water.example"
LICENCE = "http://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
BOX = (-1.9, 54.0, -1.7, 54.1)
TOPICS = {
    "abstraction": "Water taken from the river",
    "leakage": "Water lost between the works and the meters",
    "quality": "Samples taken at customers' taps",
    "reservoirs": "Levels of the reservoirs on each Monday",
    "works": "Planned works on pipes",
}
YEARS = range(2008, 2026)
_PREFIXES = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "gsp": "http://www.opengis.net/ont/geosparql#",
    "locn": "http://www.w3.org/ns/locn#",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}


def entries() -> list[dict[str, str]]:
    """Return all datasets, always in the same order."""
    return [
        {
            "id": f"{topic}-{year}",
            "title": f"{topic.capitalize()}, {year}",
            "text": f"{text}, in {year}.",
            "modified": f"{year + 1}-01-15",
        }
        for topic, text in TOPICS.items()
        for year in YEARS
    ]


def turtle(datasets: list[dict[str, str]]) -> str:
    """Return the datasets and their publisher as Turtle."""
    prefixes = "".join(f"@prefix {name}: <{space}> .\n" for name, space in _PREFIXES.items())
    board = f'<{HOST}/board> a foaf:Organization; foaf:name "Ousebeck Water Board" .\n'
    return prefixes + board + "".join(map(_dataset, datasets))


def _dataset(entry: dict[str, str]) -> str:
    west, south, east, north = BOX
    ring = f"{west} {south}, {east} {south}, {east} {north}, {west} {north}, {west} {south}"
    title = f"dct:title {json.dumps(entry['title'])}; " if entry["title"] else ""
    files = ", ".join(
        f'[ a dcat:Distribution; dct:title "{form} file"; dct:format "{form}";'
        f" dcat:downloadURL <{HOST}/files/{entry['id']}.{form.lower()}> ]"
        for form in ("CSV", "JSON")
    )
    return (
        f"<{HOST}/id/{entry['id']}> a dcat:Dataset; {title}"
        f'dct:description {json.dumps(entry["text"])}; dcat:keyword "water";'
        f' dct:modified "{entry["modified"]}"^^xsd:date; dct:license <{LICENCE}>;'
        f" dct:publisher <{HOST}/board>; dcat:contactPoint [ a vcard:Kind;"
        ' vcard:fn "Data desk"; vcard:hasEmail <mailto:data@ousebeck-water.example> ];'
        f' dct:spatial [ a dct:Location; locn:geometry "POLYGON(({ring}))"^^gsp:wktLiteral ];'
        f" dcat:distribution {files} .\n"
    )
