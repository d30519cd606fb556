"""Detect a response's source type, and find the type and the URL that answer at an address.

If the address itself is no source, the usual URLs of its site are tried.
"""

from __future__ import annotations

import io
import logging
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit, urlunsplit

from ckanext.ukharvest.core.document_head import DocumentHead, read_head
from ckanext.ukharvest.core.document_kind import html_title, sent_as
from ckanext.ukharvest.core.errors import BadStatus, FetchError, SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini import document as gemini_document
from ckanext.ukharvest.readers.rdf import json_ld
from ckanext.ukharvest.reading.budget import HEAD, Over
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.source_types.gemini import GEMINI_CSW, GEMINI_SINGLE
from ckanext.ukharvest.source_types.lists import DCAT_RDF

log = logging.getLogger(__name__)

DATA = "data"  # data with a schema, which are no source

EXPECTED = Message(
    "a catalogue, such as data.json, GEMINI or RDF that describes datasets with DCAT, or"
    " data with their schema"
)
_GEOJSON = ("Feature", "FeatureCollection")


def detect(head: bytes) -> str:
    """Return what a document is: a source type, ``DATA`` for GeoJSON, or ""."""
    return source_type(head) or (DATA if read_head(head).values.get("type") in _GEOJSON else "")


def unrecognised(url: str, head: bytes, media_type: str = "") -> SourceError:
    """Return the error of a response in which no source type shows.

    Args:
        url: of the response, or where else it comes from.
        head: its first bytes.
        media_type: the server's.
    """
    title = html_title(head)
    if title is not None:
        named = Message(", title '{title}'", title=title) if title else ""
        sent = sent_as(media_type, "html")
        message = Message(
            "HTML page instead of a catalogue{named}{sent}: {url}", named=named, sent=sent, url=url
        )
        return SourceError(message, code="html-page", url=url)
    if not head.strip():
        message = Message("the answer of {url} is empty; expected a catalogue", url=url)
        return SourceError(message, code="empty-document", url=url)
    sent = sent_as(media_type, "json", "xml", "turtle", "triples")
    message = Message(
        "{url}{sent}: no known format: {what}", url=url, sent=sent, what=describe_unknown(head)
    )
    return SourceError(message, code="unknown-source-type", url=url)


def source_type(head: bytes) -> str:
    """Return the name of the source type that a document's first bytes show, or "".

    Each type declares the shapes that its reader accepts (``SourceType.recognise``).
    """
    for kind in TYPES.values():
        try:
            if kind.recognise and kind.recognise(head):
                return kind.name
        except Exception:  # noqa: BLE001 - code of another distribution
            log.exception("The source type %s failed to look at a response", kind.name)
    return ""


def describe_unknown(head: bytes) -> str:
    """Return what a document of no known format is, and what was expected, for a message."""
    return Message(
        "it is {what}; expected {expected}", what=describe(read_head(head)), expected=EXPECTED
    )


def describe(head: DocumentHead) -> str:
    """Return what a document of no known format is, for a message."""
    if not head.text.strip("\0"):
        return Message("empty")
    if head.page_title is not None:
        return (
            Message("an HTML page with the title '{page_title}'", page_title=head.page_title)
            if head.page_title
            else Message("HTML")
        )
    if head.is_json:
        return _describe_json(head)
    if head.root is not None and head.root_name.isidentifier():
        other = gemini_document.describe_other_root(head.root)
        return Message(
            "XML with the root element {root}{other}",
            root=head.root_name,
            other=f": {other}" if other else "",
        )
    begins = " ".join(head.text[:60].split())
    return (
        Message("text that begins with '{begins}'", begins=shorten(begins, 40))
        if begins.isprintable()
        else Message("not text")
    )


def _describe_json(head: DocumentHead) -> str:
    item = head.values.get("item")
    is_list = head.text.startswith("[")
    names = ", ".join(
        shorten(name, 30) for name in sorted(head.keys("item" if is_list else ""))[:8]
    )
    if not is_list:
        return (
            Message("a JSON object with {names}", names=names)
            if names
            else Message("an empty JSON object")
        )
    if names:
        return Message(
            "a JSON list of objects with {names}, where a list of datasets has title,"
            " identifier and description",
            names=names,
        )
    if "item" not in head.values:
        return (
            Message("an empty JSON list")
            if "]" in head.text
            else Message("a JSON list that is cut off")
        )
    kinds = {bool: "yes or no", str: "texts", type(None): "nulls"}
    kind = "lists" if item == "start_array" else kinds.get(type(item), "numbers")
    return Message(
        "a JSON list of {kind}, where datasets are objects with title and identifier", kind=kind
    )


