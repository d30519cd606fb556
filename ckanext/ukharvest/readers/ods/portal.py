"""An Opendatasoft portal's URL and the requested datasets, from a source's URL and options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.record_filter import FilterField
from ckanext.ukharvest.core.values.text import marked as _

# What follows the portal's own path in URLs that people copy from a browser.
_INSIDE = re.compile(r"/(?:explore|api|page|pages|catalog|map|login)(?:/.*)?$")
_FACET = re.compile(r"[\w.-]+", re.ASCII)

Parameters = list[tuple[str, str]]


def _wrong_filter(values: tuple[str, ...]) -> str:
    for value in values:
        facet, colon, wanted = value.partition(":")
        if not colon or not wanted.strip() or not _FACET.fullmatch(facet.strip()):
            return f"'{value}' is no filter; expected facet:value, such as theme:Environment"
    return ""


def _wrong_language(value: str) -> str:
    if not value or re.fullmatch(r"[a-z]{2}(?:[-_][A-Za-z]{2})?", value, re.ASCII):
        return ""
    return f"'{value}' is no language; expected a code such as en or fr"


OPTIONS = (
    Option(
        "refine",
        "list",
        (),
        "Only datasets with these values, as facet:value, such as publisher:Leeds City Council or "
        "theme:Environment. A dataset needs all of them; semicolons separate several.",
        separator=";",
        check=_wrong_filter,
    ),
    Option(
        "exclude",
        "list",
        (),
        "No datasets with one of these values, as facet:value, such as keyword:test.",
        separator=";",
        check=_wrong_filter,
    ),
    Option(
        "language",
        "text",
        "",
        "Language of titles and descriptions, if the portal has several: a code such as en or fr. "
        "Empty takes the portal's own.",
        check=_wrong_language,
        label=_("Language"),
    ),
)

# Facets that every portal has; the options take others too.
FILTER_FIELDS = tuple(
    FilterField(facet, "refine", "exclude", prefix=f"{facet}:", needs_all=True)
    for facet in ("publisher", "theme", "keyword")
)


@dataclass(frozen=True, slots=True)
class Filter:
    """One value of a facet that datasets need ("refine") or must not have ("exclude")."""

    kind: str
    facet: str
    value: str


@dataclass(frozen=True, slots=True)
class Portal:
    """The parts of a source's URL and options.

    Attributes:
        base: URL of the home page without a slash at the end.
        filters: those of the options, and of a URL copied from the page of a search.
        language: code of the language to ask for, "" for the portal's own.
    """

    base: str
    filters: tuple[Filter, ...] = ()
    language: str = ""

    @classmethod
    def parse(cls, url: str, options: Mapping[str, Any]) -> Portal | None:
        """Parse a source's URL; None if it is a single document.

        Raises:
            ProtocolError: it cannot be parsed as a URL.
        """
        if "://" not in url:
            return None
        try:
            parts = urlsplit(url)
        except ValueError as exc:
            message = f"{url} is no web address ({exc}); expected that of a portal"
            raise ProtocolError(message, code="bad-url", url=url) from exc
        if parts.path.endswith(".json"):
            return None
        path = _INSIDE.sub("", parts.path).rstrip("/")
        return cls(
            urlunsplit((parts.scheme, parts.netloc, path, "", "")),
            tuple(dict.fromkeys((*_of_options(options), *_of_query(parts.query)))),
            str(options.get("language") or ""),
        )

    def explore_parameters(self) -> Parameters:
        """Return the filters and the language as Explore API 2.1 expects them."""
        return self._with_language([(f.kind, f"{f.facet}:{f.value}") for f in self.filters])

    def search_parameters(self) -> Parameters:
        """Return the filters and the language as Search API 1.0 expects them."""
        return self._with_language([(f"{f.kind}.{f.facet}", f.value) for f in self.filters])

    def _with_language(self, filters: Parameters) -> Parameters:
        return [*filters, ("lang", self.language)] if self.language else filters

    def page(self, dataset_id: str) -> str:
        """Return the URL of a dataset's page."""
        return f"{self.base}/explore/dataset/{quote(dataset_id, safe='@')}/"


def _of_options(options: Mapping[str, Any]) -> Iterator[Filter]:
    for kind in ("refine", "exclude"):
        for text in options.get(kind, ()):
            facet, _, value = text.partition(":")
            yield Filter(kind, facet.strip(), value.strip())


def _of_query(query: str) -> Iterator[Filter]:
    """Yield the filters of a URL: ``refine.theme=…`` of pages, ``refine=theme:…`` of the API."""
    for name, value in parse_qsl(query):
        kind, _, facet = name.partition(".")
        if kind not in ("refine", "exclude"):
            continue
        if not facet:
            facet, _, value = value.partition(":")
        if facet and value:
            yield Filter(kind, facet, value.strip('"'))


def with_parameters(url: str, parameters: Parameters) -> str:
    """Return a URL with a query; a name may repeat."""
    return f"{url}?{urlencode(parameters)}" if parameters else url
