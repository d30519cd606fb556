"""DCAT in any RDF syntax: one document, or pages by Hydra, ``Link: rel=next`` or ``?page=n``."""

from __future__ import annotations

from collections.abc import Generator
from http import HTTPStatus

from ckanext.ukharvest.core.errors import BadStatus, ProtocolError
from ckanext.ukharvest.core.http.client import Reply
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, RawRecord, Reader, Source
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.endings import unchanged
from ckanext.ukharvest.readers.paging import NumberedPages
from ckanext.ukharvest.readers.rdf.contexts import Contexts
from ckanext.ukharvest.readers.rdf.file import FORMATS
from ckanext.ukharvest.readers.rdf.page import Page
from ckanext.ukharvest.readers.walk import Place, Point, Walk

ACCEPT = (
    "text/turtle, application/n-triples, application/rdf+xml;q=0.9, application/ld+json;q=0.8,"
    " text/n3;q=0.7, application/trig;q=0.7, application/n-quads;q=0.7, */*;q=0.1"
)
# Between pages of datasets there are pages of data services or empty ones, but not so many in a
# row.
MAX_IDLE = 20

# The others of FORMATS are names and media types for these.
_SYNTAXES = {
    "xml": "RDF/XML",
    "turtle": "Turtle",
    "json-ld": "JSON-LD",
    "nt": "N-Triples",
    "n3": "N3",
    "nquads": "N-Quads",
    "trig": "TriG",
}
OPTIONS = (
    Option(
        "paging",
        "text",
        "auto",
        "auto: follows the source's own links to further pages (Hydra, Link headers); "
        "without any, reads ?page=2, ?page=3 … until one has nothing new. none: reads only "
        "this document.",
        choices={
            "auto": _("Ask until nothing new comes"),
            "none": _("The first page is all there is"),
        },
        label=_("Further pages"),
        form_help=_("Whether further pages are read after the first."),
    ),
    Option(
        "rdf_format",
        "text",
        "",
        "The syntax, if the server states a wrong one and the content could be several.",
        choices=_SYNTAXES | {name: "" for name in FORMATS if name not in _SYNTAXES},
        label=_("Syntax"),
        empty=_("As the server says"),
    ),
)


class RdfReader(Reader):
    """Reads RDF documents and cuts them into one graph per dataset; see ``core.rdf``."""

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield every record of every page; see ``Ending`` for what is proven.

        Raises:
            SourceError: no answer, not RDF, nothing of DCAT in it, or a broken page.
        """
        old = source.validators.get(source.url)
        reply = source.http.get(source.url, accept=ACCEPT, validators=old)
        if reply.not_modified:
            reply.close()
            return unchanged(source)
        return (yield from _RdfPages(source, reply).records())


class _RdfPages(NumberedPages[Page]):
    """The pages of one source: those that it links to; if it links to none, numbered ones.

    A link to a page that is not there, or was read before, leaves the end open; a numbered page
    of that kind is the end.
    """

    accept = ACCEPT
    syntax = "rdf-syntax"

    def __init__(self, source: Source, reply: Reply) -> None:
        super().__init__(source, reply)
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
        facts = document.facts()
        walk.note_problems(facts.problems)
        is_first, is_auto = walk.asked == 1, self._source.options.get("paging", "auto") == "auto"
        if is_first and facts.is_paged:
            self._is_linked, self.barren = True, MAX_IDLE + 1
        if not self._is_linked:
            return (walk.asked + 1,) if is_auto else None
        self._total = max(self._total, facts.total or -1)
        if facts.next and not is_auto:
            walk.stop(f"there are further pages, which the option paging leaves: {facts.next}")
            return None
        if not facts.next:
            walk.note_total(self._total)
            return None
        self.circle_doubt = (
            f"links to a page that was read before, or brings nothing new ({facts.next})"
        )
        return (facts.next,)

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
