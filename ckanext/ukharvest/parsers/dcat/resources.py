"""Resources of a dataset besides its distributions: dumps, endpoints, and pages about it."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.core.records import ResourceRecord
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.markup import plain_line
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.parsers.dcat.node import Node

# Other links to the data, of VoID and OpenDataCommunities: predicate → name, format, kind.
WAYS = {
    "void:dataDump": ("Data dump", "RDF", "data"),
    "pmd:downloadURL": ("", "", "data"),
    "geography:zippedShapefile": ("Data as shapefile (zipped)", "SHP", "data"),
    "void:sparqlEndpoint": ("SPARQL endpoint", "SPARQL", "service"),
    "dcat:endpointURL": ("Service", "API", "service"),
    "dcat:downloadURL": ("", "", "data"),
    "dcat:accessURL": ("", "", "data"),
}
# Pages about the data.
PAGES = {
    "dcat:dataDictionary": "Data dictionary",
    "wdrs:describedby": "Data dictionary",
    "dct:references": "Reference",
    "foaf:page": "Documentation",
    "dcat:endpointDescription": "Service description",
    "dcat:landingPage": "Landing page",
}


def others(node: Node) -> Iterator[ResourceRecord]:
    """Yield other links to the data, and pages about it, the most important first."""
    for predicate, (name, label, kind) in WAYS.items():
        for url in node.links(predicate):
            # A dump may be in another form of RDF, or a table.
            mimetype = node.text("pmd:mediaType") if predicate == "pmd:downloadURL" else ""
            found = formats.of_url(url) or formats.label(mimetype)
            found = label if found in ("", "ZIP", "GZ") else found
            yield ResourceRecord(url, name=name, format=found, mimetype=mimetype, kind=kind)
    for predicate, name in PAGES.items():
        for part in node.nodes(predicate):
            url = part.address() if is_web_url(part.address()) else part.page("dcat:accessURL")
            if url:
                title = plain_line(part.text("dct:title", "schema:name", "rdfs:label"))
                label = formats.of_url(url) or "HTML"
                yield ResourceRecord(url, name=title or name, format=label, kind="documentation")
