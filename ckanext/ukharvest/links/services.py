"""Services at a URL: addresses, requests and descriptions."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from lxml import etree

from ckanext.ukharvest.core.errors import Blocked
from ckanext.ukharvest.core.http import urls
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.link_states import Layer
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.xml.parser import local_name, texts

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


def esri_base(url: str) -> str:
    """Return the URL of the Esri service, or its layer, to which a request belongs."""
    path = without(url, ("f",)).partition("?")[0].rstrip("/")
    service = _ESRI.match(path)
    return service[0] if service else path


def landing_page(url: str) -> str:
    """Return the URL of the OGC API to which a collection or its items belong."""
    return _COLLECTIONS.sub("", url.partition("#")[0].partition("?")[0]).rstrip("/")


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


MOST_LAYERS = 500
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
_LONGEST = 300  # characters of a title that are kept; a longer name is no name

# Requested versions of each service, the most common first; a service that knows none of them
# answers in its own.
VERSIONS = {
    "WMS": ("1.3.0", "1.1.1"),
    "WFS": ("2.0.0", "1.1.0"),
    "WMTS": ("1.0.0",),
    "WCS": ("2.0.1", "1.1.1", "1.0.0"),
    "CSW": ("2.0.2", "3.0.0"),
    "WPS": ("1.0.0", "2.0.0"),
    "SOS": ("2.0.0", "1.0.0"),
}


class Service(NamedTuple):
    """A service's description of itself; ``address`` is its main request's URL, "" if not given."""

    label: str
    version: str = ""
    title: str = ""
    layers: tuple[Layer, ...] = ()
    address: str = ""


class _Document(NamedTuple):
    """A kind of capabilities document: its root, the path of its layers, and the main request."""

    label: str
    root: str
    namespace: str  # a part of it
    layers: str
    name: str
    operation: str


_TITLES = ("{*}ServiceIdentification/{*}Title", "{*}Service/{*}Title", "{*}Service/{*}label")
_COVERAGE = "GetCoverage"
_DOCUMENTS = (
    _Document("WMS", "WMS_Capabilities", "", ".//{*}Layer", "{*}Name", "GetMap"),
    _Document("WMS", "WMT_MS_Capabilities", "", ".//{*}Layer", "{*}Name", "GetMap"),
    _Document("WFS", "WFS_Capabilities", "", ".//{*}FeatureType", "{*}Name", "GetFeature"),
    _Document("WMTS", "Capabilities", "/wmts", ".//{*}Layer", "{*}Identifier", "GetTile"),
    _Document("WCS", "WCS_Capabilities", "", ".//{*}CoverageOfferingBrief", "{*}name", _COVERAGE),
    _Document("WCS", "Capabilities", "/wcs/1", ".//{*}CoverageSummary", "{*}Identifier", _COVERAGE),
    _Document("WCS", "Capabilities", "/wcs/2", ".//{*}CoverageSummary", "{*}CoverageId", _COVERAGE),
    _Document("CSW", "Capabilities", "/csw", "", "", "GetRecords"),
    _Document("WPS", "WPS_Capabilities", "", "", "", "Execute"),
    _Document("WPS", "Capabilities", "/wps", ".//{*}Process", "{*}Identifier", "Execute"),
    _Document("SOS", "Capabilities", "/sos", "", "", "GetObservation"),
)


def read_services(root: etree._Element) -> Service | None:
    """Return the service in a capabilities document, None if it is another document."""
    if local_name(root) == "feed":
        return _feed(root)
    name, namespace = local_name(root), str(root.tag).rpartition("}")[0].lower()
    for document in _DOCUMENTS:
        if name == document.root and document.namespace in namespace:
            titles = (_text(root, path) for path in _TITLES)
            return Service(
                document.label,
                shorten(clean_text(root.get("version")), 20),
                next(filter(None, titles), ""),
                tuple(islice(_layers(root, document), MOST_LAYERS)),
                next(_addresses(root, document.operation), ""),
            )
    return None


def exception_text(root: etree._Element) -> str | None:
    """Return the text of an exception report, on one line; None if it is another document."""
    if local_name(root) not in ("ServiceExceptionReport", "ExceptionReport", "ServiceException"):
        return None
    words = filter(None, map(clean_text, texts(root)))
    codes = (
        fault.get("exceptionCode") or fault.get("code")
        for fault in root.iter("{*}Exception", "{*}ServiceException")
    )
    parts = [*islice(words, 20), *islice(filter(None, codes), 3)]
    return shorten(clean_text(" ".join(parts)), 200)


def suspects(root: etree._Element | None) -> list[str]:
    """Return the services that may be at a URL, the likeliest first.

    Args:
        root: of the exception report that the URL gave, None if it gave none.
    """
    text = (exception_text(root) or "").upper() if root is not None else ""
    labels = ["WMS", "WFS", "WCS", "WMTS"]
    if root is not None and local_name(root) == "ExceptionReport":
        labels = ["WFS", "WMS", "WCS", "CSW"]  # OWS Common's, which no WMS follows
    return sorted(labels, key=lambda name: name not in text)


def _layers(root: etree._Element, document: _Document) -> Iterator[Layer]:
    """Yield layers; a WMS's layers without a name are headings of those below them."""
    for element in root.iterfind(document.layers) if document.layers else ():
        name = clean_text(element.findtext(document.name))
        if name and len(name) <= _LONGEST:
            yield Layer(name, _text(element, "{*}Title") or _text(element, "{*}label"))


