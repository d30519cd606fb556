"""DCAT in any RDF syntax: one document, or pages by Hydra, ``Link: rel=next`` or ``?page=n``."""

from __future__ import annotations

import io
import re
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from http import HTTPStatus
from urllib.parse import urlsplit

from lxml import etree

from ckanext.ukharvest.core.errors import BadStatus, ParseError, ProtocolError, RecordError
from ckanext.ukharvest.core.http.request import Reply
from ckanext.ukharvest.core.http.urls import join
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.rdf import canonical
from ckanext.ukharvest.core.records import Ending, Problem, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.numbered_pages import NumberedPages
from ckanext.ukharvest.readers.rdf.contexts import Contexts
from ckanext.ukharvest.readers.rdf.file import FORMATS, RdfFile
from ckanext.ukharvest.readers.rdf.graph import HYDRA, RdfGraph
from ckanext.ukharvest.readers.rdf.identity import EXPECTED, find_guid, text_of
from ckanext.ukharvest.readers.walk import Place, Point, Walk, note_links

ACCEPT = (
    "text/turtle, application/n-triples, application/rdf+xml;q=0.9, application/ld+json;q=0.8,"
    " text/n3;q=0.7, application/trig;q=0.7, application/n-quads;q=0.7, */*;q=0.1"
)
# Between pages of datasets there are pages of data services or empty ones, but not so many in a
# row.
MAX_IDLE = 20

OPTIONS = (
    Option(
        "paging",
        "text",
        "auto",
        "auto: follows the source's own links to further pages (Hydra, Link headers); "
        "without any, reads ?page=2, ?page=3 … until one has nothing new. none: reads only "
        "this document.",
        choices={
            "auto": _("Read further pages until one has nothing new"),
            "none": _("Read the first page only"),
        },
        label=_("Further pages"),
        form_help="",
    ),
    Option(
        "rdf_format",
        "text",
        "",
        "The syntax, if the server states a wrong one and the content could be several.",
        choices=tuple(FORMATS),
    ),
)
_MODIFIED = "<http://purl.org/dc/terms/modified>"
_NEXT = ("next", "nextPage")
_LINK = re.compile(r"<([^<>]*)>([^<]*)")
_REL_NEXT = re.compile(r""";\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)""", re.IGNORECASE)


class RdfReader(Reader):
    """Reads RDF documents and cuts them into one graph per dataset; see ``core.rdf``."""

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield every record of every page; see ``Ending`` for what is proven.

        Raises:
            SourceError: no answer, not RDF, nothing of DCAT in it, or a broken page.
        """
        return (yield from _RdfPages(source).records())


class Page:
    """One page: parsed to its end when made, then cut into records. Close it after use."""

    def __init__(self, source: Source, reply: Reply, contexts: Contexts, before: int = 0) -> None:
        self._source = source
        self._reply = reply
        self._before = before
        hint = source.options.get("rdf_format") or reply.media_type
        self._graph = RdfGraph(RdfFile(reply, reply.url, contexts, hint))

    def close(self) -> None:
        self._graph.close()

    def refuse_other(self) -> None:
        """Raise ProtocolError if the document has nothing of DCAT in it."""
        if self._graph.is_catalogue:
            return
        file = self._graph.file
        if file.root:
            raise file.not_rdf()
        if file.strict_error is not None:
            raise file.strict_error
        url = self._reply.requested_url
        is_json = file.format == FORMATS["json-ld"]
        hint = Message("; plain JSON without @context is for the type data_json") if is_json else ""
        raise ProtocolError(
            Message(
                "{name}, but not a catalogue: expected nodes of the type dcat:Dataset{hint}: {url}",
                name=file.name,
                hint=hint,
                url=url,
            ),
            code="not-a-catalogue",
            url=url,
        )

    def records(self) -> Iterator[RawRecord]:
        """Yield the records; positions continue those of earlier pages."""
        for number, node in enumerate(self._graph.datasets(), self._before + 1):
            yield self._record(node, f"dataset {number}")

    def services(self) -> Iterator[RawRecord]:
        """Yield the services that are records of their own; read them after the datasets."""
        for number, node in enumerate(self._graph.services(), 1):
            yield self._record(node, f"service {number}")

    def _record(self, node: str, position: str) -> RawRecord:
        triples = self._graph.record(node)
        guid = find_guid(node, triples, self._source.url, self._graph.shared_pages)
        modified = (obj for subject, name, obj in triples if (subject, name) == (node, _MODIFIED))
        raw = RawRecord(
            guid=guid,
            content=canonical(triples),
            url=self._reply.requested_url,
            modified=text_of(modified),
            position=position,
        )
        if guid:
            return raw
        message = Message(
            "{position}: has no identity that stays the same; expected {expected}",
            position=position,
            expected=EXPECTED,
        )
        error = ParseError(message, code="missing-identifier")
        return replace(raw, error=error)

    @property
    def links(self) -> int:
        """Number of datasets that the page only links to; complete when the records were read."""
        return self._graph.links

    def facts(self) -> tuple[str, int, tuple[Problem, ...]]:
        """Return the next page's URL, the number of all records and the page's problems.

        "" and -1 if the source states none. Call it after the records have been read.
        """
        totals = (text for text in self._graph.values(HYDRA + "totalItems") if text.isdecimal())
        problems = (*self._graph.file.problems, *self._graph.problems)
        return self._next(), max(map(int, totals), default=-1), problems

    def _next(self) -> str:
        """Return the next page's URL, from Hydra or from the Link header (RFC 8288)."""
        links = [text for name in _NEXT for text in self._graph.values(HYDRA + name) if text]
        header = self._reply.headers.get("Link", "")
        links += [m[1] for m in _LINK.finditer(header) if _REL_NEXT.search(m[2])]
        if links and "://" not in self._reply.url:  # a saved page, which has no others beside it
            return links[0].removeprefix("file:///")
        return _behind_proxy(self._reply.url, join(self._reply.url, links[0])) if links else ""


