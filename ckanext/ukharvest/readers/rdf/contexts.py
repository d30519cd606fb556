"""JSON-LD contexts that a document references by URL.

JSON-LD 1.1, section 3.1 (https://www.w3.org/TR/json-ld11/#the-context): a context may be a URL. RDF
libraries are not allowed to read it; a few common contexts are included here, most abridged, the
others are read by the harvest's own HTTP client.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from ckanext.ukharvest.core.errors import FetchError, ProtocolError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.readers.rdf.context_limits import MAX_BYTES

_MAX_READ = 10  # contexts read from the network in one run
_MAX_DEPTH = 5  # contexts that name contexts
_MAX_INCLUDED = 100_000_000  # bytes of all contexts that one document names

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
_ALIASES = {"type": "@type", "id": "@id"}
_SCHEMA_ORG = {
    "@vocab": "http://schema.org/",
    **_ALIASES,
    **_DCAT,
    "url": {"@type": "@id"},
}
# The official one, whole: each class has a context of its own (DOI-DO/dcat-us, CC0 1.0).
_DCAT_US = json.loads(Path(__file__).with_name("dcat-us-3.0.json").read_text("utf-8"))["@context"]

_DCAT_US_URL = "raw.githubusercontent.com/DOI-DO/dcat-us/{}main/context/dcat-us-3.0.jsonld"
# URL without scheme and trailing characters → context.
BUNDLED: dict[str, Any] = {
    "project-open-data.cio.gov/v1.1/schema/catalog.jsonld": _POD,
    "project-open-data.cio.gov/v1.1/schema/data.jsonld": _POD,
    "schema.org": _SCHEMA_ORG,
    "schema.org/docs/jsonldcontext.jsonld": _SCHEMA_ORG,
    _DCAT_US_URL.format(""): _DCAT_US,
    _DCAT_US_URL.format("refs/heads/"): _DCAT_US,
    "www.w3.org/ns/dcat": _DCAT,
    "www.w3.org/ns/dcat.jsonld": _DCAT,
    "www.w3.org/ns/hydra/core": {"@vocab": "http://www.w3.org/ns/hydra/core#", **_DCAT},
    "www.w3.org/ns/hydra/context.jsonld": {"@vocab": "http://www.w3.org/ns/hydra/core#", **_DCAT},
}

_PLACE = re.compile(r'(?<!\\)"@(?:context|import)"\s*:\s*')
_decode = json.JSONDecoder().raw_decode
_REMOTE = re.compile(rb'"@(?:context|import)"\s*:\s*["\[]|"@import"')


def may_be_remote(piece: bytes) -> bool:
    """Tell whether a piece of JSON-LD can reference a context by URL."""
    return bool(_REMOTE.search(piece))


class Contexts:
    """The contexts of one run, each read once."""

    def __init__(self, http: HttpClient) -> None:
        self._http = http
        self._known: dict[str, str] = {}  # URL → the context as JSON

    def inliner(self, base: str) -> Callable[[str], str]:
        """Return a function that returns a piece of JSON-LD with all its contexts included.

        Only the contexts are parsed: the document can be large.

        Args:
            base: URL of the document whose pieces the function gets.

        Raises:
            ProtocolError: a context cannot be read, or is not one; together they are too long.
        """
        length = 0

        def inline(text: str) -> str:
            nonlocal length
            pieces: list[str] = []
            start = 0
            for place in _PLACE.finditer(text):
                if place.start() < start:
                    continue  # within a context that was replaced
                try:
                    context, end = _decode(text, place.end())
                except (ValueError, RecursionError):
                    break  # the parser will say where the syntax is wrong
                resolved = _without_used(self._resolved(context, base, 0), text)
                length += len(resolved)
                if length > _MAX_INCLUDED:
                    raise _too_long(base, "context that {} names again and again", _MAX_INCLUDED)
                pieces += (text[start : place.end()], resolved)
                start = end
            return "".join((*pieces, text[start:]))

        return inline

    def _resolved(self, context: Any, base: str, depth: int) -> str:
        """Return a context as JSON, with the contexts that it names included."""
        if depth > _MAX_DEPTH:
            raise _refused(base, Message("names contexts that name contexts without end"))
        if isinstance(context, str):
            return self._remote(_join(base, context), depth)
        if isinstance(context, list):
            # A context that it names may be a list, too, but none within a list.
            parts = (self._resolved(part, base, depth) for part in context)
            bare = (part.removeprefix("[").removesuffix("]") for part in parts)
            return f"[{_joined(bare, base)}]"
        if isinstance(context, dict):
            return self._object(context, base, depth)
        return json.dumps(context)

    def _object(self, context: dict[str, Any], base: str, depth: int) -> str:
        """Return a context's own terms, with its imports and its terms' contexts included."""
        members = {name: json.dumps(term) for name, term in context.items() if name != "@import"}
        for name, term in context.items():
            if isinstance(term, dict) and "@context" in term:
                inner = {key: json.dumps(value) for key, value in term.items()}
                inner["@context"] = self._resolved(term["@context"], base, depth + 1)
                members[name] = _object_text(inner, base)
        if isinstance(context.get("@import"), str):
            imported = json.loads(self._remote(_join(base, context["@import"]), depth))
            if isinstance(imported, dict):
                members = {name: json.dumps(term) for name, term in imported.items()} | members
        return _object_text(members, base)

    def _remote(self, url: str, depth: int) -> str:
        short = url.partition("://")[2].rstrip("#/")
        if short in BUNDLED:
            return json.dumps(BUNDLED[short])
        if url not in self._known:
            if len(self._known) >= _MAX_READ:
                raise _refused(
                    url,
                    Message("is the {max_read}th that the source names", max_read=_MAX_READ + 1),
                )
            self._known[url] = "null"  # one that names itself
            self._known[url] = self._resolved(self._read(url), url, depth + 1)
        return self._known[url]

    def _read(self, url: str) -> Any:
        accept = "application/ld+json, application/json;q=0.9"
        try:
            with closing(self._http.get(url, accept=accept)) as reply:
                data = reply.body.read(MAX_BYTES + 1)
        except FetchError as exc:
            raise _refused(
                url, Message("cannot be read: {message}", message=exc.message.rstrip("."))
            ) from exc
        try:
            document = json.loads(data) if len(data) <= MAX_BYTES else None
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict) or "@context" not in document:
            raise _refused(
                url, Message("is not a context; expected a JSON object with the key @context")
            )
        return document["@context"]


def _without_used(context: str, text: str) -> str:
    """Return a context without the aliases of schema.org that a document writes as keywords.

    There, its "id" beside an "@id" is a name of its own.
    """
    start = '"@vocab": "http://schema.org/"'
    before, after = (
        start + "".join(f', "{name}": "{keyword}"' for name, keyword in aliases)
        for aliases in (
            _ALIASES.items(),
            [pair for pair in _ALIASES.items() if f'"{pair[1]}"' not in text],
        )
    )
    return context.replace(before, after)


def _object_text(members: dict[str, str], base: str) -> str:
    """Return an object of JSON whose values are JSON already."""
    texts = (f"{json.dumps(name)}:{value}" for name, value in members.items())
    return f"{{{_joined(texts, base)}}}"


def _joined(texts: Iterable[str], base: str) -> str:
    """Return the texts that are not empty, with commas; refuse the context if it is too long."""
    parts: list[str] = []
    length = 0
    for text in filter(None, texts):
        parts.append(text)
        length += len(text)
        if length > MAX_BYTES:
            raise _too_long(base, "context of {}, with those that it names,", MAX_BYTES)
    return ",".join(parts)


def _join(base: str, context: str) -> str:
    try:
        return urljoin(base, context)
    except ValueError:  # such as half an IPv6 address
        raise _refused(context, Message("is not a web address")) from None


def _too_long(url: str, what: str, limit: int) -> ProtocolError:
    message = Message(
        "the JSON-LD {what} is longer than {limit:,} bytes; expected a shorter one",
        what=what.format(safe_url(url)),
        limit=limit,
    )
    return ProtocolError(message, code="too-long", url=safe_url(url))


def _refused(url: str, why: str) -> ProtocolError:
    return ProtocolError(
        Message(
            "the JSON-LD context {url} {why}; write the context into the document",
            url=safe_url(url),
            why=why,
        ),
        code="context",
        url=safe_url(url),
    )