def _addresses(root: etree._Element, operation: str) -> Iterator[str]:
    """Yield the URLs of a GET request, in each spelling that capabilities have."""
    for element in root.iter(f"{{*}}{operation}", "{*}Operation"):
        if local_name(element) == "Operation" and element.get("name") != operation:
            continue
        for get in element.iter("{*}Get"):
            for link in get.iter(etree.Element):
                if url := link.get(_XLINK_HREF) or link.get("onlineResource"):
                    yield url


def _feed(root: etree._Element) -> Service:
    """Return an Atom feed (RFC 4287); in INSPIRE's download services its entries are datasets."""
    layers = (
        Layer(_text(entry, "{*}id"), _text(entry, "{*}title"))
        for entry in root.iterfind("{*}entry")
    )
    named = tuple(islice((layer for layer in layers if layer.name), MOST_LAYERS))
    return Service("Atom Feed", "", _text(root, "{*}title"), named)


def _text(element: etree._Element, path: str) -> str:
    part = element.find(path)
    return "" if part is None else shorten(clean_text(str(part.xpath("string()"))), _LONGEST)


ESRI = "Esri REST"
OGC_FEATURES = "OGC API Features"
OGC_API = "OGC API"
ACCEPT = "application/json, */*;q=0.1"
JSON_SERVICES = frozenset((ESRI, OGC_FEATURES, OGC_API))

# Link relations of a landing page that only an OGC API has together.
_DATA = ("data", "http://www.opengis.net/def/rel/ogc/1.0/data")
_CONFORMANCE = ("conformance", "http://www.opengis.net/def/rel/ogc/1.0/conformance")
_FEATURES = "/spec/ogcapi-features-1/"


def members(content: bytes) -> Mapping[str, Any] | None:
    """Return a JSON object, None if the bytes are not one."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def may_begin(head: bytes) -> bool:
    """Tell whether truncated bytes can be the beginning of a service's description."""
    return head.lstrip()[:1] == b"{" and (
        b'"currentVersion"' in head or (b'"collections"' in head and b'"links"' in head)
    )


def error_text(found: Mapping[str, Any]) -> str | None:
    """Return the text of an Esri error, which comes with status 200; None if it is no error."""
    error = found.get("error")
    if not isinstance(error, dict) or "code" not in error:
        return None
    details = [error.get("message"), *_list(error.get("details")), error.get("code")]
    return shorten(" ".join(dict.fromkeys(filter(None, map(clean_text, details)))), 200)


def read_api(found: Mapping[str, Any], url: str) -> Service | None:
    """Return a service from its description, None if it is no description.

    Args:
        url: the URL that it was read from.
    """
    if isinstance(found.get("links"), list):
        return _collections(found) or _landing_page(found) or _items(found, url)
    # A layer's description has an id and a type, a service's a version or layers, a folder's
    # services.
    if "currentVersion" in found or ("capabilities" in found and "layers" in found):
        return _esri(found)
    return None


def data_link(found: Mapping[str, Any]) -> str:
    """Return the URL of a landing page's list of collections, "" if it has none."""
    links = (
        clean_text(link.get("href"))
        for link in _objects(found.get("links"))
        if link.get("rel") in _DATA and "html" not in str(link.get("type"))
    )
    return next(links, "")


def _esri(found: Mapping[str, Any]) -> Service:
    info = found.get("documentInfo")
    titles = (
        info.get("Title") if isinstance(info, dict) else "",
        *(found.get(key) for key in ("name", "mapName", "serviceDescription")),
    )
    layers = [
        layer for key in ("layers", "tables", "services") for layer in _objects(found.get(key))
    ]
    if not isinstance(found.get("layers"), list) and "id" in found:
        layers = [found]  # one layer's own description
    return Service(
        ESRI,
        _short(found.get("currentVersion"))[:20],
        next(filter(None, map(_short, titles)), ""),
        _named_layers((layer.get("id", layer.get("name")), layer.get("name")) for layer in layers),
    )


