"""Make raw records of the elements of a response: identity, metadata, deletion.

A record's identity is that of its header: unlike the metadata, a deleted record has one as well
(section 2.5). Its content is the metadata alone: some servers give headers a new date each time.
DCAT becomes the triples of its dataset, as from any other source of DCAT.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, replace

from lxml import etree

from ckanext.ukharvest.core import rdf
from ckanext.ukharvest.core.errors import ParseError, ProtocolError, RecordError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import RawRecord
from ckanext.ukharvest.core.values.text import clean_text, counted
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.readers.oaipmh.request import record_url
from ckanext.ukharvest.readers.rdf.contexts import Contexts
from ckanext.ukharvest.readers.rdf.file import RdfFile
from ckanext.ukharvest.readers.rdf.graph import RdfGraph

_RDF_NAMESPACES = (rdf.RDF, rdf.DCAT)


@dataclass(frozen=True)
class Cutter:
    """Makes raw records of elements.

    Attributes:
        http: needed by the reader of RDF, which asks nothing for RDF/XML.
        base: the repository's URL; "" for a saved response.
        prefix: metadata format, for the records' own URLs.
        url: URL of a saved response.
    """

    http: HttpClient
    base: str = ""
    prefix: str = ""
    url: str = ""

    def record(self, element: etree._Element, position: str) -> RawRecord:
        """Return one element ``record``; never raises."""
        header = element.find("{*}header")
        if header is None:
            return self._nameless(position)
        guid = clean_text(header.findtext("{*}identifier"))
        if not guid:
            return self._nameless(position)
        raw = RawRecord(
            guid=guid,
            url=record_url(self.base, guid, self.prefix) if self.base else self.url,
            # pycsw 2.6 writes dateStamp.
            modified=clean_text(header.findtext("{*}datestamp") or header.findtext("{*}dateStamp")),
            position=position,
            deleted=clean_text(header.get("status")).lower() == "deleted",
        )
        if raw.deleted:
            return raw
        try:
            return replace(raw, content=self._content(element, raw))
        except RecordError as exc:
            return replace(raw, error=exc)

    def _content(self, element: etree._Element, raw: RawRecord) -> str:
        metadata = element.find("{*}metadata")
        root = None if metadata is None else next(metadata.iterchildren(etree.Element), None)
        if root is None:
            message = f"{raw.display_name} has no metadata and is not deleted; expected metadata"
            raise RecordError(message, code="not-shown", url=raw.url)
        if xml.namespace(root) in _RDF_NAMESPACES:
            return self._triples(root, raw)
        return etree.tostring(root, encoding="unicode", with_tail=False)

    def _triples(self, root: etree._Element, raw: RawRecord) -> str:
        """Return the content of a record of RDF/XML: the triples of its only dataset."""
        body = io.BytesIO(etree.tostring(root, with_tail=False))
        graph = RdfGraph()
        file = None
        try:
            file = RdfFile(
                body, url=raw.url, contexts=Contexts(self.http), hint="application/rdf+xml"
            )
            graph.load_file(file)
            nodes = list(graph.datasets()) or list(graph.services())
            if len(nodes) != 1:
                held = counted(len(nodes), "dcat:Dataset")
                message = f"{raw.display_name} describes {held}; expected one"
                raise ParseError(message, code="no-dataset", url=raw.url)
            return rdf.canonical(graph.record(nodes[0]))
        except ProtocolError as exc:
            message = f"{raw.display_name}: {exc.message}"
            raise ParseError(message, code=exc.code, url=raw.url) from exc
        finally:
            graph.close()
            if file is not None:
                file.close()

    def _nameless(self, position: str) -> RawRecord:
        url = self.base or self.url
        message = f"{position}: header/identifier is missing; expected a text that stays the same"
        error = ParseError(message, code="missing-identifier", url=url)
        return RawRecord("", url=url, position=position, error=error)