def better_address(
    name: str, url: str, first_bytes: Callable[[str], bytes], folder: str = ""
) -> str:
    """Return a URL of the same site that responds as this source type, "" if there is none.

    Args:
        name: the source type.
        url: any URL of the site.
        first_bytes: returns the first bytes of a URL's response, b"" for an error.
        folder: where the usual paths are tried, without a slash at its end; "" for the whole site.
    """
    kind = TYPES.get(name)
    if kind is None:
        return ""
    folder = folder or site_of(url)
    for path in kind.usual_urls:
        place = folder + path
        if place != url.rstrip("/") and source_type(first_bytes(place + kind.probe)) == name:
            return place
    return ""


def site_of(url: str) -> str:
    """Return scheme and server of a URL, without a slash at the end."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def probes() -> tuple[str, ...]:
    """Return what the source types add to a source's URL to detect it."""
    return tuple(dict.fromkeys(kind.probe for kind in TYPES.values() if kind.probe))


MOST_FOLDERS = 3  # of an address, from the deepest up, in which usual places are tried
LOOKUP_SECONDS = 40.0
PROBE_SECONDS = 5.0  # of one request
OUT_OF_REACH = ("blocked", "unreachable")  # codes of errors that every URL of a site has
BUSY = (429, 503)  # statuses of a server that wants no further requests now

# What servers call the list of a folder's files.
_LISTINGS = ("Directory listing", "Index of", "Listing directory")

PAGE = 1 << 20  # bytes of an HTML page in which JSON-LD is looked for


# Returns the first bytes of a URL's response, so many or HEAD, b"" for an error.
FirstBytes = Callable[..., bytes]


@dataclass(frozen=True, slots=True)
class Found:
    """What answers at an address.

    Attributes:
        source_type: name of the type.
        url: URL of the source.
        how: "address" (the address itself answers), "service" (it does with the query that the
            type's protocol begins with), "site" (it is a page of a site that has an interface)
            or "place" (another URL of the site).
    """

    source_type: str
    url: str
    how: str


def look_up(url: str, first_bytes: FirstBytes) -> Found | None:
    """Return what answers at an address or nearest to it, None if nothing known does.

    Args:
        url: any URL of the source's site.
        first_bytes: returns the first bytes of a URL's response, b"" for an error.
    """
    return next(_answers(url, first_bytes), None)


def find_near(url: str, name: str, first_bytes: FirstBytes) -> str:
    """Return the URL of the same host, nearest to one, that answers as a source of a type.

    "" if none does, or the URL itself does.

    Args:
        name: the source type.
        first_bytes: as in ``look_up``.
    """
    own = (found for found in _answers(url, first_bytes, (name,)) if found.source_type == name)
    found = next(own, None)
    return found.url if found and found.how == "place" else ""


def _answers(
    url: str, first_bytes: FirstBytes, names: Collection[str] = TYPES.keys()
) -> Iterator[Found]:
    parts = urlsplit(url)
    without_query = urlunsplit((*parts[:3], "", ""))
    head = first_bytes(url)
    if name := source_type(head):
        if name == GEMINI_CSW.name and _is_saved(head, without_query, first_bytes):
            name = GEMINI_SINGLE.name
        # An interface of a site is found by the site, whichever of its pages was given.
        is_page = "" in TYPES[name].usual_urls and parts.path.strip("/")
        site = better_address(name, url, first_bytes) if is_page else ""
        yield Found(name, site, "site") if site else Found(name, _plain(url, name), "address")
    for probe in probes():
        if name := source_type(first_bytes(without_query + probe)):
            yield Found(name, without_query, "service")
    for folder in _folders(url):
        for name in names:
            if place := better_address(name, url, first_bytes, folder):
                yield Found(name, place, "place")
    # Last, since an interface of the site has more than one of its pages.
    if html_title(head) is not None and _has_datasets(url, head, first_bytes):
        yield Found(DCAT_RDF.name, url, "address")


