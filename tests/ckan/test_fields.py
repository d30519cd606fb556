"""The same facts through every source type give datasets with the same texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ckan.tests.helpers import CKANTestApp
from lxml import html

from ckanext.ukharvest.fields import DATASET, FIELDS, RESOURCE
from tests.ckan.gemini_records import dataset as gemini
from tests.ckan.harvesters.uk_fields import (
    FILE,
    LAW,
    TOILETS,
    WANTED,
    package_of,
    publish_ckan,
)
from tests.ckan.harvesting import Portal, extras, figures
from tests.publisher import Publisher
from tests.publishing.packages import DKAN_LIST

pytestmark = pytest.mark.in_process


def _inventory(publisher: Publisher) -> str:
    text = f"""<inv:Inventory xmlns:inv="http://schemas.esd.org.uk/inventory" Modified="2026-05-01">
  <inv:Identifier>https://council.example</inv:Identifier>
  <inv:Datasets><inv:Dataset Modified="2026-05-01" Active="True">
    <inv:Identifier>toilets</inv:Identifier><inv:Title>A list of places</inv:Title>
    <inv:Subjects>
      <inv:Subject><inv:Service/><inv:Function>https://id.esd.org.uk/service/579/</inv:Function>
      </inv:Subject>
      <inv:Subject Scheme="subject.function"><inv:Function>function/40, 9999</inv:Function>
      </inv:Subject>
      <inv:Subject Scheme="themes">environment</inv:Subject>
      <inv:Subject Scheme="themes">HEALTH</inv:Subject>
    </inv:Subjects>
    <inv:Resources><inv:Resource Type="Data">
      <inv:Identifier>file</inv:Identifier><inv:Title>File</inv:Title>
      <inv:Coverage TemporalFrom="2025-04-01" TemporalTo="2026-03-31"/>
      <inv:Renditions><inv:Rendition>
        <inv:Identifier>{FILE}</inv:Identifier><inv:MimeType>text/csv</inv:MimeType>
        <inv:ConformsTo>{TOILETS}</inv:ConformsTo>
      </inv:Rendition></inv:Renditions>
    </inv:Resource></inv:Resources>
  </inv:Dataset></inv:Datasets>
</inv:Inventory>"""
    publisher.serve("/inventory.xml", text, headers={"Content-Type": "application/xml"})
    return "/inventory.xml"


def _data_json(publisher: Publisher) -> str:
    dataset = {
        "identifier": "entry",
        "title": "A list of places",
        "theme": [
            "http://standards.esd.org.uk/?uri=service%2F579",
            "http://id.esd.org.uk/function/40/,http://id.esd.org.uk/function/9999",
            "Environment",
            "health",
        ],
        "conformsTo": TOILETS,
        "accrualPeriodicity": "R/P3M",
        "temporal": "2025-04-01/2026-03-31",
        "distribution": [{"downloadURL": FILE, "mediaType": "text/csv", "conformsTo": TOILETS}],
    }
    publisher.serve("/data.json", {"dataset": [dataset]})
    return "/data.json"


def _dcat_rdf(publisher: Publisher) -> str:
    text = f"""@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dcatap: <http://data.europa.eu/r5r/> .
@prefix dct: <http://purl.org/dc/terms/> .
<https://data.example/id/toilets> a dcat:Dataset ; dct:title "A list of places" ;
    dcat:theme <https://id.esd.org.uk/function/40>, <http://id.esd.org.uk/service/579>,
        "Environment", "Health" ;
    dct:subject <http://id.esd.org.uk/function/9999/> ;
    dct:conformsTo <{TOILETS}>, <http://www.opengis.net/def/crs/EPSG/0/27700> ;
    dcatap:applicableLegislation <{LAW}> ;
    dct:accrualPeriodicity <http://publications.europa.eu/resource/authority/frequency/QUARTERLY> ;
    dct:temporal [ dcat:startDate "2025-04-01" ; dcat:endDate "2026-03-31" ] ;
    dcat:distribution [ a dcat:Distribution ; dcat:downloadURL <{FILE}> ;
        dcat:mediaType "text/csv" ; dct:conformsTo <{TOILETS}> ] ."""
    publisher.serve("/catalogue.ttl", text, headers={"Content-Type": "text/turtle"})
    return "/catalogue.ttl"


def _gemini(publisher: Publisher) -> str:
    words = (
        '<gmx:Anchor xmlns:gmx="http://www.isotc211.org/2005/gmx"'
        ' xlink:href="http://id.esd.org.uk/function/40">Street care and cleaning</gmx:Anchor>',
        "<gco:CharacterString>http://id.esd.org.uk/function/9999</gco:CharacterString>",
    )
    services = "<gco:CharacterString>Public toilets</gco:CharacterString>"
    period = (
        '<gml:TimePeriod xmlns:gml="http://www.opengis.net/gml/3.2">'
        "<gml:beginPosition>2025-04-01</gml:beginPosition>"
        "<gml:endPosition>2026-03-31</gml:endPosition></gml:TimePeriod>"
    )
    text = gemini(
        "gemini",
        "A list of places",
        more="<gmd:resourceMaintenance><gmd:MD_MaintenanceInformation>"
        '<gmd:maintenanceAndUpdateFrequency><gmd:MD_MaintenanceFrequencyCode codeListValue="'
        'quarterly"/></gmd:maintenanceAndUpdateFrequency></gmd:MD_MaintenanceInformation>'
        "</gmd:resourceMaintenance>"
        + _keywords("", *words)
        + _keywords("Local Government Services List", services)
        + "<gmd:topicCategory><gmd:MD_TopicCategoryCode>environment</gmd:MD_TopicCategoryCode>"
        "</gmd:topicCategory>"
        "<gmd:extent><gmd:EX_Extent><gmd:temporalElement><gmd:EX_TemporalExtent><gmd:extent>"
        f"{period}</gmd:extent></gmd:EX_TemporalExtent></gmd:temporalElement></gmd:EX_Extent>"
        "</gmd:extent>",
    )
    publisher.serve("/record.xml", text, headers={"Content-Type": "application/xml"})
    return "/record.xml"


def _keywords(vocabulary: str, *words: str) -> str:
    inside = "".join(f"<gmd:keyword>{each}</gmd:keyword>" for each in words)
    title = f"<gco:CharacterString>{vocabulary}</gco:CharacterString>"
    return (
        f"<gmd:descriptiveKeywords><gmd:MD_Keywords>{inside}<gmd:thesaurusName><gmd:CI_Citation>"
        f"<gmd:title>{title}</gmd:title></gmd:CI_Citation></gmd:thesaurusName></gmd:MD_Keywords>"
        "</gmd:descriptiveKeywords>"
    )


def _dkan(publisher: Publisher) -> str:
    """Serve what a publisher types into DKAN's "additional info"."""
    facts = {
        "Theme Primary": "Environment",
        "theme_secondary": "Health",
        "LA Function": "Street care and cleaning; 9999",
        "Service type URI": "http://id.esd.org.uk/service/579",
        "Schema": "Public toilets",
        "Codelist": "Local government services",
        "Mandate": "www.legislation.gov.uk/ukpga/1936/49",
        "Frequency": "Quarterly",
        "Temporal coverage from": "2025-04-01",
        "Temporal coverage to": "2026-03-31",
        "Unpublished": "true",
    }
    package = package_of("5f0c9a52-1f1e-4c5e-9f0e-2f1d5a3b7c11", facts)
    for start, page in ((0, [package]), (1, [])):
        publisher.serve(DKAN_LIST.format(start), {"success": True, "result": page})
    names = {"success": True, "result": [package["name"]]}
    publisher.serve("/api/3/action/package_list", names)
    return DKAN_LIST.format(0)