def _landing_page(found: Mapping[str, Any]) -> Service | None:
    relations = {str(link.get("rel")) for link in _objects(found["links"])}
    if relations.isdisjoint(_DATA) or relations.isdisjoint(_CONFORMANCE):
        return None
    version = _version(found)
    return Service(OGC_FEATURES if version else OGC_API, version, _short(found.get("title")))


def _collections(found: Mapping[str, Any]) -> Service | None:
    """Read a list of collections; only features have items, tiles and coverages do not."""
    collections = _objects(found.get("collections"))
    if not isinstance(found.get("collections"), list):
        # One collection's own page.
        relations = {str(link.get("rel")) for link in _objects(found["links"])}
        if "id" not in found or "items" not in relations:
            return None
        collections = [found]
    links = (link for own in collections for link in _objects(own.get("links")))
    has_items = any(link.get("rel") == "items" for link in links)
    return Service(
        OGC_FEATURES if has_items else OGC_API,
        _version(found),
        _short(found.get("title")),
        _named_layers((own.get("id"), own.get("title")) for own in collections),
    )


def _items(found: Mapping[str, Any], url: str) -> Service | None:
    """Read a page of features: as its links lead to more of them, it is not a file."""
    collection = re.search(r"/collections/([^/]+)", urlsplit(url).path)
    if found.get("type") != "FeatureCollection" or not collection:
        return None
    return Service(OGC_FEATURES, layers=(Layer(_short(collection[1])),))


def _version(found: Mapping[str, Any]) -> str:
    parts = (str(uri).partition(_FEATURES) for uri in _list(found.get("conformsTo")))
    versions = (_short(rest.partition("/")[0])[:20] for _, mark, rest in parts if mark)
    return next(versions, "")


def _named_layers(names: Iterable[tuple[object, object]]) -> tuple[Layer, ...]:
    """Return the first layers that have a name, of pairs of name and title."""
    layers = (Layer(_short(name), _short(title)) for name, title in names)
    return tuple(islice((layer for layer in layers if layer.name), MOST_LAYERS))


def _short(value: object) -> str:
    return shorten(clean_text(value), 300)


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [item for item in _list(value) if isinstance(item, dict)]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


_ASKABLE = frozenset(VERSIONS) | JSON_SERVICES
# Typical URLs of services that do not name their type.
_SERVICE_PATH = re.compile(
    r"/(?:ows|ogc|wxs|services?|mapserv(?:er)?|qgis\w*|[^/]+\.(?:f?cgi|exe|dll|ashx|map))/?\Z"
    r"|/cgi-bin/",
    re.IGNORECASE,
)


class Question(NamedTuple):
    """One request: its URL, and the service it asks for ("" for the URL unchanged)."""

    url: str
    words: str = ""
    accept: str = ""


def likely(url: str, expected: str) -> str:
    """Return the service to request first, "" to request the URL unchanged first.

    The URL counts more than the metadata, which often give one service for all links of a record.
    """
    label = formats.of_request(url) or formats.of_url(url) or expected
    return label if label in _ASKABLE else ""


def questions(label: str, url: str) -> Iterator[Question]:
    """Yield the requests for a service's description, the best first."""
    path = urlsplit(url).path.lower()
    if label in (OGC_FEATURES, OGC_API):
        as_json = without(url, ("f",))  # f=html
        yield Question(as_json, "a landing page or collections as JSON", ACCEPT)
    elif label == ESRI:
        as_json = urls.with_query(esri_base(url), {"f": "json"})
        yield Question(as_json, "its description as JSON", ACCEPT)
    elif not path.endswith(".xml"):  # a capabilities document by a plain address
        for version in VERSIONS.get(label, ()):
            asked = capabilities(url, label, version)
            yield Question(asked, f"{label} {version} capabilities")
        if label == "WMTS" and "?" not in url:
            # Without parameters (OGC 07-057r7, 10.3).
            yield Question(f"{url.rstrip('/')}/1.0.0/WMTSCapabilities.xml", "WMTSCapabilities.xml")


def can_be_service(url: str) -> bool:
    """Tell whether a URL without a service's name is a typical one of services."""
    return bool(_SERVICE_PATH.search(urlsplit(url).path) or parameter(url, "map"))
