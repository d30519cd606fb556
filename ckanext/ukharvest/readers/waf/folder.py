"""A folder with its sub-folders: sort their links into files to read and links to report."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace

from ckanext.ukharvest.core.document_kind import html_title, quote_beginning, sent_as
from ckanext.ukharvest.core.errors import (
    BadStatus,
    FetchError,
    ParseError,
    ProtocolError,
    SourceError,
    TooLarge,
    Unreachable,
)
from ckanext.ukharvest.core.http.urls import safe_url
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem, Source
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.readers.waf import listing as waf_listing
from ckanext.ukharvest.readers.waf.listing import Link, Listing

ACCEPT = "text/html, application/xhtml+xml;q=0.9, */*;q=0.1"
EXPECTED = Message("expected an HTML page with links to XML files")
MAX_PAGE = 32 << 20  # bytes; a link takes some 200
MAX_FILES = 100_000
MAX_FOLDERS = 1_000
NAMED = 12  # links of a kind that a message names
REASONS = 3  # why pages were not read
PATIENCE = 10  # failures in a row after which a server counts as down

# Extensions of files that are not metadata. Any other file is read: publishers have always used
# names without extension or with their own, and a catalogue may answer there.
_PAGES = "html htm xhtml shtml php asp aspx jsp cgi cfm"
_FILES = (
    "css js map ico png gif jpg jpeg svg webp bmp tif tiff jp2 ecw sid"
    " pdf doc docx odt rtf txt md log csv tsv xls xlsx ods ppt pptx dbf mdb sql db"
    " shp shx prj cpg sbn sbx gpkg gdb geojson gml kml kmz las laz asc grd nc hdf"
    " json jsonld rdf ttl nt n3 xsl xslt xsd dtd sch rng sld qml lyr lyrx mxd"
    " mp3 mp4 exe msi woff woff2 rss atom"
)
_ARCHIVES = frozenset("zip gz tgz tar bz2 7z rar xz".split())  # noqa: SIM905  # reads better
_NO_RECORDS = frozenset(f"{_PAGES} {_FILES}".split())
_FURTHER = re.compile(r"[?&;](?:(?:page|p)=0*(?:[2-9]|[1-9]\d)|(?:start|offset)=0*[1-9])", re.I)
_ENDING = re.compile(r"\.(\w{1,6})\Z")


# Kind of link that is not read → its problem, with the end of a sentence that names the links.
_LEFT_OUT = {
    "file": Problem(
        "link-elsewhere", "href", Message(" outside of its folder, not read; expected them in it")
    ),
    "sub-folder": Problem(
        "folder-left-out", "href", Message(", not read; expected the option depth to reach them")
    ),
    "archive": Problem("archive-left-out", "href", Message(", not opened; expected XML files")),
}


@dataclass(frozen=True, slots=True)
class File:
    """A file to read; ``name`` is its path relative to the source's folder."""

    name: str
    link: Link

    @property
    def is_promised(self) -> bool:
        """Whether its name has the extension of XML."""
        return self.name.partition("?")[0].lower().endswith(".xml")

    @property
    def is_further(self) -> bool:
        """Whether its URL requests a further page; such a file is one if it holds no metadata."""
        return _FURTHER.search(self.link.url) is not None


def list_names(names: list[str], kind: str) -> str:
    """Return ``2 sub-folders (a/, b/)``; of many names, the first dozen."""
    plural = "" if len(names) == 1 else "s"
    left = len(names) - NAMED
    listed = ", ".join(names[:NAMED]) + (f" and {left:,} more" if left > 0 else "")
    return f"{len(names):,} {kind}{plural} ({listed})"


class Patience:
    """Counts failures in a row that affect a whole server, not one file."""

    def __init__(self) -> None:
        self._failures = 0

    def count(self, answer: object) -> None:
        """Count an answer or a failure.

        Raises:
            SourceError: so many failures in a row that the rest would only take hours to fail.
        """
        is_busy = isinstance(answer, BadStatus) and answer.retryable
        is_down = isinstance(answer, Unreachable) or is_busy
        self._failures = self._failures + 1 if is_down else 0
        if self._failures >= PATIENCE and isinstance(answer, FetchError):
            raise SourceError(
                Message(
                    "{patience} addresses of the folder in a row gave no answer, so that its"
                    " server seems to be down; the last: {reason}",
                    patience=PATIENCE,
                    reason=answer.message,
                ),
                code=answer.code,
                url=answer.url,
            )


