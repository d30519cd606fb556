"""URLs of services: which to request, and the base of further requests.

Parameter names are case-insensitive (OGC 06-042, 6.8.1); parameters that are not ours to change
(``map=``, ``token=``) stay as written.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from urllib.parse import quote, urlsplit

from ckanext.ukharvest.core.errors import Blocked
from ckanext.ukharvest.core.http import urls
from ckanext.ukharvest.core.http.guard import Guard

_SESSION = re.compile(r";jsessionid=[^/?;#]*", re.IGNORECASE)
_ESRI = re.compile(
    r"\A.*?/(?:Map|Feature|Image|Scene|VectorTile)Server(?:/\d+)?(?=/|\Z)", re.IGNORECASE
)
_COLLECTIONS = re.compile(r"/collections(?:/.*)?\Z")
# Parameters of any service request; a capabilities request has no others.
_OF_ALL = frozenset(("service", "request", "version", "acceptversions"))
# Parameters of GetMap, GetTile, GetFeature and GetCoverage.
_OF_OTHERS = frozenset(
    ("bbox", "bgcolor", "count", "coverage", "coverageid", "crs", "exceptions", "format", "height")
    + ("layer", "layers", "maxfeatures", "outputformat", "sld", "srs", "srsname", "style", "styles")
    + ("tilecol", "tilematrix", "tilematrixset", "tilerow", "time", "transparent", "typename")
    + ("typenames", "width")
)


def capabilities(url: str, service: str, version: str) -> str:
    """Return the URL of a service's capabilities."""
    return urls.with_query(
        service_base(url), {"service": service, "request": "GetCapabilities", "version": version}
    )


def service_base(url: str) -> str:
    """Return an OGC service's URL without request parameters and sessions."""
    is_other = parameter(url, "request").lower() not in ("", "getcapabilities")
    path, mark, query = url.partition("?")
    url = _SESSION.sub("", path) + mark + query
    return without(url, _OF_ALL | _OF_OTHERS if is_other else _OF_ALL)


def restful_capabilities(url: str) -> str:
    """Return the capabilities URL of a WMTS without parameters (OGC 07-057r7, 10.3)."""
    return url.partition("?")[0].rstrip("/") + "/1.0.0/WMTSCapabilities.xml"


def esri_base(url: str) -> str:
    """Return the URL of the Esri service, or its layer, to which a request belongs."""
    path = without(url, ("f",)).partition("?")[0].rstrip("/")
    service = _ESRI.match(path)
    return service[0] if service else path


def as_json(url: str) -> str:
    """Return the URL of an Esri service's description."""
    return urls.with_query(esri_base(url), {"f": "json"})


def landing_page(url: str) -> str:
    """Return the URL of the OGC API to which a collection or its items belong."""
    return _COLLECTIONS.sub("", url.partition("#")[0].partition("?")[0]).rstrip("/")


def collection_of(url: str) -> str:
    """Return the collection's name in an OGC API's URL, "" if none."""
    match = re.search(r"/collections/([^/]+)", urlsplit(url).path)
    return match[1] if match else ""


def parameter(url: str, name: str) -> str:
    """Return the value of a parameter as written in the URL, "" if there is none."""
    pairs = (part.partition("=") for part in _query(url))
    return next((value for key, _, value in pairs if key.lower() == name), "")


def without(url: str, names: Collection[str]) -> str:
    """Return a URL without some parameters, and without fragment."""
    base = url.partition("#")[0].partition("?")[0]
    query = "&".join(part for part in _query(url) if part.partition("=")[0].lower() not in names)
    return f"{base}?{query}" if query else base


def usable_base(offered: str, asked: str, guard: Guard) -> str:
    """Return the URL for further requests: the one in the capabilities if visitors can reach it.

    Services behind a proxy often name their internal URL (http instead of https, a host that only
    their own network knows); then the requested URL, which answered, is used.
    """
    asked = service_base(asked)
    try:
        parts = urls.parse(service_base(offered.strip().replace(" ", "%20")))
        scheme, host, port = urls.origin(parts.url)
        guard.check_url(parts.url)
        if (scheme, host, port) == urls.origin(asked):
            return parts.url
        if scheme == "http" and asked.lower().startswith("https:"):
            return asked
        if not guard.proxied:
            guard.addresses(host, port)
    except (Blocked, OSError, ValueError):
        return asked
    return parts.url


def file_url(name: str) -> str:
    """Return a file's name as a URL, for functions that read formats from URLs."""
    return "/" + quote(name.replace("\\", "/").rpartition("/")[2])


def _query(url: str) -> list[str]:
    return [part for part in url.partition("#")[0].partition("?")[2].split("&") if part]