def _has_datasets(url: str, head: bytes, first_bytes: FirstBytes) -> bool:
    """Tell whether an HTML page has JSON-LD that describes datasets: often at its end."""
    page = head if len(head) < HEAD else first_bytes(url, PAGE)
    return json_ld.embedded(io.BytesIO(page)) is not None


def _is_saved(head: bytes, url: str, first_bytes: FirstBytes) -> bool:
    """Tell whether an answer of a CSW is a file: its records are all that there is."""
    has_records = GEMINI_SINGLE.recognise is not None and GEMINI_SINGLE.recognise(head)
    return has_records and source_type(first_bytes(url + GEMINI_CSW.probe)) != GEMINI_CSW.name


def _plain(url: str, name: str) -> str:
    """Return the URL without its type's probe."""
    probe = TYPES[name].probe
    return url[: -len(probe)] if probe and url.lower().endswith(probe.lower()) else url


def _folders(url: str) -> Iterator[str]:
    """Yield the folders of a URL from the deepest up, without a slash at their end."""
    site = site_of(url)
    names = [name for name in urlsplit(url).path.split("/") if name]
    for count in range(min(len(names), MOST_FOLDERS - 1), 0, -1):
        yield "/".join((site, *names[:count]))
    yield site


def why_no_source(url: str, probe: Probe) -> SourceError:
    """Return why an address is itself no source: what its server answered."""
    return probe.error or unrecognised(url, probe.head)


def nothing_found(url: str, probe: Probe) -> SourceError:
    """Return the error of an address that leads to no source: what its server answered."""
    error = why_no_source(url, probe)
    if error.code != "unknown-source-type":
        return error
    message = Message(
        "{url} is {what}, and the usual URLs of its site do not answer as a source"
        " either; expected the URL of a catalogue, such as"
        " https://example.gov.uk/data.json",
        url=url,
        what=describe(read_head(probe.head)),
    )
    return SourceError(message, code="no-source", url=url)


@dataclass
class Probe:
    """Reads the first bytes of URLs, within a time.

    Args:
        http: the client; its limits are lowered for the time of each request.
        seconds: after which no more requests are sent.
        tell: called before each request; returns False to end the lookup.

    Attributes:
        error: why the first URL could not be read, None if it could.
        head: the first bytes of its response, b"" for an error.
    """

    http: HttpClient
    seconds: float = LOOKUP_SECONDS
    tell: Callable[[], bool] = lambda: True
    clock: Callable[[], float] = time.monotonic
    error: FetchError | None = None
    head: bytes = b""
    _known: dict[tuple[str, int], bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._ends = self.clock() + self.seconds

    def __call__(self, url: str, most: int = HEAD) -> bytes:
        """Return the first ``most`` bytes of a URL's response, b"" for an error.

        Raises:
            Over: the lookup was stopped, or its time is up.
            FetchError: the first URL is forbidden, or its server cannot be reached or is busy.
        """
        key = (url, most)
        if key in self._known:
            return self._known[key]
        if not self.tell():
            raise Over("stopped")
        if self.clock() >= self._ends:
            raise Over("time")
        is_first = not self._known
        try:
            self._known[key] = first_bytes(self.http, url, most)
        except FetchError as exc:
            if is_first:
                self.error = exc
            if is_first and _is_final(exc):
                raise
            self._known[key] = b""
        if is_first:
            self.head = self._known[key]
        return self._known[key]

    def site_title(self, url: str) -> str:
        """Return the title of the first page of a URL's site, "" if it has none of its own."""
        title = html_title(self(f"{site_of(url)}/")) or ""
        return "" if title.startswith(_LISTINGS) else title


def _is_final(error: FetchError) -> bool:
    """Tell whether other URLs of the site will answer no better."""
    is_busy = isinstance(error, BadStatus) and error.status in BUSY
    return is_busy or error.code in OUT_OF_REACH


def first_bytes(http: HttpClient, url: str, most: int = HEAD) -> bytes:
    """Return the first bytes of a URL's response, by one request within ``PROBE_SECONDS``.

    Raises:
        FetchError: there is no response.
    """
    limits = http.limits
    read = min(limits.read, PROBE_SECONDS)
    http.limits = replace(limits, total=PROBE_SECONDS, read=read, retries=0)
    try:
        with http.get(url, first=most) as reply:
            return reply.content
    finally:
        http.limits = limits
