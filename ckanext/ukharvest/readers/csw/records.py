"""Make raw records of a CSW response: whole, or only listed, to be fetched by identifier."""

from __future__ import annotations

import io
from contextlib import closing
from dataclasses import dataclass, replace

from lxml import etree

from ckanext.ukharvest.core.errors import ProtocolError, RecordError
from ckanext.ukharvest.core.http.client import Reply
from ckanext.ukharvest.core.records import RawRecord, Source
from ckanext.ukharvest.core.values.text import counted, shorten
from ckanext.ukharvest.core.xml.parser import local_name, namespace
from ckanext.ukharvest.readers.csw.names import GMD, SCHEMAS
from ckanext.ukharvest.readers.csw.request import record_url
from ckanext.ukharvest.readers.csw.response import Answer, first_text
from ckanext.ukharvest.readers.csw.ways import schema_of
from ckanext.ukharvest.readers.rdf.contexts import Contexts
from ckanext.ukharvest.readers.rdf.page import Page
from ckanext.ukharvest.readers.xml_document.records import XmlShape

_RDF = (
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://www.w3.org/ns/dcat#",
)
# Dublin Core, returned by catalogues that know no other schema.
_LISTED = ("Record", "SummaryRecord", "BriefRecord")


def output_schema(source: Source) -> str:
    """Return the outputSchema of a source's whole records."""
    schema = source.options.get("schema", "auto")
    return SCHEMAS[schema_of(source.interface) if schema == "auto" else schema]


@dataclass(frozen=True)
class Cutter:
    """Makes raw records of elements.

    Attributes:
        shape: what a whole record is.
        base: the catalogue's URL; "" for a saved response, from which nothing can be fetched.
        url: URL of a saved response.
        schema: outputSchema of whole records.
    """

    shape: XmlShape
    base: str = ""
    url: str = ""
    schema: str = GMD

    def records(self, answer: Answer, source: Source, start: int = 1) -> list[RawRecord]:
        """Return all records of a response; ``start`` is the first one's catalogue position."""
        return [
            self._record(element, answer, f"{self.shape.singular} {position}", source)
            for position, element in enumerate(answer.records, start)
        ]

    def content(self, answer: Answer, source: Source) -> str | None:
        """Return the first whole record's text, None if there is none."""
        for element in answer.records:
            if self._is_whole(element):
                return self.shape.text(element, element)
            if _is_rdf(element):
                return self._described(element, self.shape.singular, source).content
        return None

    def _record(
        self, element: etree._Element, answer: Answer, position: str, source: Source
    ) -> RawRecord:
        if _is_rdf(element):
            raw = self._described(element, position, source)
            if raw.error is not None:
                return raw
        elif self._is_whole(element):
            raw = RawRecord(
                guid=self.shape.guid(element),
                # A saved response has no more than their brief records.
                content=self.shape.text(element, element)
                if answer.is_full or not self.base
                else None,
                modified=self.shape.modified(element, element),
                position=position,
            )
        elif local_name(element) in _LISTED:
            title = shorten(first_text(element, "title"))
            raw = RawRecord(
                guid=first_text(element, "identifier"),
                modified=first_text(element, "modified"),
                position=f"{position} '{title}'" if title else position,
            )
        else:
            return self._other(element, position)
        if raw.guid:
            url = record_url(self.base, raw.guid, self.schema) if self.base else self.url
            return replace(raw, url=url)
        url = self.base or self.url
        return replace(raw, url=url, error=self.shape.nameless(raw.position, url))

    def _described(self, element: etree._Element, position: str, source: Source) -> RawRecord:
        """Return a record in RDF: its only dataset, or its only service."""
        url = self.base or self.url
        reply = Reply(
            url=url,
            requested_url=url,
            status=200,
            headers={"Content-Type": "application/rdf+xml"},
            body=io.BytesIO(etree.tostring(element, with_tail=False)),
        )
        try:
            with closing(Page(source, reply, Contexts(source.http))) as page:
                found = list(page.records()) or list(page.services())
        except ProtocolError as exc:
            error = RecordError(f"{position}: {exc.message}", code=exc.code, url=url)
            return RawRecord("", url=url, position=position, error=error)
        if len(found) == 1:
            return replace(found[0], position=position)
        message = f"{position} describes {counted(len(found), 'dcat:Dataset')}; expected one"
        error = RecordError(message, code="no-dataset", url=url)
        return RawRecord("", url=url, position=position, error=error)

    def _is_whole(self, element: etree._Element) -> bool:
        return local_name(element) in {path[-1] for path in self.shape.paths}

    def _other(self, element: etree._Element, position: str) -> RawRecord:
        url = self.base or self.url
        found = f"{position} is a {local_name(element)}, not {self.shape.kind}"
        message = f"{found}; the option types can leave such records out"
        error = RecordError(message, code="other-kind", url=url)
        return RawRecord("", url=url, position=position, error=error)


def _is_rdf(element: etree._Element) -> bool:
    return namespace(element) in _RDF
