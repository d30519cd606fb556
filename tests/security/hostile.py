"""Publishers of each source type whose every text is hostile."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ckanext.ukharvest.source_types import TYPES
from tests.publisher import SOURCES, Publisher, Response, recorded
from tests.publishing.sparql import Endpoint, F
from tests.security.payloads import Poison, poisoned

# Not the recorded publisher with the longest result: that of DCAT is below.
_CHOSEN = {"data_json": "pod-1.1-full", "dcat_rdf": "", "gemini-single": "gemini-2.3", "sparql": ""}


def _cases() -> dict[str, str]:
    """Return source type → a recorded publisher with many fields."""
    sizes: dict[str, tuple[int, str]] = {}
    for file in sorted(SOURCES.glob("*/source.json")):
        kind = json.loads(file.read_text(encoding="utf-8"))["type"]
        size = file.with_name("expected.json").stat().st_size
        sizes[kind] = max(sizes.get(kind, (0, "")), (size, file.parent.name))
    return {name: _CHOSEN.get(name, sizes.get(name, (0, ""))[1]) for name in TYPES.ours}


CASES = _cases()

_RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  xmlns:dcat="http://www.w3.org/ns/dcat#" xmlns:dct="http://purl.org/dc/terms/"
  xmlns:foaf="http://xmlns.com/foaf/0.1/" xmlns:vcard="http://www.w3.org/2006/vcard/ns#"
  xmlns:skos="http://www.w3.org/2004/02/skos/core#" xmlns:adms="http://www.w3.org/ns/adms#"
  xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:locn="http://www.w3.org/ns/locn#">
<dcat:Dataset rdf:about="https://data.example/id/rivers">
  <dct:identifier>rivers</dct:identifier><dct:title>Rivers</dct:title>
  <dct:description>All rivers.</dct:description><dcat:keyword>water</dcat:keyword>
  <dct:issued>2024-01-01</dct:issued><dct:modified>2024-02-01</dct:modified>
  <dct:language>en</dct:language><dct:accrualPeriodicity>yearly</dct:accrualPeriodicity>
  <dct:provenance><dct:ProvenanceStatement><rdfs:label>Measured</rdfs:label>
  </dct:ProvenanceStatement></dct:provenance><adms:versionNotes>New</adms:versionNotes>
  <dcat:landingPage rdf:resource="https://data.example/rivers"/>
  <dcat:theme><skos:Concept><skos:prefLabel>Environment</skos:prefLabel></skos:Concept></dcat:theme>
  <dct:publisher><foaf:Organization rdf:about="https://data.example/us">
    <foaf:name>Council</foaf:name><foaf:homepage rdf:resource="https://data.example/"/>
    <foaf:mbox rdf:resource="mailto:us@data.example"/></foaf:Organization></dct:publisher>
  <dcat:contactPoint><vcard:Kind><vcard:fn>Team</vcard:fn>
    <vcard:hasEmail rdf:resource="mailto:team@data.example"/>
    <vcard:hasTelephone>020 1</vcard:hasTelephone></vcard:Kind></dcat:contactPoint>
  <dct:spatial><dct:Location><skos:prefLabel>Somewhere</skos:prefLabel>
    <locn:geometry>{"type": "Point", "coordinates": [1, 51]}</locn:geometry>
  </dct:Location></dct:spatial>
  <dct:temporal><dct:PeriodOfTime><dcat:startDate>2020</dcat:startDate></dct:PeriodOfTime></dct:temporal>
  <dct:accessRights><dct:RightsStatement><rdfs:label>Public</rdfs:label></dct:RightsStatement>
  </dct:accessRights>
  <dcat:distribution><dcat:Distribution rdf:about="https://data.example/rivers/csv">
    <dct:title>Table</dct:title><dct:description>All.</dct:description>
    <dcat:downloadURL rdf:resource="https://data.example/rivers.csv"/>
    <dcat:accessURL rdf:resource="https://data.example/rivers"/>
    <dcat:mediaType>text/csv</dcat:mediaType><dct:format>CSV</dct:format>
    <dct:license><dct:LicenseDocument><rdfs:label>Open</rdfs:label></dct:LicenseDocument></dct:license>
    <dct:conformsTo rdf:resource="https://data.example/schema.json"/>
  </dcat:Distribution></dcat:distribution>
</dcat:Dataset></rdf:RDF>"""


class Hostile(NamedTuple):
    """A publisher, not yet started, and the source to make of it."""

    publisher: Publisher
    path: str
    options: dict[str, Any]
    poison: Poison


def hostile_publisher(type_: str) -> Hostile:
    """Return the recorded publisher of a source type with the hostile texts in every place."""
    poison = Poison()
    if type_ == "sparql":
        endpoint = Endpoint(triples=F.RDF_XML)
        endpoint.store.load(poison.xml(_RDF).encode(), format=F.RDF_XML)
        return Hostile(Publisher({"POST /sparql": endpoint}), "/sparql", {}, poison)
    if not CASES[type_]:
        publisher = Publisher({"/all.rdf": Response(_RDF.encode())})
        return Hostile(poisoned(publisher, poison), "/all.rdf", {}, poison)
    file = SOURCES / CASES[type_] / "source.json"
    described = json.loads(file.read_text(encoding="utf-8"))
    assert described["type"] == type_
    publisher = poisoned(recorded(CASES[type_]), poison)
    # Otherwise the first hostile date would refuse the document.
    options = {
        **described["options"],
        **({"validation": "lenient"} if type_ == "inventory" else {}),
    }
    return Hostile(publisher, described["path"], options, poison)
