"""The source type ``opensearch``: OpenSearch services with Geo, Time and EO parameters."""

from __future__ import annotations

import re

from ckanext.ukharvest.core.document_head import read_head
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.parsers.opensearch import parser as opensearch
from ckanext.ukharvest.parsers.record_checks import FieldNames
from ckanext.ukharvest.readers.opensearch import reader as open_search
from ckanext.ukharvest.source_types.source_type import SourceType

# Where GeoJSON has the number of results; that of other services is data.
_TOTALS = frozenset(("totalResults", "os:totalResults", "opensearch:totalResults"))


def _recognise(content: bytes) -> bool:
    """Tell whether this is a description document, or results in Atom or GeoJSON."""
    head = read_head(content)
    if head.root_name == "feed":
        return "a9.com/-/spec/opensearch" in head.text
    if head.values.get("type") == "FeatureCollection":
        return bool(_TOTALS & (head.keys() | head.keys("properties")))
    return head.root_name == "OpenSearchDescription"


OPENSEARCH = SourceType(
    name="opensearch",
    title="OpenSearch",
    description=(
        "A search service with an OpenSearch description document (Geo, Time and EO extensions): "
        "collections or products, in Atom or GeoJSON"
    ),
    reader=open_search.OpenSearch(),
    parser=opensearch,
    options=(*open_search.OPTIONS, *opensearch.OPTIONS),
    # Many services write the time of their answer; a real change changes something else as well.
    volatile=re.compile(r'(?<="updated":")[^"\\]*(?=")|(?<=updated>)[^<]*(?=</)'),
    field_names=FieldNames(resources="link", spatial="georss:where", metadata_modified="updated"),
    recognise=_recognise,
    usual_urls=("/opensearch/description.xml", "/opensearch.xml", "/opensearch"),
    group="files",
    summary=_(
        "A search service with a description document, such as a catalogue of satellite "
        "images. Enter the URL of that document."
    ),
    url_hint=_("The URL of the OpenSearch description document."),
    url_example="https://catalogue.example.gov.uk/opensearch/description.xml",
)
