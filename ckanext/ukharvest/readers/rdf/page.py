"""One page of a DCAT source: its records, each with its own graph, and its paging."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from ckanext.ukharvest.core.errors import ParseError, ProtocolError
from ckanext.ukharvest.core.http.client import Reply
from ckanext.ukharvest.core.http.urls import join
from ckanext.ukharvest.core.rdf import Triple, canonical, iri, language, value
from ckanext.ukharvest.core.records import Problem, RawRecord, Source
from ckanext.ukharvest.core.values.tags import slug
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.readers.rdf.contexts import Contexts
from ckanext.ukharvest.readers.rdf.file import FORMATS, RdfFile
from ckanext.ukharvest.readers.rdf.graph import HYDRA, RdfGraph

_DCT = "http://purl.org/dc/terms/"
_NEXT = ("next", "nextPage")
_LINK = re.compile(r"<([^>]*)>([^<]*)")
_REL_NEXT = re.compile(r""";\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)""", re.IGNORECASE)


@dataclass(frozen=True)
class Facts:
    """The facts about a page that has been read.

    Attributes:
        next: URL of the next page, "" if there is none.
        is_paged: the source itself states how it is paged.
        total: number of all records, as reported by the source.
    """

    next: str
    is_paged: bool
    total: int | None
    problems: tuple[Problem, ...]


class Page:
    """One page: parsed to its end when made, then cut into records. Close it after use."""

    def __init__(self, source: Source, reply: Reply, contexts: Contexts, before: int = 0) -> None:
        self._source = source
        self._reply = reply
        self._before = before
        self._graph = RdfGraph()
        self._file: RdfFile | None = None
        try:
            self._file = RdfFile(
                reply.body,
                url=reply.url,
                contexts=contexts,
                hint=str(source.options.get("rdf_format") or reply.media_type),
                charset=reply.charset,
                media_type=reply.media_type,
            )
            self._graph.load_file(self._file)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._graph.close()
        if self._file is not None:
            self._file.close()

    def refuse_other(self) -> None:
        """Raise ProtocolError if the document has nothing of DCAT in it."""
        assert self._file is not None
        if self._graph.is_catalogue:
            return
        if self._file.root:
            raise self._file.not_rdf()
        if self._file.strict_error is not None:
            raise self._file.strict_error
        url = self._reply.requested_url
        if self._file.format == FORMATS["json-ld"]:
            hint = "; plain JSON without @context is for the type data_json"
        else:
            hint = ""
        raise ProtocolError(
            f"{self._file.name}, but no catalogue: expected nodes of the type dcat:Dataset{hint}:"
            f" {url}",
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
        own = [triple for triple in triples if triple[0] == node]
        guid = _guid(node, own, self._source.url)
        raw = RawRecord(
            guid=guid,
            content=canonical(triples),
            url=self._reply.requested_url,
            modified=_text(own, _DCT + "modified"),
            position=position,
        )
        return raw if guid else replace(raw, error=_no_identity(position))

    def facts(self) -> Facts:
        """Return the facts about the page; call it after its records have been read."""
        assert self._file is not None
        totals = [
            int(text) for text in self._graph.values(HYDRA + "totalItems") if text.isdecimal()
        ]
        link = self._next()
        return Facts(
            next=link,
            is_paged=bool(link or totals),
            total=max(totals, default=None),
            problems=self._file.problems + self._graph.problems,
        )

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


def _guid(node: str, own: list[Triple], source_url: str) -> str:
    """Return a dataset's identity, as ckanext-dcat's harvester stores it.

    It is the URI, else dct:identifier, else the source's URL with a name made of the title.
    """
    guid = iri(node) or _text(own, _DCT + "identifier")
    if guid:
        return guid
    title = _text(own, _DCT + "title")
    return f"{source_url.rstrip('/')}/{slug(title)}" if title else ""


def _text(own: list[Triple], predicate: str) -> str:
    """Return the text under a predicate: of several languages English, else the first."""
    found = sorted(obj for _, name, obj in own if name == f"<{predicate}>")
    found.sort(key=lambda obj: {"en": 0, "": 1}.get(language(obj).partition("-")[0], 2))
    return next(filter(None, (clean_text(value(obj)) for obj in found)), "")


def _no_identity(position: str) -> ParseError:
    return ParseError(
        f"{position}: has neither a URI nor dct:identifier nor dct:title; expected a URI that"
        " stays the same",
        code="missing-identifier",
    )
