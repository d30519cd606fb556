"""What a link is: a service with its version and layers, a file's format, or why nobody can tell."""

from __future__ import annotations

from dataclasses import dataclass

from ckanext.ukharvest.core.exchange import MIB, HttpLimits
from ckanext.ukharvest.core.http import HttpClient

# What one request may take: data.gov.uk's own limits of its first probe of map services.
LIMITS = HttpLimits(connect=10, read=10, total=10, max_bytes=10 * MIB, retries=0)


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer, feature type, coverage, collection or feed entry of a service."""

    name: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """What was found at an address.

    Attributes:
        url: as it was given.
        format: CKAN's label, as core/formats gives it; "" when it could not be told.
        version: of the service's protocol ("1.3.0").
        layers: at most 500.
        base_url: where further requests (GetMap) go: no service, request and version parameters.
        media_type: as the server said, without parameters.
        title: the service's own.
        why: when ``format`` is "": one sentence that says what was asked, what came and what to do.
        is_lasting: False for a fault that may pass (time-out, 5xx): worth another try soon.
    """

    url: str
    format: str = ""
    version: str = ""
    layers: tuple[Layer, ...] = ()
    base_url: str = ""
    media_type: str = ""
    title: str = ""
    why: str = ""
    is_lasting: bool = True


def look(url: str, http: HttpClient, *, expected: str = "") -> Look:
    """Find out what is at an address; never raises.

    Args:
        expected: the format that the metadata name, "" if they name none.
    """
    raise NotImplementedError
