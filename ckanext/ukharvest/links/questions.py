"""Which services an address is asked for, and how."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from ckanext.ukharvest.core import formats
from ckanext.ukharvest.links import addresses, api, services

_ASKABLE = frozenset(services.VERSIONS) | api.JSON_SERVICES
# Where services live whose address does not say which they are.
_SERVICE_PATH = re.compile(
    r"/(?:ows|ogc|wxs|services?|mapserv(?:er)?|qgis\w*|[^/]+\.(?:f?cgi|exe|dll|ashx|map))/?\Z"
    r"|/cgi-bin/",
    re.IGNORECASE,
)


class Question(NamedTuple):
    """One request: its address, and what it asks for ("" for the address as it is)."""

    url: str
    words: str = ""
    accept: str = ""


def likely(url: str, expected: str) -> str:
    """Return the service to ask for, "" when the address is to be read as it is first.

    What the address says counts more than the metadata, which often name the service for all of a
    record's links.
    """
    named = formats.of_request(url) or formats.of_url(url)
    label = named or expected
    return label if label in _ASKABLE else ""


def questions(label: str, url: str) -> Iterator[Question]:
    """Yield what to ask an address for a service's description, the best first."""
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
    """Tell whether services live at such addresses that do not say which they are."""
    return bool(_SERVICE_PATH.search(urlsplit(url).path) or addresses.parameter(url, "map"))