class Folder:
    """The links on the page of a folder, and on those of its sub-folders.

    They are read down to the option ``depth``.

    Args:
        roots: root elements of XML that stands in place of the page → what to do.

    Attributes:
        files: to be read, in the order of the pages; each URL once.
        left_out: kind of ``_LEFT_OUT`` → names of possible metadata that is not read.
        unread: why a page was not read, or not to its end, a sentence each.
        count, title: number of links on the first page, and its title.
    """

    def __init__(self, source: Source, roots: dict[str, str]) -> None:
        self._source = source
        self._roots = roots
        self._depth: int = source.options["depth"]
        self.files: dict[str, File] = {}
        self.left_out: dict[str, list[str]] = {kind: [] for kind in _LEFT_OUT}
        self.unread: list[str] = []
        self.count, self.title = 0, ""
        self._top: Listing | None = None
        self._pages: list[str] = []  # URLs of sub-folders
        self._known: set[str] = set()

    def read(self, patience: Patience) -> None:
        """Find the files to read.

        Raises:
            SourceError: the first page was not read or is no page of links, the server is down, or
                files or folders have no end.
        """
        self._sort(self._page(self._source.url), self._source.url)
        for number, url in enumerate(self._pages, 1):  # grows
            if number > MAX_FOLDERS:
                raise self._endless(f"{MAX_FOLDERS:,} sub-folders")
            answer: Listing | SourceError
            try:
                answer = listing = self._page(url)
                is_outside = self._inside(listing) is None
                reason = "it redirects out of the source's folder" if is_outside else ""
            except (FetchError, ProtocolError) as exc:
                answer, reason = exc, exc.message
            patience.count(answer)
            if reason:
                self.unread.append(f"the sub-folder {safe_url(url)} was not read: {reason}")
            else:
                self._sort(listing, url)

    def problems(self) -> Iterator[Problem]:
        """Yield a problem for each kind of link that is not read."""
        for kind, links in self._left_out():
            url = safe_url(self._source.url)
            message = Message("the page {url} links to {links}", url=url, links=links)
            yield replace(_LEFT_OUT[kind], message=message)

    def _left_out(self) -> Iterator[tuple[str, str]]:
        for kind, problem in _LEFT_OUT.items():
            if names := self.left_out[kind]:
                links = list_names(names, kind)
                yield kind, Message("{links}{what}", links=links, what=problem.message)

    def reasons(self) -> list[str]:
        """Return the first few reasons why not all pages were read."""
        left = len(self.unread) - REASONS
        return [*self.unread[:REASONS], *([f"{left:,} more pages likewise"] if left > 0 else [])]

    def nothing(self) -> ProtocolError:
        """Return the error for a folder without a file to read."""
        title = Message(" with the title '{title}'", title=self.title) if self.title else ""
        more = "".join(f"; it links to {links}" for _kind, links in self._left_out())
        more += "".join(f"; {reason}" for reason in self.reasons())
        url = safe_url(self._source.url)
        return ProtocolError(
            Message(
                "the page {url}{title} has {links}, none to an XML file in its folder;"
                ' expected names of files, such as href="rivers.xml"{more}',
                url=url,
                title=title,
                links=counted(self.count, "link"),
                more=more,
            ),
            code="no-links",
            url=url,
        )

    def _page(self, url: str) -> Listing:
        with closing(self._source.http.get(url, accept=ACCEPT)) as reply:
            if reply.body.seek(0, io.SEEK_END) > MAX_PAGE:
                raise TooLarge(
                    Message(
                        "{url} is larger than {max_page} MB, the most that is read of a page"
                        " of links.",
                        url=safe_url(url),
                        max_page=MAX_PAGE >> 20,
                    ),
                    url=safe_url(url),
                )
            body, media_type = reply.content, reply.media_type
            listing = waf_listing.read(body, reply.url, reply.charset)
        if self._top is None:
            self._top = listing
            self.count, self.title = listing.count, html_title(body) or ""
        if not listing.count:
            _refuse(body, url, self._roots, media_type)
        return listing

    def _sort(self, listing: Listing, url: str) -> None:
        """Sort the links of a page into files, sub-folders to read and what is left out."""
        if listing.is_cut:
            self.unread.append(f"the page {safe_url(url)} breaks off: it has no </html>")
        inside = self._inside(listing) or ""
        for link in listing.links:
            name = inside + link.path
            level = name.partition("?")[0].count("/")
            if link.kind == "folder" and level <= self._depth:
                self._note(self._pages, link.url)
            elif link.kind == "folder":
                self._note(self.left_out["sub-folder"], name)
            elif link.kind == "file":
                self._file(File(name, link), level)
            elif link.kind == "elsewhere" and _is_metadata(link):
                self._note(self.left_out["file"], safe_url(link.url))
            elif link.kind == "page" and _FURTHER.search(link.url):
                more = f"goes on at {safe_url(link.url)}, which is not read"
                self._note(self.unread, f"the page {safe_url(url)} {more}")

    def _file(self, file: File, level: int) -> None:
        if _ending(file.link) in _ARCHIVES:
            self._note(self.left_out["archive"], file.name)
        elif _is_wanted(file.link) and level > self._depth:
            folder = file.name[: file.name.rfind("/") + 1]
            self._note(self.left_out["sub-folder"], folder)
        elif _is_wanted(file.link):
            self.files.setdefault(file.link.url, file)
            if len(self.files) > MAX_FILES:
                raise self._endless(f"{MAX_FILES:,} files")

    def _note(self, names: list[str], name: str) -> None:
        if name not in self._known:
            self._known.add(name)
            names.append(name)

    def _inside(self, listing: Listing) -> str | None:
        """Return the page's folder relative to the source's; None if it is outside of it."""
        top = self._top or listing
        is_inside = listing.server == top.server and listing.folder.startswith(top.folder)
        return listing.folder[len(top.folder) :] if is_inside else None

    def _endless(self, what: str) -> SourceError:
        return ProtocolError(
            Message(
                "{url} has more than {what}, the most that is read; folders that link to each"
                " other have no end",
                url=safe_url(self._source.url),
                what=what,
            ),
            code="endless-folder",
            url=safe_url(self._source.url),
        )


