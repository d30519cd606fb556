"""Services that describe themselves in JSON: Esri's REST services and OGC APIs.

Esri: "ArcGIS REST API" (f=json). OGC API: 17-069r4 (Features), 19-072 (Common); landing page and
collections.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from ckanext.ukharvest.core.link_states import Layer
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.quality.link_check.addresses import collection_of
from ckanext.ukharvest.quality.link_check.services import MOST_LAYERS, Service

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
        found = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


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
    words = [word for word in (clean_text(each) for each in details) if word]
    return shorten(" ".join(dict.fromkeys(words)), 200)


def read(found: Mapping[str, Any], url: str) -> Service | None:
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
    for link in _objects(found.get("links")):
        if link.get("rel") in _DATA and "html" not in str(link.get("type")):
            return clean_text(link.get("href"))
    return ""


def _esri(found: Mapping[str, Any]) -> Service:
    info = found.get("documentInfo")
    titles = [info.get("Title") if isinstance(info, dict) else "", found.get("name")]
    titles += [found.get("mapName"), found.get("serviceDescription")]
    layers = (
        Layer(_short(each.get("id", each.get("name"))), _short(each.get("name")))
        for key in ("layers", "tables", "services")
        for each in _objects(found.get(key))
    )
    if not isinstance(found.get("layers"), list) and "id" in found:
        layers = (Layer(_short(found["id"]), _short(found.get("name"))) for _ in (1,))
    title = next(filter(None, map(_short, titles)), "")
    return Service(ESRI, _short(found.get("currentVersion"))[:20], title, _first(layers))


def _landing_page(found: Mapping[str, Any]) -> Service | None:
    relations = {str(link.get("rel")) for link in _objects(found["links"])}
    if relations.isdisjoint(_DATA) or relations.isdisjoint(_CONFORMANCE):
        return None
    version = _version(found)
    label = OGC_FEATURES if version else OGC_API
    return Service(label, version, _short(found.get("title")))


def _collections(found: Mapping[str, Any]) -> Service | None:
    """Read a list of collections; only features have items, tiles and coverages do not."""
    collections = _objects(found.get("collections"))
    if not isinstance(found.get("collections"), list):
        # One collection's own page.
        relations = {str(link.get("rel")) for link in _objects(found["links"])}
        if "id" not in found or "items" not in relations:
            return None
        collections = [found]
    has_items = any(
        link.get("rel") == "items" for each in collections for link in _objects(each.get("links"))
    )
    layers = (Layer(_short(each.get("id")), _short(each.get("title"))) for each in collections)
    label = OGC_FEATURES if has_items else OGC_API
    return Service(label, _version(found), _short(found.get("title")), _first(layers))


def _items(found: Mapping[str, Any], url: str) -> Service | None:
    """Read a page of features: as its links lead to more of them, it is not a file."""
    name = collection_of(url)
    if found.get("type") != "FeatureCollection" or not name:
        return None
    return Service(OGC_FEATURES, layers=(Layer(_short(name)),))


def _version(found: Mapping[str, Any]) -> str:
    for uri in _list(found.get("conformsTo")):
        _, mark, rest = str(uri).partition(_FEATURES)
        if mark:
            return _short(rest.partition("/")[0])[:20]
    return ""


def _first(layers: Iterable[Layer]) -> tuple[Layer, ...]:
    return tuple(islice((layer for layer in layers if layer.name), MOST_LAYERS))


def _short(value: object) -> str:
    return shorten(clean_text(value), 300)


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [each for each in _list(value) if isinstance(each, dict)]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