# Fields that a source type cannot express; it can the others of WANTED.
NOT_SAID: dict[str, set[str]] = {
    "inventory": {"codelist", "mandate", "update_frequency", "unpublished"},
    "data_json": {"codelist", "mandate", "unpublished"},
    "dcat_rdf": {"codelist", "unpublished"},
    # Functions and services decide the theme before the topic categories.
    "gemini-single": {"theme-secondary", "schema", "codelist", "mandate", "unpublished"}
    | {"schema_url", "schema_type"},
    "ckan": set(),
    "dkan": set(),
}
# On the page the start and end of a period are one row.
ENDS = {each.label for each in FIELDS if each.key.startswith("temporal_coverage-")}
LABELS = {each.label for each in FIELDS} - ENDS | {"Temporal extent"}
SERVERS: dict[str, Callable[[Publisher], str]] = {
    "inventory": _inventory,
    "data_json": _data_json,
    "dcat_rdf": _dcat_rdf,
    "gemini-single": _gemini,
    "ckan": publish_ckan,
    "dkan": _dkan,
}


def test_same_facts_give_same_fields_in_every_type(
    portal: Portal, publisher: Publisher, app: CKANTestApp
) -> None:
    assert {each.key for each in FIELDS} == WANTED.keys()
    found = {}
    pages: dict[str, set[str]] = {}
    for type_, serve in SERVERS.items():
        config = {"validation": "lenient"} if type_ == "inventory" else {}
        source = portal.source(publisher.url(serve(publisher)), type_, config=config)
        assert figures(portal.run(source)) == {"added": 1}, type_
        (dataset,) = (each for each in portal.datasets() if each["name"] not in found)
        found[dataset["name"]] = (type_, _fields(dataset))
        file = dataset["resources"][0]["id"] if dataset["resources"] else ""
        for path in (dataset["name"], f"{dataset['name']}/resource/{file}")[: 2 if file else 1]:
            for label, shown in _rows(str(app.get(f"/dataset/{path}").body)):
                pages.setdefault(label, set()).add(shown)
    wanted = {
        type_: {key: value for key, value in WANTED.items() if key not in NOT_SAID[type_]}
        for type_ in SERVERS
    }
    assert dict(found.values()) == wanted
    # On the page each field looks the same, from every source type.
    assert {label: len(shown) for label, shown in pages.items()} == dict.fromkeys(LABELS, 1)
    assert "Public toilets" in pages["Local authority service"].pop()


def _rows(page: str) -> Iterator[tuple[str, str]]:
    """Return label and value, as HTML, of each of our fields in a page's tables."""
    for row in html.fromstring(page).iterfind(".//tr"):
        label = " ".join(row.findtext("th", "").split())
        if label in LABELS:
            yield (
                label,
                "".join(html.tostring(each, encoding="unicode") for each in row.iterfind("td/*")),
            )


def _fields(dataset: dict[str, Any]) -> dict[str, Any]:
    """Return our fields as package_show gives them."""
    facts = {**dataset, **extras(dataset)}
    file = next(iter(dataset["resources"]), {})
    found = {each.key: facts.get(each.key) for each in FIELDS if each.of == DATASET}
    found |= {each.key: file.get(each.key) for each in FIELDS if each.of == RESOURCE}
    return {key: value for key, value in found.items() if value}