def _ending(link: Link) -> str:
    match = _ENDING.search(link.url.partition("?")[0])
    return match[1].lower() if match else ""


def _is_metadata(link: Link) -> bool:
    return _ending(link) == "xml" or (link.is_record_like and _is_wanted(link))


def _is_wanted(link: Link) -> bool:
    ending = _ending(link)
    is_program = "?" in link.url and ending in _PAGES.split()  # whose query names the record
    return is_program or ending not in _NO_RECORDS


def _refuse(body: bytes, url: str, roots: dict[str, str], media_type: str) -> None:
    """Raise ProtocolError unless this is an HTML page; it may have no links."""
    where = safe_url(url)
    if not body.strip():
        raise ProtocolError(
            Message("the page {where} is empty; {expected}", where=where, expected=EXPECTED),
            code="empty-document",
            url=where,
        )
    if html_title(body) is not None:
        return
    try:
        root = xml.local_name(xml.parse(body))
    except ParseError:
        begins = Message(
            "it begins with {beginning}{sent}",
            beginning=quote_beginning(body),
            sent=sent_as(media_type, "html"),
        )
        message = Message(
            "{where} is not an HTML page: {begins}; {expected}",
            where=where,
            begins=begins,
            expected=EXPECTED,
        )
        raise ProtocolError(message, code="not-html", url=where) from None
    hint = Message(", {roots}", roots=roots[root]) if root in roots else ""
    message = Message(
        "{where} is an XML document with the root element <{root}>{hint}; {expected}",
        where=where,
        root=root,
        hint=hint,
        expected=EXPECTED,
    )
    raise ProtocolError(message, code="wrong-root", url=where)