def _behind_proxy(page: str, link: str) -> str:
    """Return a link to a further page on the host that answered.

    A catalogue behind a proxy that does not tell it its own name links to the same path on a host
    that only the proxy reaches.
    """
    here, there = urlsplit(page), urlsplit(link)
    if (here.scheme, here.netloc) == (there.scheme, there.netloc) or here.path != there.path:
        return link
    return there._replace(scheme=here.scheme, netloc=here.netloc).geturl()


class _RdfPages(NumberedPages[Page]):
    """The pages of one source: those that it links to; if it links to none, numbered ones.

    A link to a page that is not there, or was read before, leaves the end open; a numbered page
    of that kind is the end.
    """

    accept = ACCEPT
    syntax = "rdf-syntax"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._contexts = Contexts(source.http)
        self._is_linked = False
        self._total = -1

    def is_whole(self, total: int) -> bool:
        # What was removed while the pages were read has moved others to pages read before.
        return self.seen.count >= total

    def is_single(self, walk: Walk) -> bool:
        return not self._is_linked and super().is_single(walk)

    def open(self, reply: Reply, before: int) -> Page:
        page = Page(self._source, reply, self._contexts, before)
        if reply is self._reply:
            try:
                page.refuse_other()
            except ProtocolError:
                page.close()
                raise
        return page

    def following(self, document: Page, walk: Walk) -> Place | None:
        walk.note_uncounted(self.seen.uncounted(list(document.services())))
        link, total, problems = document.facts()
        walk.note_problems(problems)
        note_links(walk, document.links)
        is_auto = self._source.options.get("paging", "auto") == "auto"
        if walk.asked == 1 and (link or total >= 0):
            self._is_linked, self.barren = True, MAX_IDLE + 1
        if not self._is_linked:
            return (walk.asked + 1,) if is_auto else None
        self._total = max(self._total, total or -1)
        if not link:
            walk.note_total(self._total)
            return None
        if not is_auto:
            walk.stop(f"there are further pages, which the option paging leaves: {link}")
            return None
        self.circle_doubt = f"links to a page that was read before, or brings nothing new ({link})"
        return (link,)

    def request(self, point: Point, walk: Walk) -> Reply | None:
        if not self._is_linked:
            return super().request(point, walk)
        url = str(point.place[0])
        try:
            return self._source.http.get(url, accept=ACCEPT)
        except BadStatus as exc:
            if exc.status not in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
                raise
            walk.stop(f"page {walk.asked} is linked, but not there: {url}")
            return None

    def note_repeat(self, walk: Walk) -> None:
        if self._is_linked:
            walk.doubt(self.circle_doubt)

    def note_other(self, exc: ProtocolError, walk: Walk) -> None:
        if self._is_linked:
            raise exc
        super().note_other(exc, walk)


def only_record(element: etree._Element, name: str, url: str, source: Source) -> RawRecord:
    """Return the only dataset, or else the only service, of RDF/XML within another document.

    Args:
        name: of the record, for messages.
        url: where it was read.
        source: for the reader of RDF, which requests nothing for RDF/XML.

    Raises:
        RecordError: it is not valid RDF, or has another number of them.
    """
    reply = Reply(
        url=url,
        requested_url=url,
        status=HTTPStatus.OK,
        headers={"Content-Type": "application/rdf+xml"},
        body=io.BytesIO(etree.tostring(element, with_tail=False)),
    )
    try:
        with closing(Page(source, reply, Contexts(source.http))) as page:
            records = list(page.records()) or list(page.services())
    except ProtocolError as exc:
        raise RecordError(
            Message("{name}: {reason}", name=name, reason=exc.message), code=exc.code, url=url
        ) from exc
    if len(records) != 1:
        held = counted(len(records), "dcat:Dataset")
        raise RecordError(
            Message("{name} describes {held}; expected one", name=name, held=held),
            code="no-dataset",
            url=url,
        )
    return records[0]
