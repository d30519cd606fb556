"""Detect a response's source type, and try a site's usual URLs for a source type."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from ckanext.ukharvest.core.document_kind import html_title

# Usual paths of each source type, with the query that its interface needs.
_PLACES = {
    "data_json": (("/data.json", ""),),
    "gemini-csw": (
        ("/geonetwork/srv/eng/csw", "?service=CSW&request=GetCapabilities"),
        ("/csw", "?service=CSW&request=GetCapabilities"),
    ),
    "dcat_rdf": (("/catalog.xml", ""), ("/catalog.ttl", "")),
    "ckan": (("", ""),),
    "dkan": (("", ""),),
}
_ROOT = re.compile(rb"<(?![?!])(?:[\w.-]+:)?([\w.-]+)")
_ROOTS = {
    b"Inventory": "inventory",
    b"MD_Metadata": "gemini-single",
    b"MI_Metadata": "gemini-single",
    b"RDF": "dcat_rdf",
    b"GetRecordsResponse": "gemini-csw",
    b"GetRecordByIdResponse": "gemini-single",
}
_CSW = re.compile(rb"opengis\.net/cat/csw|\bCSW\b")
_XML_LINK = re.compile(rb"href\s*=\s*[\"']?[^\"'\s>]+\.xml\b", re.IGNORECASE)
_GENERATOR = re.compile(rb"<meta\b[^>]*\bgenerator\b[^>]*>", re.IGNORECASE)


def source_type(head: bytes) -> str:
    """Return the name of the source type that a response's first bytes show, or ""."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] in (b"{", b"["):
        return _json(text)
    if html_title(text) is not None:
        return _page(text)
    if text.startswith(b"<"):
        return _xml(text)
    if re.match(rb"(?:@prefix|@base|prefix|base|#)", text, re.IGNORECASE) and b"dcat" in text:
        return "dcat_rdf"
    return ""


def _json(text: bytes) -> str:
    if b"project-open-data" in text or re.search(rb'"dataset"\s*:\s*\[', text):
        return "data_json"
    if b'"success"' in text and re.search(rb'"(?:help|result)"\s*:', text):
        return "ckan"
    if b'"@' in text and b"dcat" in text:
        return "dcat_rdf"
    return ""


def _xml(text: bytes) -> str:
    root = _ROOT.search(text)
    name = root[1] if root else b""
    if name in (b"Capabilities", b"ExceptionReport"):
        return "gemini-csw" if _CSW.search(text) else ""
    return _ROOTS.get(name, "")


def _page(text: bytes) -> str:
    generators = b" ".join(_GENERATOR.findall(text)).lower()
    if b"ckan" in generators:
        return "ckan"
    if b"dkan" in text.lower() and b"drupal" in generators:
        return "dkan"
    return "gemini-waf" if _XML_LINK.search(text) else ""


def better_address(name: str, url: str, first_bytes: Callable[[str], bytes]) -> str:
    """Return a URL of the same site that responds as this source type, "" if there is none.

    Args:
        name: the source type.
        url: any URL of the site.
        first_bytes: returns the first bytes of a URL's response, b"" for an error.
    """
    parts = urlsplit(url)
    site = f"{parts.scheme}://{parts.netloc}"
    for path, query in _PLACES.get(name, ()):
        if site + path == url.rstrip("/"):
            continue
        if source_type(first_bytes(site + path + query)) == name:
            return site + path
    return ""
