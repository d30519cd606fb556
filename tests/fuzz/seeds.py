"""Real shapes to begin with: the recorded publishers and the documents of tests/conformance."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from urllib3 import HTTPHeaderDict

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import BadStatus, UkharvestError
from ckanext.ukharvest.core.fingerprint import is_triples, is_xml
from ckanext.ukharvest.core.http.request import HttpLimits, Reply
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS, SourceType
from tests.conformance.expectations import TYPE_OF
from tests.publisher import PLACE, SOURCES

DOCUMENTS = Path(__file__).parent.parent / "conformance" / "documents"
# What each query of a SPARQL source has in it, and the recorded answer.
SPARQL_ANSWERS = {"COUNT": "count.xml", "CONSTRUCT": "descriptions.ttl", "": "list.xml"}
SPARQL_TYPES = {
    "count.xml": "application/sparql-results+xml",
    "descriptions.ttl": "text/turtle",
    "list.xml": "application/sparql-results+xml",
}
MOST_REQUESTS = 25_000  # readers themselves end after 10,000 pages (readers/walk.py)
# A list of records is the first thing that is requested.
_OPTIONS = {"oaipmh": {"metadata_prefix": "oai_dc"}}
_URLS = {"ckan": "/", "dkan": "/", "ods": "/", "gemini-csw": "/csw", "gemini-waf": "/waf/"}


class EndlessRead(BaseException):
    """A reader goes on asking; no Exception, so that no code can take it for a fault."""


class OneDocument:
    """An HTTP client of a server that has one document, or two.

    Args:
        media_type: what the server says that it is.
        further: what further requests get; None: 404.
    """

    def __init__(self, body: bytes, media_type: str = "", further: bytes | None = None) -> None:
        self.limits = HttpLimits()
        self._body = body
        self._media_type = media_type
        self._further = further
        self._requests = 0

    def get(self, url: str, *, allow_status: Any = (), **_how: Any) -> Reply:
        """Return the document, or refuse with 404."""
        self._requests += 1
        if self._requests > MOST_REQUESTS:
            raise EndlessRead
        body = self._body if self._requests == 1 else self._further
        if body is None and 404 not in allow_status:
            raise BadStatus(f"{url} answered 404.", status=404, url=url)
        headers = HTTPHeaderDict({"Content-Type": self._media_type} if self._media_type else {})
        return Reply(url, url, 404 if body is None else 200, headers, io.BytesIO(body or b""))

    def post(self, url: str, **how: Any) -> Reply:
        """Return the document, or refuse with 404."""
        return self.get(url, **how)


class SparqlAnswers(OneDocument):
    """An HTTP client of an endpoint with its recorded answers, one of them replaced.

    Args:
        answer: the name of the file that the body is sent in place of.
    """

    def __init__(self, body: bytes, media_type: str, answer: str) -> None:
        super().__init__(body, media_type)
        self._answer = answer

    def get(self, url: str, *, body: bytes = b"", **_how: Any) -> Reply:
        """Return the answer to the query in the URL or the body."""
        self._requests += 1
        if self._requests > MOST_REQUESTS:
            raise EndlessRead
        sent = url + body.decode()
        answer = next(file for word, file in SPARQL_ANSWERS.items() if word in sent)
        content, media_type = self._body, self._media_type
        if answer != self._answer:
            content, media_type = (
                (SOURCES / "sparql-graph" / answer).read_bytes(),
                SPARQL_TYPES[answer],
            )
        headers = HTTPHeaderDict({"Content-Type": media_type} if media_type else {})
        return Reply(url, url, 200, headers, io.BytesIO(content))


def source_of(kind: SourceType, http: Any) -> Source:
    """Return a source that is read from a client."""
    given = options.validate(_OPTIONS.get(kind.name, {}), (*kind.options, *COMMON_OPTIONS))
    return Source(PLACE + _URLS.get(kind.name, "/document"), given, http)


@cache
def documents(type_name: str) -> tuple[bytes, ...]:
    """Return the documents of publishers of a type."""
    found = [
        path.read_bytes()
        for case in sorted(SOURCES.glob("*/source.json"))
        if json.loads(case.read_text(encoding="utf-8"))["type"] == type_name
        for path in sorted(case.parent.iterdir())
        if path.name not in ("source.json", "expected.json", "routes.json", "README")
    ]
    folders = [name for name, kind in TYPE_OF.items() if kind == type_name]
    for folder in folders:
        found += [path.read_bytes() for path in sorted((DOCUMENTS / folder).iterdir())]
    return tuple(found)


@cache
def contents(parser_name: str) -> tuple[str, ...]:
    """Return the records in the documents of all types that have a parser, as readers cut them."""
    return tuple(
        content
        for kind in TYPES.values()
        if kind.parser.__name__ == parser_name
        for document in documents(kind.name)
        for content in _contents(kind, document)
    )


def documents_of_xml(parser_name: str) -> tuple[str, ...]:
    """Return the contents that are XML: some types have RDF or JSON as well."""
    found = (each for each in contents(parser_name) if not is_triples(each))
    return tuple(each for each in found if is_xml(each))


def documents_of_json(parser_name: str) -> tuple[str, ...]:
    """Return the contents that are JSON: some types have RDF or XML as well."""
    found = (each for each in contents(parser_name) if not is_triples(each))
    return tuple(each for each in found if not is_xml(each))


def _contents(kind: SourceType, document: bytes) -> Iterator[str]:
    try:
        for raw in kind.reader.records(source_of(kind, OneDocument(document))):
            if raw.content:
                yield raw.content
    except UkharvestError:
        return  # not every document of a publisher is a list of records
