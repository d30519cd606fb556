"""Documents that have every field of their format."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).with_name("complete")
ODS = "https://portal.example/explore/"


class Document(NamedTuple):
    """A document with one record.

    Attributes:
        parser: folder in parsers, whose list "Not read" counts.
        place: keys of the record within JSON, or the path of its element; the whole if empty.
        prefix: what the paths of its leaves begin with, to tell vocabularies apart.
        url: where it comes from, if its links are made from that; "" reads it as a saved file.
    """

    source_type: str
    parser: str
    place: str = ""
    url: str = ""
    prefix: str = ""


DOCUMENTS = {
    "pod-1.1.json": Document("data_json", "data_json", "dataset"),
    "ckan.json": Document("ckan", "ckan", "result"),
    "dkan-2.json": Document("dkan", "dkan"),
    "dkan-7.json": Document("dkan", "dkan", "result"),
    "dcat-us-3.json": Document("data_json", "data_json", "dataset"),
    "dcat-us-3-service.json": Document("data_json", "data_json", "service"),
    "gemini-2.3.xml": Document("gemini-single", "gemini"),
    "inventory-0.3.xml": Document("inventory", "inventory"),
    "iso-19115-3.xml": Document("gemini-single", "gemini"),
    "oai_dc.xml": Document("oaipmh", "oai_dc", ".//{*}record"),
    "ods-v1.json": Document("ods", "ods", "datasets"),
    "ods-v2.1.json": Document("ods", "ods", "results", ODS),
    "opensearch-atom.xml": Document("opensearch", "opensearch", "{*}entry"),
    "opensearch.json": Document("opensearch", "opensearch", "features"),
    "schema-org.jsonld": Document("dcat_rdf", "dcat", prefix="schema:"),
}
