"""What is found out about an address."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer, feature type, coverage, collection or feed entry: its name and what it is called."""

    name: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """What was found at an address. Texts are on one line and fit for a database.

    Attributes:
        url: as it was given.
        format: CKAN's label, as core/formats gives it; "" when it could not be told, and when a
            web page came where the address or the metadata promise something else.
        version: of the service's protocol ("1.3.0").
        layers: at most 500.
        base_url: where further requests (GetMap) go: no service, request and version parameters.
        media_type: as the server said, without parameters.
        title: the service's own.
        why: when ``format`` is "": a sentence or two for the publisher that say what was asked
            for, what came, what was expected, and what to do.
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
