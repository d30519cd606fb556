"""Read CKAN sites: by search, by the interfaces of older sites, or from one saved answer."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from ckanext.ukharvest.core.errors import FetchError, ProtocolError
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Ending, RawRecord, Source
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.readers.ckan_api import name_list
from ckanext.ukharvest.readers.ckan_api import package as ckan_package
from ckanext.ukharvest.readers.ckan_api.search import Search
from ckanext.ukharvest.readers.ckan_api.site import Site
from ckanext.ukharvest.readers.json_api import Refused


def _no_key(value: str) -> str:
    if not value:
        return ""
    return (
        "keys are not stored in a source's configuration; put the key into the portal's ini "
        "and its name into the option credential"
    )


def _no_override(value: bool) -> str:
    if not value:
        return ""
    return (
        "default_extras never replace what the remote site says; drop the remote field by the"
        " option fields where they should"
    )


_WITHOUT_EFFECT = "Accepted from ckanext-harvest's sources, but it has no effect"


def _filters(name: str, noun: str, only: str, without: str) -> tuple[Option, Option]:
    including = f"Names of the remote {noun} whose datasets are harvested; empty takes all."
    excluding = f"Names of the remote {noun} whose datasets are not harvested."
    return (
        Option(f"{name}_filter_include", "list", (), including, label=only),
        Option(f"{name}_filter_exclude", "list", (), excluding, label=without),
    )


OPTIONS = (
    *_filters(
        "organizations",
        "organisations",
        _("Only these organisations"),
        _("Skip these organisations"),
    ),
    *_filters("groups", "groups", _("Only these groups"), _("Skip these groups")),
    *_filters("tags", "tags", _("Only these tags"), _("Skip these tags")),
    *_filters("licenses", "licences", _("Only these licences"), _("Skip these licences")),
    *_filters(
        "types",
        "types of dataset",
        _("Only these types of dataset"),
        _("Skip these types of dataset"),
    ),
    Option(
        "fq",
        "text",
        "",
        "A further filter in the syntax of the remote site's search, such as res_format:CSV OR "
        "res_format:JSON.",
        label=_("Further filter"),
    ),
    Option(
        "rows",
        "integer",
        100,
        "Number of datasets per request.",
        minimum=2,
        label=_("Datasets at a time"),
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
        label=_("Read all datasets in each run"),
    ),
    # Options of ckanext-harvest's own CKAN harvester: its sources are adopted without changes.
    Option("read_only", "boolean", False, f"{_WITHOUT_EFFECT}, as there."),
    Option("api_version", "integer", 0, f"{_WITHOUT_EFFECT}: the site's version is detected."),
    Option("default_group_dicts", "list", (), f"{_WITHOUT_EFFECT}: use default_groups."),
    Option("clean_tags", "boolean", False, f"{_WITHOUT_EFFECT}: tags are always cleaned."),
    Option("user", "text", "", f"{_WITHOUT_EFFECT}: the portal's harvest user writes datasets."),
    Option("user_agent", "text", "", f"{_WITHOUT_EFFECT}: the portal sets its own User-Agent."),
    Option(
        "override_extras",
        "boolean",
        False,
        "Refused. Use the option fields to set values.",
        check=_no_override,
    ),
    Option(
        "api_key",
        "text",
        "",
        "Refused. Store the key as a secret and name it in the option credential.",
        check=_no_key,
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
            return (yield from ckan_package.records(source))
        refused: ProtocolError | None = None
        for base in site.bases:
            search = Search(source, base, site)
            try:
                first = search.first()
            except ProtocolError as exc:
                refused = refused or exc
                continue
            return (yield from search.walk(first))
        assert refused is not None
        if isinstance(refused, Refused):
            return (yield from name_list.read(source, site, refused))
        raise refused

    def fetch(self, source: Source, raw: RawRecord) -> RawRecord:
        """Return the record unchanged: a saved list of names has no content to fetch."""
        if raw.content is None:
            message = f"{raw.url} only names {raw.guid}; expected {ckan_package.EXPECTED}"
            raise FetchError(message, url=raw.url)
        return raw
