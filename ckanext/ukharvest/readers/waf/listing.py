"""The links of a folder's page: Apache, IIS, nginx, Caddy, lighttpd, Python, or made by hand.

Links, ``base`` and encodings as in the HTML standard. No server's layout is assumed: a link is an
``a`` or ``area`` with a URL, and its stamp is the other text of its line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import unquote, urljoin, urlsplit

from lxml import etree

from ckanext.ukharvest.core.errors import Blocked
from ckanext.ukharvest.core.http import urls
from ckanext.ukharvest.core.xml import parser as xml

Kind = Literal["file", "folder", "page", "above", "elsewhere", "other"]

# Elements that are one line whatever they contain, and elements that end a line anywhere.
_ROWS = frozenset(("tr", "li", "pre"))
_BREAKS = frozenset(
    ("br", "hr", "p", "div", "dt", "dd", "h1", "h2", "h3", "table", "ul", "ol", "dl")
)
_MUTE = frozenset(("a", "script", "style", "title"))
_NO_PLACE = re.compile(r"(?:mailto|tel|sms|callto|javascript|data|about|blob):", re.IGNORECASE)
# Queries by which a page of links sorts itself; such words in other queries request records.
_RECORD = re.compile(r"xml|getrecord|iso.?191|gemini", re.IGNORECASE)
_WORD = r"(?:\d{1,2}|[^\W\d]{3,9}\.?)"
_DAY = re.compile(
    rf"\d{{4}}[-/. ]{_WORD}[-/. ]\d{{1,2}}\b|\b{_WORD}[-/., ]+{_WORD}[-/., ]+\d{{4}}\b"
)
_TIME = re.compile(
    r"\b\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?(?: ?[AP]M\b)?(?: ?[+-]\d{2}:?\d{2})?", re.IGNORECASE
)
DEEPEST = 10_000  # elements that are open at once
_LONGEST_STAMP = 200  # characters; more is prose


@dataclass(frozen=True, slots=True)
class Link:
    """One link.

    Attributes:
        href: as written on the page.
        url: its normalised URL; ``href`` again if that is invalid.
        path: its path relative to the page's folder, with its query; "" outside of it.
        stamp: day, time and size of the file as listed, with other text of the line; "" unless all
            three are there, which hand-made listings lack.
        kind: "file" and "folder" are in the page's folder or deeper, "above" contains it; "page" is
            the page itself (its sort links, ``#top``), "other" not a path (``mailto:``).
    """

    href: str
    url: str
    path: str
    stamp: str
    kind: Kind

    @property
    def is_record_like(self) -> bool:
        """Whether the URL mentions XML, or requests a record."""
        parts = urlsplit(self.url)
        return bool(_RECORD.search(f"{parts.path}?{parts.query}"))


@dataclass(frozen=True, slots=True)
class Listing:
    """A folder's page.

    Attributes:
        server, folder: base of its links: host and port, and the decoded path up to its last slash.
        links: in their order, each URL once.
        count: number of links on the page.
        is_cut: the page begins as HTML but has no end.
    """

    server: str
    folder: str
    links: tuple[Link, ...]
    count: int
    is_cut: bool = False


def read(body: bytes, url: str, charset: str = "") -> Listing:
    """Return the links of a page; none if it is not HTML.

    Args:
        body: the page; broken HTML is read as far as a browser would.
        url: the URL that answered.
        charset: the server's charset, "" if it names none.
    """
    lines = _parse(body, charset)
    place = _Place.from_page(url, lines)
    links: dict[str, Link] = {}
    for href, stamp in lines.links:
        link = place.link(href, stamp)
        known = links.setdefault(link.url, link)
        if link.stamp and not known.stamp:  # an icon's link stands before the name's
            links[link.url] = link
    lower = body.lower()
    is_cut = lines.is_given_up or (b"<html" in lower and b"</html" not in lower)
    return Listing(place.server, place.folder, tuple(links.values()), len(lines.links), is_cut)


def _parse(body: bytes, charset: str) -> _Lines:
    lines = _Lines()
    try:
        xml.read_html(lines, body, charset)
    except (_TooDeep, etree.XMLSyntaxError):
        lines.is_given_up = True
    return lines


class _TooDeep(Exception):
    """More elements are open than on any real page; parsing would get slower and slower."""


class _Lines:
    """Parser target that collects the links of a page.

    Attributes:
        links: each link's href and stamp.
        base: the page's own base URL.
        is_given_up: whether parsing stopped before the end.
    """

    def __init__(self) -> None:
        self.links: list[tuple[str, str]] = []
        self.base = ""
        self.is_given_up = False
        self._depth = 0
        self._rows: list[str] = []
        self._hrefs: list[str] = []  # of the line that is being read
        self._words: list[str] = []
        self._mute = 0  # elements around whose text does not count: the link's own, scripts

    def start(self, tag: Any, attributes: Any) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise _TooDeep
        self._words.append(" ")
        if tag in _ROWS:
            self._break()
            self._rows.append(tag)
        elif tag in _BREAKS and self._rows[-1:] not in (["tr"], ["li"]):
            self._break()
        elif tag in ("a", "area") and (href := attributes.get("href", "").strip()):
            self._hrefs.append(href)
        elif tag == "base" and not self.base:
            self.base = attributes.get("href", "").strip()
        self._mute += tag in _MUTE

    def end(self, tag: Any) -> None:
        self._depth -= 1
        self._words.append(" ")
        self._mute -= tag in _MUTE
        if tag in _ROWS:
            self._break()
            self._rows.pop()

    def data(self, data: Any) -> None:
        if self._mute:
            return
        first, *further = data.split("\n") if self._rows[-1:] == ["pre"] else [data]
        self._words.append(first)
        for line in further:
            self._break()
            self._words.append(line)

    def comment(self, text: Any) -> None:
        """Ignore comments."""

    def close(self) -> None:
        self._break()

    def _break(self) -> None:
        if self._hrefs:
            stamp = _stamp("".join(self._words)) if len(set(self._hrefs)) == 1 else ""
            self.links.extend((href, stamp) for href in self._hrefs)
            self._hrefs.clear()
        self._words.clear()


def _stamp(words: str) -> str:
    text = " ".join(words.split())
    rest, days = _DAY.subn(" ", text[: _LONGEST_STAMP + 1])
    rest, times = _TIME.subn(" ", rest)
    # Without the time or the size, a file changed within the day would look unchanged.
    has_all = days and times and re.search(r"\d", rest) and len(text) <= _LONGEST_STAMP
    return text if has_all else ""


@dataclass(frozen=True)
class _Place:
    """The place of a page, to classify its links.

    Attributes:
        base: base URL of relative links.
        server: host and port.
        page, folder: its path, and the path up to the last slash, decoded.
    """

    base: str
    server: str
    page: str
    folder: str

    @classmethod
    def from_page(cls, url: str, lines: _Lines) -> _Place:
        if "://" not in url:
            # Of a page saved as a file: IIS writes whole paths, which tell its folder.
            files = (href.partition("?")[0] for href, _stamp in lines.links)
            whole = next((file for file in files if re.match(r"/[^/].*\.xml$", file, re.I)), "")
            url = whole[: whole.rfind("/") + 1] or url
        server, path = _split(url)
        base = _resolve(url, lines.base) if lines.base else url
        return cls(base or url, server, path, path[: path.rfind("/") + 1])

    def link(self, href: str, stamp: str) -> Link:
        if href.startswith("#"):
            return Link(href, href, "", "", "page")
        if _NO_PLACE.match(href):
            return Link(href, href, "", "", "other")
        url = _resolve(self.base, href)
        if not url:
            return Link(href, href, "", "", "elsewhere")
        kind, path = self._kind(url)
        return Link(href, url, path, stamp if kind == "file" else "", kind)

    def _kind(self, url: str) -> tuple[Kind, str]:
        server, path = _split(url)
        if server != self.server:
            return "elsewhere", ""
        if path in (self.page, self.folder):
            query = urlsplit(url).query
            return ("file", f"?{query}") if _RECORD.search(query) else ("page", "")
        if path.startswith(self.folder) and (self.folder or not path.startswith("/")):
            inside = path[len(self.folder) :]
            if path.endswith("/"):
                return "folder", inside
            return "file", "?".join(filter(None, (inside, urlsplit(url).query)))
        is_above = self.folder.startswith(path.rstrip("/") + "/")
        return "above" if is_above else "elsewhere", ""


def _resolve(base: str, href: str) -> str:
    """Return a normalised URL, "" if it is invalid."""
    text = re.sub(r"[\t\r\n]", "", href).replace("\\", "/")  # as browsers do
    try:
        url = urljoin(base, text)
        return urls.normalise(url) if "://" in url else url.partition("#")[0]
    except (Blocked, ValueError):
        return ""


def _split(url: str) -> tuple[str, str]:
    """Return host and port (equal for http and https), and the decoded path."""
    parts = urlsplit(url)
    server = re.sub(r":(?:80|443)?$", "", parts.netloc)
    return server, unquote(parts.path) or ("/" if server else "")
