"""Find the source type and the URL that answer at an address, or nearest to it."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol
from urllib.parse import urlsplit, urlunsplit

from ckanext.ukharvest.core.document_head import read_head
from ckanext.ukharvest.core.document_kind import html_title
from ckanext.ukharvest.core.errors import BadStatus, FetchError, SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.readers.rdf import json_ld
from ckanext.ukharvest.reading.budget import HEAD, Over
from ckanext.ukharvest.reading.type_detection import (
    better_address,
    describe,
    probes,
    site_of,
    source_type,
    unrecognised,
)
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.source_types.gemini import GEMINI_CSW, GEMINI_SINGLE
from ckanext.ukharvest.source_types.lists import DCAT_RDF

MOST_FOLDERS = 3  # of an address, from the deepest up, in which usual places are tried
LOOKUP_SECONDS = 40.0
PROBE_SECONDS = 5.0  # of one request
OUT_OF_REACH = ("blocked", "unreachable")  # codes of errors that every URL of a site has
BUSY = (429, 503)  # statuses of a server that wants no further requests now

PAGE = 1 << 20  # bytes of an HTML page in which JSON-LD is looked for


class FirstBytes(Protocol):
    """Returns the first bytes of a URL's response, b"" for an error."""

    def __call__(self, url: str, most: int = HEAD) -> bytes: ...


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


def _answers(url: str, first_bytes: FirstBytes) -> Iterator[Found]:
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
        for name in TYPES:
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


def nothing_found(url: str, probe: Probe) -> SourceError:
    """Return the error of an address that leads to no source: what its server answered."""
    if probe.error is not None:
        return probe.error
    error = unrecognised(url, probe.head)
    if error.code != "unknown-source-type":
        return error
    message = (
        f"{url} is {describe(read_head(probe.head))}, and the usual URLs of its site do not answer"
        " as a source either; expected the URL of a catalogue, such as"
        " https://example.gov.uk/data.json"
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
        """Return the title of the first page of a URL's site, "" if it has none."""
        return html_title(self(f"{site_of(url)}/")) or ""


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
