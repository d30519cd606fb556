"""CKAN sites without a working search: read a list of names or ids, then each dataset."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from ckanext.ukharvest.core.errors import ProtocolError, RecordError
from ckanext.ukharvest.core.records import Ending, RawRecord, Source
from ckanext.ukharvest.readers.ckan_api import package as packages
from ckanext.ukharvest.readers.ckan_api import site as sites
from ckanext.ukharvest.readers.endings import describe_empty_list
from ckanext.ukharvest.readers.json_api import Refused, action, read_json, wrong_shape


@dataclass(frozen=True, slots=True)
class _Interface:
    """A way to read a site without its search: a list of names or ids, then each dataset."""

    name: str
    listing: str
    shown: str

    def list_names(self, source: Source, base: str) -> list[str]:
        url = base + self.listing
        is_action = "/action/" in url
        found = action(source.http, url) if is_action else read_json(source.http, url)
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            raise wrong_shape(url, found, "a list of names")
        return sorted(set(found))

    def show(self, source: Source, base: str, name: str) -> Any:
        url = base + self.shown + quote(name, safe="")
        return action(source.http, url) if "/action/" in url else read_json(source.http, url)


# CKAN 2.9 removed the REST interfaces; sites before 1.8 have no other.
_OLDER = (
    _Interface("package_list", "/api/3/action/package_list", "/api/3/action/package_show?id="),
    _Interface("rest", "/api/2/rest/package", "/api/2/rest/package/"),
)


def read(source: Source, site: sites.Site, refused: Refused) -> Generator[RawRecord, None, Ending]:
    """Read a site that has no search.

    Raises:
        SourceError: it has no other interface either; this is the search's own error.
    """
    for base in site.bases:
        for interface in _OLDER:
            try:
                names = interface.list_names(source, base)
            except ProtocolError:
                continue
            if site.q or site.fq or source.options.get("fq"):
                message = f"{refused.message}; the filter of this source needs that search"
                raise ProtocolError(message, code="no-search", url=refused.url)
            return (yield from _shown(source, base, interface, names))
    raise refused


def _shown(
    source: Source, base: str, interface: _Interface, names: list[str]
) -> Generator[RawRecord, None, Ending]:
    """Yield the datasets of a list of names, with a request each."""
    source.tell_total(len(names))
    kind, _, last = source.resume.partition(" ")
    behind = last if kind == interface.name else ""
    for number, name in enumerate(names, 1):
        if name <= behind:
            continue
        resume = f"{interface.name} {name}"
        raw = _one(source, base, interface, name, f"dataset {number}")
        if raw is not None:
            yield replace(raw, resume=resume)
    if not names:
        reason = describe_empty_list(base + interface.listing, "dataset")
        return Ending(complete=False, reason=reason, interface=interface.name)
    return Ending(complete=True, interface=interface.name)


def _one(
    source: Source, base: str, interface: _Interface, name: str, position: str
) -> RawRecord | None:
    """Return one dataset; None if it was deleted since the list was made, or does not match."""
    try:
        package = interface.show(source, base, name)
    except Refused as exc:
        if exc.status in (404, 410):
            return None
        error = RecordError(f"{position} '{name}': {exc.message}", code="not-shown", url=exc.url)
        return RawRecord("", url=exc.url, position=position, error=error)
    if isinstance(package, Mapping) and not sites.is_wanted(package, source.options):
        return None
    return packages.raw_record(package, position, base + interface.shown + name, page=base)
