"""Read CKAN sites: by search, by the interfaces of older sites, or from one saved answer.

Sites without a working search are read by a list of names or ids, then dataset by dataset.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from ckanext.ukharvest.core.errors import FetchError, ProtocolError
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, RawRecord, Source
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.ckan_api import package as packages
from ckanext.ukharvest.readers.ckan_api import site as sites
from ckanext.ukharvest.readers.ckan_api.search import Search
from ckanext.ukharvest.readers.ckan_api.site import Site
from ckanext.ukharvest.readers.json_api import Refused, action, read_json, wrong_shape
from ckanext.ukharvest.readers.seen_records import failed_record
from ckanext.ukharvest.readers.walk import describe_empty_list

_NO_KEY = (
    "keys are not stored in a source's configuration; put the key into the portal's ini "
    "and its name into the option credential"
)
_NO_OVERRIDE = (
    "default_extras never replace what the remote site says; drop the remote field by the"
    " option fields where they should"
)
# Options of ckanext-harvest's own CKAN harvester: its sources are adopted without changes.
IGNORED = ("read_only", "api_version", "default_group_dicts", "clean_tags", "user", "user_agent")


def _filters(name: str, noun: str) -> tuple[Option, Option]:
    including = f"Names of the remote {noun} whose datasets are harvested; empty takes all."
    excluding = f"Names of the remote {noun} whose datasets are not harvested."
    return (
        Option(f"{name}_filter_include", "list", (), including),
        Option(f"{name}_filter_exclude", "list", (), excluding),
    )


OPTIONS = (
    *_filters("organizations", "organisations"),
    *_filters("groups", "groups"),
    *_filters("tags", "tags"),
    *_filters("licenses", "licences"),
    *_filters("types", "types of dataset"),
    Option(
        "fq",
        "text",
        "",
        "A further filter in the syntax of the remote site's search, such as res_format:CSV OR "
        "res_format:JSON.",
    ),
    Option(
        "rows",
        "integer",
        100,
        "Number of datasets per request.",
        minimum=2,
    ),
    Option(
        "full_check_days",
        "integer",
        7,
        "Days after which a run reads all datasets and finds deleted ones; runs in between "
        "read only changes. 0 reads all each time.",
        label=_("Days between full runs"),
    ),
    Option(
        "force_all",
        "boolean",
        False,
        "Whether each run reads all datasets instead of only changes.",
    ),
    Option(
        "override_extras",
        "boolean",
        False,
        "Refused. Use the option fields to set values.",
        check=lambda value: _NO_OVERRIDE if value else "",
    ),
    Option(
        "api_key",
        "text",
        "",
        "Refused. Store the key as a secret and name it in the option credential.",
        check=lambda value: _NO_KEY if value else "",
    ),
)


@dataclass(frozen=True)
class CkanSite:
    """Reads a CKAN site, or one saved answer of it."""

    def records(self, source: Source) -> Generator[RawRecord, None, Ending]:
        """Yield the datasets that the options select; see ``Ending`` for what is proven.

        Raises:
            SourceError: no answer, no CKAN, or an answer that ends too early.
        """
        site = Site.parse(source.url)
        if site.is_document:
            return (yield from packages.records(source))
        refused: ProtocolError | None = None
        for base in site.bases:
            search = Search(source, base, site)
            try:
                search.request_first()
            except ProtocolError as exc:
                refused = refused or exc
                continue
            return (yield from search.records())
        assert refused is not None
        if isinstance(refused, Refused):
            return (yield from _read_names(source, site, refused))
        raise refused

    def fetch(self, source: Source, raw: RawRecord) -> RawRecord:
        """Return the record unchanged: a saved list of names has no content to fetch."""
        if raw.content is None:
            message = f"{raw.url} only names {raw.guid}; expected {packages.EXPECTED}"
            raise FetchError(message, url=raw.url)
        return raw


# How to read a site without its search: a list of names or ids, then each dataset. CKAN 2.9 removed
# the REST interfaces; sites before 1.8 have no other.
_OLDER = {
    "package_list": ("/api/3/action/package_list", "/api/3/action/package_show?id="),
    "rest": ("/api/2/rest/package", "/api/2/rest/package/"),
}


def _read(source: Source, url: str) -> Any:
    return action(source.http, url) if "/action/" in url else read_json(source.http, url)


def _read_names(source: Source, site: Site, refused: Refused) -> Generator[RawRecord, None, Ending]:
    """Read a site that has no search.

    Raises:
        SourceError: it has no other interface either; this is the search's own error.
    """
    for base in site.bases:
        for interface, (listing, shown) in _OLDER.items():
            url = base + listing
            try:
                names = _read(source, url)
                if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                    raise wrong_shape(url, names, "a list of names")
            except ProtocolError:
                continue
            if site.q or site.fq or source.options.get("fq"):
                message = f"{refused.message}; the filter of this source needs that search"
                raise ProtocolError(message, code="no-search", url=refused.url)
            names = sorted(set(names))
            yield from _shown(source, base, interface, base + shown, names)
            reason = "" if names else describe_empty_list(url, "dataset")
            return Ending(complete=not reason, reason=reason, interface=interface)
    raise refused


def _shown(
    source: Source, base: str, interface: str, shown: str, names: list[str]
) -> Iterator[RawRecord]:
    """Yield the datasets of a list of names, with a request each.

    One that was deleted since the list was made, or does not match, is left out.
    """
    source.tell_total(len(names))
    kind, _, last = source.resume.partition(" ")
    behind = last if kind == interface else ""
    for number, name in enumerate(names, 1):
        if name <= behind:
            continue
        position, resume = f"dataset {number}", f"{interface} {name}"
        try:
            package = _read(source, shown + quote(name, safe=""))
        except Refused as exc:
            if exc.status not in (404, 410):
                message = f"{position} '{name}': {exc.message}"
                raw = failed_record(position, message, code="not-shown", url=exc.url)
                yield replace(raw, resume=resume)
            continue
        if not isinstance(package, Mapping) or sites.is_wanted(package, source.options):
            raw = packages.raw_record(package, position, shown + name, page=base)
            yield replace(raw, resume=resume)
