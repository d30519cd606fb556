"""Opendatasoft portals: Explore API 2.1, else Search API 1.0, else the DCAT export.

The reader finds out which interfaces a portal has. All give the same identity, the dataset's id,
so that a portal may change from one to another.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

from ckanext.ukharvest.core.errors import BadStatus, ProtocolError, SourceError
from ckanext.ukharvest.core.records import Ending, RawRecord, Reader, Source
from ckanext.ukharvest.readers.json_api import Refused
from ckanext.ukharvest.readers.ods import dcat, records
from ckanext.ukharvest.readers.ods.listing import EXPLORE, SEARCH, Listing
from ckanext.ukharvest.readers.ods.portal import OPTIONS, Portal

__all__ = ["OPTIONS", "Ods"]

_LISTS = {interface.name: interface for interface in (EXPLORE, SEARCH)}
_NAMES = (*_LISTS, *dcat.INTERFACES)  # the most complete first
_ABSENT = (404, 405, 410, 501)
_CLOSED = (401, 403)

Records = Generator[RawRecord, None, Ending]


@dataclass(frozen=True)
class Ods(Reader):
    """Reads a portal, given by its home page, or one saved answer of a JSON interface."""

    def records(self, source: Source) -> Records:
        """Yield every dataset; the ending names the interface that answered.

        Raises:
            SourceError: no interface answers, or the one that does ends too early. A fault of an
                interface that is there (5xx, a refused key or filter) does not lead to the next
                one, which may know fewer datasets.
        """
        portal = Portal.parse(source.url, source.options)
        if portal is None:
            return (yield from records.saved(source))
        wrong: list[str] = []
        for name in sorted(_NAMES, key=lambda name: name != source.interface):
            try:
                datasets = _start(name, source, portal)
            except SourceError as exc:
                if not _is_absent(exc):
                    raise _explained(exc) from exc
                wrong.append(exc.message.rstrip("."))
                continue
            ending = yield from datasets
            return replace(ending, interface=name)
        raise ProtocolError(
            f"{portal.base} has no interface of Opendatasoft that can be read: {'; '.join(wrong)}",
            code="no-interface",
            url=portal.base,
        )


def _start(name: str, source: Source, portal: Portal) -> Records:
    """Send an interface's first request; return its datasets."""
    if name not in _LISTS:
        return dcat.start(name, source, portal)
    listing = Listing(source, portal, _LISTS[name])
    listing.request_first()
    return listing.records()


def _is_absent(error: SourceError) -> bool:
    """Tell whether an answer means that there is no such interface."""
    if isinstance(error, (BadStatus, Refused)):
        return error.status in _ABSENT
    # A page for people at any address, or another program's JSON.
    return isinstance(error, ProtocolError)


def _explained(error: SourceError) -> SourceError:
    """Return a refusal with what to do about it."""
    if isinstance(error, (BadStatus, Refused)) and error.status in _CLOSED:
        message = error.message.rstrip(".")
        error.message = (
            f"{message}; the option credential names the secret with the portal's API key"
        )
    return error
