"""Detect a response's source type, and try a site's usual URLs for a source type."""

from __future__ import annotations

import logging
from collections.abc import Callable
from urllib.parse import urlsplit

from ckanext.ukharvest.core.document_head import DocumentHead, read_head
from ckanext.ukharvest.core.document_kind import html_title, sent_as
from ckanext.ukharvest.core.errors import SourceError
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini import document as gemini_document
from ckanext.ukharvest.source_types import TYPES

log = logging.getLogger(__name__)

DATA = "data"  # data with a schema, which are no source

EXPECTED = (
    "a catalogue, such as data.json, GEMINI or RDF that describes datasets with DCAT, or data with"
    " their schema"
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
        named = f", title '{title}'" if title else ""
        sent = sent_as(media_type, "html")
        message = f"HTML page instead of a catalogue{named}{sent}: {url}"
        return SourceError(message, code="html-page", url=url)
    if not head.strip():
        message = f"the answer of {url} is empty; expected a catalogue"
        return SourceError(message, code="empty-document", url=url)
    sent = sent_as(media_type, "json", "xml", "turtle", "triples")
    message = f"{url}{sent}: no known format: {describe_unknown(head)}"
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
    return f"it is {describe(read_head(head))}; expected {EXPECTED}"


def describe(head: DocumentHead) -> str:
    """Return what a document of no known format is, for a message."""
    if not head.text.strip("\0"):
        return "empty"
    if head.page_title is not None:
        return f"an HTML page with the title '{head.page_title}'" if head.page_title else "HTML"
    if head.is_json:
        return _describe_json(head)
    if head.root is not None and head.root_name.isidentifier():
        other = gemini_document.describe_other_root(head.root)
        return f"XML with the root element {head.root_name}" + (f": {other}" if other else "")
    begins = " ".join(head.text[:60].split())
    return f"text that begins with '{shorten(begins, 40)}'" if begins.isprintable() else "not text"


def _describe_json(head: DocumentHead) -> str:
    item = head.values.get("item")
    is_list = head.text.startswith("[")
    names = ", ".join(
        shorten(name, 30) for name in sorted(head.keys("item" if is_list else ""))[:8]
    )
    if not is_list:
        return f"a JSON object with {names}" if names else "an empty JSON object"
    if names:
        return (
            f"a JSON list of objects with {names}, where a list of datasets has title, identifier"
            " and description"
        )
    if "item" not in head.values:
        return "an empty JSON list" if "]" in head.text else "a JSON list that is cut off"
    kinds = {bool: "yes or no", str: "texts", type(None): "nulls"}
    kind = "lists" if item == "start_array" else kinds.get(type(item), "numbers")
    return f"a JSON list of {kind}, where datasets are objects with title and identifier"


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
