"""A CKAN site's URL, the requested datasets, and the values that its search counts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.record_filter import (
    MOST_VALUES,
    FilterField,
    FilterFields,
    FilterValue,
    with_values,
)
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.readers.ckan_api.package import count_of
from ckanext.ukharvest.readers.json_api import action, wrong_shape

# URLs that people paste: the API's root, one of its actions, a page of the site.
_API = re.compile(r"/api(?:/(?:\d+(?:\.\d+)?|action|search|rest)(?:/.*)?)?/?$")
_PAGE = re.compile(r"/(dataset|organization|group)(?:/([^/]+))?/?$")
_PAGES = {"dataset": "name", "organization": "organization", "group": "groups"}
_DOCUMENT = re.compile(r"(?:\.json|/package_show|/current_package_list_with_resources)$")


@dataclass(frozen=True, slots=True)
class Site:
    """The parts of a source's URL.

    Attributes:
        bases: URLs that the site may have, the likeliest first, without a slash at the end.
        q, fq: the query in the URL itself.
        is_document: the URL is that of one document of datasets, not of a site.
    """

    bases: tuple[str, ...]
    q: str = ""
    fq: tuple[str, ...] = ()
    is_document: bool = False

    @classmethod
    def parse(cls, url: str) -> Site:
        """Parse a source's URL.

        Raises:
            ProtocolError: it cannot be parsed as a URL.
        """
        if "://" not in url:
            return cls((), is_document=True)
        try:
            parts = urlsplit(url)
            parts.port  # noqa: B018  # reading it finds what is no number
        except ValueError as exc:
            message = Message(
                "{url} is not a web address ({reason}); expected that of a CKAN site",
                url=url,
                reason=exc,
            )
            raise ProtocolError(message, code="bad-url", url=url) from exc
        if _DOCUMENT.search(parts.path):
            return cls((), is_document=True)
        path, fq = _API.sub("", parts.path), []
        page = _PAGE.search(path) if path == parts.path else None
        if page:
            path = path[: page.start()]
            fq = [term(_PAGES[page[1]], unquote(page[2]))] if page[2] else []
        query = dict(parse_qsl(parts.query))
        paths = dict.fromkeys((path.rstrip("/"), ""))
        bases = tuple(urlunsplit((parts.scheme, parts.netloc, path, "", "")) for path in paths)
        clauses = filter(None, (clause(query.get("fq", "")), *fq))
        return cls(bases, query.get("q", ""), tuple(clauses))


SEARCH = "/api/3/action/package_search"

# Beginning of two options' names → field of CKAN's search index that holds the value as a name, and
# the field's name for people.
FILTERS = {
    "organizations": ("organization", "organisation"),
    "groups": ("groups", "group"),
    "tags": ("tags", "keyword"),
    "licenses": ("license_id", "licence"),
    "types": ("dataset_type", "type"),
}
FILTER_FIELDS = {
    name: FilterField(label, f"{name}_filter_include", f"{name}_filter_exclude")
    for name, (_field, label) in FILTERS.items()
}


def term(field: str, value: str) -> str:
    """Return a clause of Solr's query language for a field's value."""
    return f"+{field}:{_quoted(value)}"


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def clause(text: str) -> str:
    """Return a configured filter as one clause, even if it contains OR."""
    text = text.strip()
    # In brackets, a query that only excludes finds nothing (Solr, "Pure negative queries").
    return text if not text or text[0] in "-+" else f"+({text})"


def clauses(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the clauses of the source's options."""
    for name, (field, _name) in FILTERS.items():
        included = options.get(f"{name}_filter_include", ())
        if included:
            either = " OR ".join(f"{field}:{_quoted(value)}" for value in included)
            yield f"+({either})"
        for value in options.get(f"{name}_filter_exclude", ()):
            yield f"-{field}:{_quoted(value)}"
    yield from filter(None, [clause(options.get("fq", ""))])


def is_wanted(package: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
    """Apply the same filters, except fq, to a package of a site without a search."""
    for name, (field, _name) in FILTERS.items():
        values = set(_values(package, field))
        included = options.get(f"{name}_filter_include", ())
        if included and values.isdisjoint(included):
            return False
        if not values.isdisjoint(options.get(f"{name}_filter_exclude", ())):
            return False
    return True


def _values(package: Mapping[str, Any], field: str) -> Iterator[str]:
    value = package.get("type" if field == "dataset_type" else field)
    for item in value if isinstance(value, list) else [value]:
        yield clean_text(item.get("name") if isinstance(item, Mapping) else item)


def filter_fields(source: Source) -> FilterFields:
    """Return the values of all datasets that the source's URL names, by one search.

    Raises:
        SourceError: no answer, or the site has no search.
    """
    site = Site.parse(source.url)
    if site.is_document:
        return FilterFields()
    for base in site.bases:
        try:
            result = _search(source, base + SEARCH, site)
        except ProtocolError:
            if base == site.bases[-1]:
                raise
            continue
        total = count_of(result)
        return FilterFields(tuple(_fields(result)), total if total >= 0 else None)
    return FilterFields()


def _search(source: Source, url: str, site: Site) -> Mapping[str, Any]:
    params: dict[str, str | int] = {
        "rows": 0,
        "facet.field": json.dumps([field for field, _name in FILTERS.values()]),
        "facet.limit": MOST_VALUES,
    }
    query = {"q": site.q, "fq": " ".join(site.fq)}
    params |= {name: value for name, value in query.items() if value}
    result = action(source.http, url, params)
    if not isinstance(result, Mapping):
        raise wrong_shape(url, result, "an object with count and search_facets")
    return result


def _fields(result: Mapping[str, Any]) -> Iterator[FilterField]:
    facets = result.get("search_facets")
    for name, (field, _label) in FILTERS.items():
        facet = facets.get(field) if isinstance(facets, Mapping) else None
        items = facet.get("items") if isinstance(facet, Mapping) else None
        values = [
            FilterValue(
                clean_text(item.get("name")), item["count"], clean_text(item.get("display_name"))
            )
            for item in (items if isinstance(items, list) else [])
            if isinstance(item, Mapping) and isinstance(item.get("count"), int)
        ]
        if values:
            yield with_values(FILTER_FIELDS[name], values)
