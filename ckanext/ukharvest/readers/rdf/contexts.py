"""JSON-LD contexts that a document references by URL.

JSON-LD 1.1, section 3.1 (https://www.w3.org/TR/json-ld11/#the-context): a context may be a URL. RDF
libraries are not allowed to read it; a few common contexts are included here, abridged, and the
others are read by the harvest's own HTTP client.
"""

from __future__ import annotations

import json
import re
from contextlib import closing
from typing import Any
from urllib.parse import urljoin

from ckanext.ukharvest.core.errors import FetchError, ProtocolError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.urls import safe_url

_MAX_READ = 10  # contexts read from the network in one run
_MAX_DEPTH = 5  # contexts that name contexts
_MAX_BYTES = 5_000_000

_DCAT = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "dcterms": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "org": "http://www.w3.org/ns/org#",
    "hydra": "http://www.w3.org/ns/hydra/core#",
    "schema": "http://schema.org/",
}
# Project Open Data 1.1, https://resources.data.gov/resources/dcat-us/ ("DCAT" column).
_POD = {
    **_DCAT,
    "dataset": "dcat:dataset",
    "distribution": "dcat:distribution",
    "title": "dct:title",
    "description": "dct:description",
    "identifier": "dct:identifier",
    "keyword": "dcat:keyword",
    "modified": "dct:modified",
    "issued": "dct:issued",
    "publisher": "dct:publisher",
    "contactPoint": "dcat:contactPoint",
    "name": "foaf:name",
    "fn": "vcard:fn",
    "hasEmail": {"@id": "vcard:hasEmail", "@type": "@id"},
    "license": {"@id": "dct:license", "@type": "@id"},
    "rights": "dct:rights",
    "spatial": "dct:spatial",
    "temporal": "dct:temporal",
    "language": "dct:language",
    "theme": "dcat:theme",
    "format": "dct:format",
    "mediaType": "dcat:mediaType",
    "accrualPeriodicity": "dct:accrualPeriodicity",
    "conformsTo": {"@id": "dct:conformsTo", "@type": "@id"},
    "landingPage": {"@id": "dcat:landingPage", "@type": "@id"},
    "references": {"@id": "dct:references", "@type": "@id"},
    "isPartOf": "dct:isPartOf",
    "downloadURL": {"@id": "dcat:downloadURL", "@type": "@id"},
    "accessURL": {"@id": "dcat:accessURL", "@type": "@id"},
}
_SCHEMA_ORG = {"@vocab": "http://schema.org/", **_DCAT, "url": {"@type": "@id"}}

# URL without scheme and trailing characters → context.
BUNDLED: dict[str, Any] = {
    "project-open-data.cio.gov/v1.1/schema/catalog.jsonld": _POD,
    "project-open-data.cio.gov/v1.1/schema/data.jsonld": _POD,
    "schema.org": _SCHEMA_ORG,
    "schema.org/docs/jsonldcontext.jsonld": _SCHEMA_ORG,
    "www.w3.org/ns/dcat": _DCAT,
    "www.w3.org/ns/dcat.jsonld": _DCAT,
    "www.w3.org/ns/hydra/core": {"@vocab": "http://www.w3.org/ns/hydra/core#", **_DCAT},
    "www.w3.org/ns/hydra/context.jsonld": {"@vocab": "http://www.w3.org/ns/hydra/core#", **_DCAT},
}

_PLACE = re.compile(r'(?<!\\)"@(?:context|import)"\s*:\s*')
_REMOTE = re.compile(rb'"@(?:context|import)"\s*:\s*["\[]|"@import"')


def may_be_remote(piece: bytes) -> bool:
    """Tell whether a piece of JSON-LD can reference a context by URL."""
    return bool(_REMOTE.search(piece))


class Contexts:
    """The contexts of one run, each read once."""

    def __init__(self, http: HttpClient) -> None:
        self._http = http
        self._known: dict[str, Any] = {}

    def inline(self, text: str, base: str) -> str:
        """Return a JSON-LD document with all its contexts included.

        Only the contexts are parsed: the document can be large.

        Raises:
            ProtocolError: a context cannot be read, or is not one.
        """
        decode = json.JSONDecoder().raw_decode
        pieces: list[str] = []
        start = 0
        for place in _PLACE.finditer(text):
            if place.start() < start:
                continue  # within a context that was replaced
            try:
                context, end = decode(text, place.end())
            except (ValueError, RecursionError):
                break  # the parser will say where the syntax is wrong
            pieces += (text[start : place.end()], json.dumps(self._resolved(context, base, 0)))
            start = end
        return "".join((*pieces, text[start:]))

    def _resolved(self, context: Any, base: str, depth: int) -> Any:
        if depth > _MAX_DEPTH:
            raise _refused(base, "names contexts that name contexts without end")
        if isinstance(context, str):
            return self._remote(_join(base, context), depth)
        if isinstance(context, list):
            resolved = (self._resolved(item, base, depth) for item in context)
            return [
                part for item in resolved for part in (item if isinstance(item, list) else [item])
            ]
        return self._object(context, base, depth) if isinstance(context, dict) else context

    def _object(self, context: dict[str, Any], base: str, depth: int) -> dict[str, Any]:
        """Return a context's own terms, with its imports and its terms' contexts resolved."""
        own = {
            name: {**term, "@context": self._resolved(term["@context"], base, depth + 1)}
            if isinstance(term, dict) and "@context" in term
            else term
            for name, term in context.items()
            if name != "@import"
        }
        if not isinstance(context.get("@import"), str):
            return own
        imported = self._remote(_join(base, context["@import"]), depth)
        return {**imported, **own} if isinstance(imported, dict) else own

    def _remote(self, url: str, depth: int) -> Any:
        short = url.partition("://")[2].rstrip("#/")
        if short in BUNDLED:
            return BUNDLED[short]
        if url not in self._known:
            if len(self._known) >= _MAX_READ:
                raise _refused(url, f"is the {_MAX_READ + 1}th that the source names")
            self._known[url] = None  # one that names itself
            self._known[url] = self._resolved(self._read(url), url, depth + 1)
        return self._known[url]

    def _read(self, url: str) -> Any:
        accept = "application/ld+json, application/json;q=0.9"
        try:
            with closing(self._http.get(url, accept=accept)) as reply:
                data = reply.body.read(_MAX_BYTES + 1)
        except FetchError as exc:
            raise _refused(url, f"cannot be read: {exc.message.rstrip('.')}") from exc
        try:
            document = json.loads(data) if len(data) <= _MAX_BYTES else None
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict) or "@context" not in document:
            raise _refused(url, "is no context; expected a JSON object with the key @context")
        return document["@context"]


def _join(base: str, context: str) -> str:
    try:
        return urljoin(base, context)
    except ValueError:  # such as half an IPv6 address
        raise _refused(context, "is not a web address") from None


def _refused(url: str, why: str) -> ProtocolError:
    return ProtocolError(
        f"the JSON-LD context {safe_url(url)} {why}; write the context into the document",
        code="context",
        url=safe_url(url),
    )
