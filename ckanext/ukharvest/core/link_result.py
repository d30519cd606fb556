"""The result of a link check of one URL."""

from __future__ import annotations

from dataclasses import dataclass

from ckanext.ukharvest.core.link_states import LinkFault


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer, feature type, coverage, collection or feed entry: its name and its title."""

    name: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class LinkResult:
    """The result of one link check. Texts are on one line and safe for a database.

    Attributes:
        url: as given.
        format: CKAN's label, as ``core.values.formats`` gives it; "" when unknown, and when a web
            page came although the URL or the metadata promise something else.
        version: of the service's protocol ("1.3.0").
        layers: at most 500.
        base_url: for further requests (GetMap): without service, request and version parameters.
        media_type: as the server sent it, without parameters.
        title: the service's own title.
        why: when ``format`` is "": a sentence or two for the publisher: what was requested, what
            came, what was expected, and what to do.
        is_lasting: False for a fault that may pass (time-out, 5xx), so that a retry is worth it.
        fault: why there is nothing to be had at the URL; NONE if something came, known or not.
        status: of the answer that decides, 0 if none came.
        size: bytes of a file, None if the server does not say.
        checksum: SHA-256 of a file that was read whole, in hexadecimal; else "".
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
    fault: LinkFault = LinkFault.NONE
    status: int = 0
    size: int | None = None
    checksum: str = ""
