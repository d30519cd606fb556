"""Protocols of ISO 19139 links: the kind of each link, and its format under CKAN's label.

``gmd:protocol`` is free text. The strings are those of GeoNetwork's list, of OGC's definition
server and of the INSPIRE guidelines, as found in real records.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from ckanext.ukharvest.core.values import formats

Kind = Literal["service", "file", "page", "format", ""]


class Protocol(NamedTuple):
    """The meaning of a protocol.

    Attributes:
        kind: "service" (an endpoint), "file" (a download), "page" (for people to read), "format"
            (a media type or a format's name given as the protocol), or "" when it says nothing
            ("https").
        label: the format, "" when the protocol does not say it.
    """

    kind: Kind = ""
    label: str = ""


# Texts that begin with such a string are that protocol: versions and requests follow. Spaces, case,
# versions and the number of hyphens do not matter.
KNOWN: tuple[tuple[str, Protocol], ...] = (
    ("OGC:WMS", Protocol("service", "WMS")),
    ("OGC Web Map Service", Protocol("service", "WMS")),
    ("WMS", Protocol("service", "WMS")),
    ("OGC:WMTS", Protocol("service", "WMTS")),
    ("OGC Web Map Tile Service", Protocol("service", "WMTS")),
    ("WMTS", Protocol("service", "WMTS")),
    ("OGC:WFS", Protocol("service", "WFS")),
    ("OGC Web Feature Service", Protocol("service", "WFS")),
    ("WFS", Protocol("service", "WFS")),
    ("OGC:WCS", Protocol("service", "WCS")),
    ("OGC Web Coverage Service", Protocol("service", "WCS")),
    ("WCS", Protocol("service", "WCS")),
    ("OGC:CSW", Protocol("service", "CSW")),
    ("CSW", Protocol("service", "CSW")),
    ("OGC:SOS", Protocol("service", "SOS")),
    ("SOS", Protocol("service", "SOS")),
    ("OGC:WPS", Protocol("service", "WPS")),
    ("WPS", Protocol("service", "WPS")),
    ("OGC API - Features", Protocol("service", "OGC API Features")),
    ("OGC:API-Features", Protocol("service", "OGC API Features")),
    ("OGC:OGC-API-Features", Protocol("service", "OGC API Features")),
    ("OGCAPI-Features", Protocol("service", "OGC API Features")),
    ("OGC API", Protocol("service", "OGC API")),
    ("TMS", Protocol("service", "TMS")),
    ("ESRI:REST", Protocol("service", "Esri REST")),
    ("ESRI:ArcGIS", Protocol("service", "Esri REST")),
    # ArcIMS: no longer supported anywhere, and not REST.
    ("ESRI:AIMS", Protocol("service", "")),
    ("INSPIRE Atom", Protocol("service", "Atom Feed")),
    ("ATOM", Protocol("service", "Atom Feed")),
    ("WWW:LINK-1.0-http--atom", Protocol("service", "Atom Feed")),
    ("WWW:LINK-1.0-http--opendap", Protocol("service", "OPeNDAP")),
    ("WWW:OPENDAP", Protocol("service", "OPeNDAP")),
    ("OPeNDAP", Protocol("service", "OPeNDAP")),
    ("WWW:LINK-1.0-http--rss", Protocol("file", "RSS")),
    ("OGC:WMC", Protocol("file", "WMC")),
    ("OGC:KML", Protocol("file", "KML")),
    ("GLG:KML", Protocol("file", "KML")),
    ("OGC:GML", Protocol("file", "GML")),
    ("WWW:DOWNLOAD", Protocol("file", "")),
    ("enclosure", Protocol("file", "")),
    ("WWW:LINK", Protocol("page", "HTML")),
    ("text/html", Protocol("page", "HTML")),
    ("OPENDATA:SWISS", Protocol("page", "HTML")),
    ("CHTOPO:specialised-geoportal", Protocol("page", "HTML")),
)

# URLs of Anchors whose last part does not name the protocol (RFC 4287: Atom).
_ADDRESSES = {"rfc4287": Protocol("service", "Atom Feed")}

_LONGEST = 200
_VERSION = re.compile(r"(?:v|(?<!\d))\d+(?:\.\d+)+")


def of_protocol(text: str, href: str = "") -> Protocol:
    """Return the meaning of a protocol.

    Args:
        text: its name, or a URL instead.
        href: URL of the Anchor, if it is one.
    """
    words = text.strip()[:_LONGEST]
    protocol = Protocol() if "://" in words else _of_text(words)
    for address in (href, words):
        if not protocol.kind and "://" in address:
            protocol = _of_address(address)
    return protocol


@lru_cache(maxsize=2000)  # the records of a source name few
def _longest_match(name: str) -> tuple[str, Protocol]:
    matches = [row for row in _KNOWN if name == row[0] or name.startswith(row[0] + "-")]
    return max(matches, default=("", Protocol()), key=lambda row: len(row[0]))


def _of_text(text: str) -> Protocol:
    name = _plain(text)
    start, protocol = _longest_match(name)
    if start == "www-download":
        # "WWW:DOWNLOAD-OGC:WFS" downloads from the protocol that follows.
        return Protocol("file", _of_text(name[len(start) + 1 :]).label)
    if not protocol.kind and (label := formats.label(text)):
        return Protocol("format", label)
    return protocol


def _of_address(address: str) -> Protocol:
    last = re.split(r"[/#]", re.sub(r"/\d+(?:\.\d+)*$", "", address.rstrip("/#")))[-1]
    return _ADDRESSES.get(last.lower()) or _of_text(last)


def _plain(text: str) -> str:
    """Return lower case, without versions, with one hyphen between words."""
    return re.sub(r"[\s:_-]+", "-", _VERSION.sub("", text.lower())).strip("-")


SERVICES = frozenset(
    protocol_of_table.label
    for _, protocol_of_table in KNOWN
    if protocol_of_table.kind == "service" and protocol_of_table.label
)
# Formats that only services have; a feed may also be a file.
SERVICE_FORMATS = (SERVICES | {"API", "OData", "SPARQL"}) - {"Atom Feed"}
_KNOWN = tuple((_plain(start), protocol) for start, protocol in KNOWN)
