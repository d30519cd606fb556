"""Requests by which a service at a URL is recognised."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.quality.link_check import addresses, api, services

_ASKABLE = frozenset(services.VERSIONS) | api.JSON_SERVICES
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
    if label in (api.OGC_FEATURES, api.OGC_API):
        as_json = addresses.without(url, ("f",))  # f=html
        yield Question(as_json, "a landing page or collections as JSON", api.ACCEPT)
    elif label == api.ESRI:
        yield Question(addresses.as_json(url), "its description as JSON", api.ACCEPT)
    elif not path.endswith(".xml"):  # a capabilities document by a plain address
        for version in services.VERSIONS.get(label, ()):
            asked = addresses.capabilities(url, label, version)
            yield Question(asked, f"{label} {version} capabilities")
        if label == "WMTS" and "?" not in url:
            yield Question(addresses.restful_capabilities(url), "WMTSCapabilities.xml")


def can_be_service(url: str) -> bool:
    """Tell whether a URL without a service's name is a typical one of services."""
    return bool(_SERVICE_PATH.search(urlsplit(url).path) or addresses.parameter(url, "map"))
