"""Detect a response's source type, and try a site's usual URLs for a source type."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from urllib.parse import urlsplit

from ckanext.ukharvest.core.document_kind import html_title
from ckanext.ukharvest.core.errors import SourceError
from ckanext.ukharvest.source_types import TYPES

log = logging.getLogger(__name__)

DATA = "data"  # data with a schema, which are no source

_ROOT = re.compile(rb"<(?![?!])(?:[\w.-]+:)?([\w.-]+)")
_ROOTS = {
    b"Inventory": "inventory",
    b"MD_Metadata": "gemini-single",
    b"MI_Metadata": "gemini-single",
    b"RDF": "dcat_rdf",
    b"GetRecordsResponse": "gemini-csw",
    b"GetRecordByIdResponse": "gemini-single",
    b"OAI-PMH": "oaipmh",
    b"sparql": "sparql",
    b"OpenSearchDescription": "opensearch",
}
_SERVICE = b"http://www.w3.org/ns/sparql-service-description#"
_RESULTS = re.compile(rb'"head"\s*:.*"(?:boolean|bindings)"\s*:', re.DOTALL)
# The fields that Project Open Data requires of each dataset and other lists do not have.
_POD_FIELDS = (re.compile(rb'"accessLevel"\s*:'), re.compile(rb'"identifier"\s*:'))
# Their context may be elsewhere, so that no prefix shows in the document.
_JSON_LD = re.compile(
    rb'"@?type"\s*:\s*(?:\[[^\]]*)?"(?:[^"]*[:/#])?(?:Dataset|DatasetSeries|Catalog|DataCatalog)"'
)
_SCHEMA_ORG = re.compile(
    rb'"@context"\s*:\s*(?:\[\s*|\{\s*"@vocab"\s*:\s*)?"https?://schema\.org\b'
)
_CSW = re.compile(rb"opengis\.net/cat/csw|\bCSW\b")
_XML_LINK = re.compile(rb"href\s*=\s*[\"']?[^\"'\s>]+\.xml\b", re.IGNORECASE)
_GEOJSON = re.compile(rb'"type"\s*:\s*"(?:Feature|FeatureCollection)"')
# The portal's own program, and the files that each of its pages loads.
_ODS_PAGE = re.compile(
    rb"\bng-app\s*=\s*[\"']ods\.|(?:src|href)\s*=\s*[\"'](?:https?:)?//[\w.-]*\bopendatasoft\.com/"
)
_ODS_JSON = re.compile(rb'"(?:total_count|nhits)"\s*:\s*\d')
_GENERATOR = re.compile(rb"<meta\b[^>]*\bgenerator\b[^>]*>", re.IGNORECASE)


def detect(head: bytes) -> str:
    """Return what a document is: a source type, ``DATA`` for GeoJSON, or ""."""
    is_geojson = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" and _GEOJSON.search(head)
    return source_type(head) or (DATA if is_geojson else "")


def unrecognised(url: str, head: bytes) -> SourceError:
    """Return the error of a response in which no source type shows.

    Args:
        url: of the response, or where else it comes from.
        head: its first bytes.
    """
    title = html_title(head)
    if title is not None:
        named = f", title '{title}'" if title else ""
        message = f"HTML page instead of a catalogue{named}: {url}"
        return SourceError(message, code="html-page", url=url)
    if not head.strip():
        message = f"the answer of {url} is empty; expected a catalogue"
        return SourceError(message, code="empty-document", url=url)
    message = (
        f"{url}: the first bytes show no known format; expected a catalogue, such as data.json,"
        " GEMINI or RDF, or data with their schema"
    )
    return SourceError(message, code="unknown-source-type", url=url)


def source_type(head: bytes) -> str:
    """Return the name of the source type that a response's first bytes show, or "".

    Types of other distributions are asked where ours do not recognise it.
    """
    return _our_type(head) or _other_type(head)


def _other_type(head: bytes) -> str:
    for kind in TYPES.values():
        try:
            if kind.recognise and kind.recognise(head):
                return kind.name
        except Exception:  # noqa: BLE001 - code of another distribution
            log.exception("The source type %s failed to look at a response", kind.name)
    return ""


def _our_type(head: bytes) -> str:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] in (b"{", b"["):
        return _json(text)
    if html_title(text) is not None:
        return _page(text)
    if _SERVICE in text:
        return "sparql"
    if text.startswith(b"<"):
        return _xml(text)
    if re.match(rb"(?:@prefix|@base|prefix|base|#)", text, re.IGNORECASE) and b"dcat" in text:
        return "dcat_rdf"
    return ""


def _json(text: bytes) -> str:
    is_linked = b'"@context"' in text
    if _SCHEMA_ORG.search(text) and _JSON_LD.search(text):
        return "dcat_rdf"
    if b"project-open-data" in text or re.search(rb'"dataset"\s*:\s*\[', text):
        return "data_json"
    if _RESULTS.search(text):
        return "sparql"
    if b'"success"' in text and re.search(rb'"(?:help|result)"\s*:', text):
        return "ckan"
    if re.search(rb'"dataset_?id"\s*:', text) and (_ODS_JSON.search(text) or b'"metas"' in text):
        return "ods"
    is_list = text.startswith(b"[") and not is_linked
    if is_list and all(each.search(text) for each in _POD_FIELDS):
        return "data_json"
    if b'"@' in text and b"dcat" in text or is_linked and _JSON_LD.search(text):
        return "dcat_rdf"
    if b'"FeatureCollection"' in text and b'"totalResults"' in text:
        return "opensearch"
    return ""


def _xml(text: bytes) -> str:
    root = _ROOT.search(text)
    name = root[1] if root else b""
    if name in (b"Capabilities", b"ExceptionReport", b"Envelope"):
        return "gemini-csw" if _CSW.search(text) else ""
    if name == b"feed" and b"a9.com/-/spec/opensearch" in text:
        return "opensearch"
    return _ROOTS.get(name, "")


def _page(text: bytes) -> str:
    generators = b" ".join(_GENERATOR.findall(text)).lower()
    if b"ckan" in generators:
        return "ckan"
    if b"dkan" in text.lower() and b"drupal" in generators:
        return "dkan"
    if "sparql" in (html_title(text) or "").lower():
        return "sparql"
    if _ODS_PAGE.search(text):
        return "ods"
    return "gemini-waf" if _XML_LINK.search(text) else ""


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
