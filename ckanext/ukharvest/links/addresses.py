"""Addresses of services: what to ask, and where further requests go.

Parameter names mean the same in any case (OGC 06-042, 6.8.1); all that are not ours to change
(``map=``, ``token=``) stay as they were written.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import quote, urlsplit

from ckanext.ukharvest.core import address
from ckanext.ukharvest.core.errors import Blocked
from ckanext.ukharvest.core.guard import Guard

_SESSION = re.compile(r";jsessionid=[^/?;#]*", re.IGNORECASE)
_ESRI = re.compile(
    r"\A.*?/(?:Map|Feature|Image|Scene|VectorTile)Server(?:/\d+)?(?=/|\Z)", re.IGNORECASE
)
_COLLECTIONS = re.compile(r"/collections(?:/.*)?\Z")
# Of any service's request; a capabilities request has no others.
_OF_ALL = frozenset(("service", "request", "version", "acceptversions"))
# Of GetMap, GetTile, GetFeature and GetCoverage.
_OF_OTHERS = frozenset(
    ("bbox", "bgcolor", "count", "coverage", "coverageid", "crs", "exceptions", "format", "height")
    + ("layer", "layers", "maxfeatures", "outputformat", "sld", "srs", "srsname", "style", "styles")
    + ("tilecol", "tilematrix", "tilematrixset", "tilerow", "time", "transparent", "typename")
    + ("typenames", "width")
)


def capabilities(url: str, service: str, version: str) -> str:
    """Return the address of a service's capabilities."""
    return address.with_query(
        service_base(url), {"service": service, "request": "GetCapabilities", "version": version}
    )


def service_base(url: str) -> str:
    """Return an OGC service's address without the parameters of a request, and sessions."""
    request = parameter(url, "request").lower()
    is_other = request not in ("", "getcapabilities")
    return without(_without_session(url), _OF_ALL | _OF_OTHERS if is_other else _OF_ALL)


def restful_capabilities(url: str) -> str:
    """Return where a WMTS without parameters has its capabilities (OGC 07-057r7, 10.3)."""
    return url.partition("?")[0].rstrip("/") + "/1.0.0/WMTSCapabilities.xml"


def esri_base(url: str) -> str:
    """Return the address of the Esri service, or its layer, to which a request belongs."""
    path = without(url, ("f",)).partition("?")[0].rstrip("/")
    service = _ESRI.match(path)
    return service[0] if service else path


def as_json(url: str) -> str:
    """Return the address of an Esri service's description."""
    return address.with_query(esri_base(url), {"f": "json"})


def landing_page(url: str) -> str:
    """Return the address of the OGC API that a collection or its items belong to."""
    return _COLLECTIONS.sub("", url.partition("#")[0].partition("?")[0]).rstrip("/")


def collection_of(url: str) -> str:
    """Return the name of the collection that an OGC API's address is about, or ""."""
    match = re.search(r"/collections/([^/]+)", urlsplit(url).path)
    return match[1] if match else ""


def parameter(url: str, name: str) -> str:
    """Return the value of a parameter as it stands in the address, "" if there is none."""
    for part in _query(url):
        key, _, value = part.partition("=")
        if key.lower() == name:
            return value
    return ""


def without(url: str, names: Collection[str]) -> str:
    """Return an address without some parameters, and without fragment."""
    base = url.partition("#")[0].partition("?")[0]
    kept = [part for part in _query(url) if part.partition("=")[0].lower() not in names]
    return base + ("?" + "&".join(kept) if kept else "")


def usable_base(offered: str, asked: str, guard: Guard) -> str:
    """Return where further requests go: what the service's capabilities say, if a visitor can too.

    Services behind a proxy often name their inner address (http instead of https, a host that
    only their own network knows); the address that was asked, and answered, is right then.
    """
    asked = service_base(asked)
    try:
        parts = address.parse(service_base(offered.strip().replace(" ", "%20")))
        scheme, host, port = address.origin(parts.url)
        guard.check_url(parts.url)
        if (scheme, host, port) == address.origin(asked):
            return parts.url
        if scheme == "http" and asked.lower().startswith("https:"):
            return asked
        if not guard.proxied:
            guard.addresses(host, port)
    except (Blocked, OSError, ValueError):
        return asked
    return parts.url


def file_url(name: str) -> str:
    """Return a file's name in the form of an address, for what reads formats from addresses."""
    return "/" + quote(name.replace("\\", "/").rpartition("/")[2])


def _query(url: str) -> list[str]:
    return [part for part in url.partition("#")[0].partition("?")[2].split("&") if part]


def _without_session(url: str) -> str:
    before, mark, query = url.partition("?")
    return _SESSION.sub("", before) + mark + query
