"""The datasets of a fictional county, and the pages that list them."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

HOST = "https://opendata.wendshire.example"
LICENCE = "http://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
TOPICS = {
    "air-quality": ("Air quality", "Readings of the council's monitoring station", "Environment"),
    "bus-stops": ("Bus stops", "Stops with shelters, timetables and step-free access", "Transport"),
    "school-places": ("School places", "Places, pupils and applications by school", "Education"),
    "road-works": ("Road works", "Planned works on the county's roads, with dates", "Transport"),
    "libraries": ("Library visits", "Visits, loans and events of each library", "Culture"),
    "allotments": ("Allotments", "Plots, their size and how many people wait", "Environment"),
}
PLACES = (
    ("Ashwell", -1.42, 52.31),
    ("Bramford", -1.35, 52.28),
    ("Coldbrook", -1.51, 52.36),
    ("Dunmere", -1.29, 52.40),
    ("Eastover", -1.22, 52.33),
    ("Fernhill", -1.47, 52.22),
    ("Greatham", -1.38, 52.44),
    ("Harcombe", -1.31, 52.19),
    ("Ilsley", -1.55, 52.27),
    ("Kingsmead", -1.26, 52.25),
    ("Longford", -1.44, 52.39),
    ("Netherby", -1.33, 52.35),
)
NAMESPACES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "hydra": "http://www.w3.org/ns/hydra/core#",
    "locn": "http://www.w3.org/ns/locn#",
}
_WKT = "http://www.opengis.net/ont/geosparql#wktLiteral"
_DATE = "http://www.w3.org/2001/XMLSchema#date"


def entries() -> list[dict[str, str]]:
    """Return all datasets, always in the same order."""
    return [
        {
            "id": f"{topic}-{place.lower()}",
            "title": f"{title}, {place}",
            "description": f"{text} in {place}.",
            "theme": theme,
            "modified": f"2026-0{1 + number % 9}-1{number % 7}",
            "box": f"{west},{south},{west + 0.05:.2f},{south + 0.04:.2f}",
        }
        for topic, (title, text, theme) in TOPICS.items()
        for number, (place, west, south) in enumerate(PLACES)
    ]


def page(datasets: list[dict[str, str]], url: str, after: str, *, total: int) -> str:
    """Return one page of the catalogue as RDF/XML."""
    names = " ".join(f'xmlns:{name}="{address}"' for name, address in NAMESPACES.items())
    link = f"<hydra:nextPage>{escape(after)}</hydra:nextPage>" if after else ""
    body = "\n".join(_dataset(each) for each in datasets)
    return f"""<?xml version="1.0" encoding="utf-8"?>
<rdf:RDF {names}>
<hydra:PagedCollection rdf:about={quoteattr(url)}>
  <hydra:totalItems>{total}</hydra:totalItems>{link}
</hydra:PagedCollection>
<dcat:Catalog rdf:about="{HOST}"><dct:title>Wendshire open data</dct:title>
{body}
</dcat:Catalog>
<foaf:Organization rdf:about="{HOST}/council">
  <foaf:name>Wendshire County Council</foaf:name>
</foaf:Organization>
</rdf:RDF>
"""


def _dataset(entry: dict[str, str]) -> str:
    place = f"{HOST}/dataset/{entry['id']}"
    title = f"<dct:title>{escape(entry['title'])}</dct:title>" if entry["title"] else ""
    west, south, east, north = entry["box"].split(",")
    ring = f"{west} {south}, {east} {south}, {east} {north}, {west} {north}, {west} {south}"
    return f"""<dcat:dataset><dcat:Dataset rdf:about="{place}">
  {title}
  <dct:identifier>{entry["id"]}</dct:identifier>
  <dct:description>{escape(entry["description"])}</dct:description>
  <dct:modified rdf:datatype="{_DATE}">{entry["modified"]}</dct:modified>
  <dct:license rdf:resource="{LICENCE}"/>
  <dcat:keyword>{entry["theme"].lower()}</dcat:keyword>
  <dct:publisher rdf:resource="{HOST}/council"/>
  <dcat:contactPoint><vcard:Organization>
    <vcard:fn>Open data team</vcard:fn>
    <vcard:hasEmail rdf:resource="mailto:opendata@wendshire.example"/>
  </vcard:Organization></dcat:contactPoint>
  <dct:spatial><dct:Location>
    <locn:geometry rdf:datatype="{_WKT}">POLYGON(({ring}))</locn:geometry>
  </dct:Location></dct:spatial>
  {"".join(_distribution(entry, each) for each in ("CSV", "JSON"))}
</dcat:Dataset></dcat:dataset>"""


def _distribution(entry: dict[str, str], form: str) -> str:
    place = f"{HOST}/files/{entry['id']}.{form.lower()}"
    return f"""<dcat:distribution><dcat:Distribution rdf:about="{place}#file">
    <dct:title>{form} file</dct:title><dct:format>{form}</dct:format>
    <dcat:downloadURL rdf:resource="{place}"/>
  </dcat:Distribution></dcat:distribution>"""
