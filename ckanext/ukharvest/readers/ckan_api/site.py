"""A CKAN site's URL and the requested datasets, from a source's URL and options."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from ckanext.ukharvest.core.errors import ProtocolError
from ckanext.ukharvest.core.values.text import clean_text

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
            message = f"{url} is no web address ({exc}); expected that of a CKAN site"
            raise ProtocolError(message, code="bad-url", url=url) from exc
        if _DOCUMENT.search(parts.path):
            return cls((), is_document=True)
        path, fq = _API.sub("", parts.path), []
        page = _PAGE.search(path) if path == parts.path else None
        if page:
            path = path[: page.start()]
            fq = [term(_PAGES[page[1]], unquote(page[2]))] if page[2] else []
        query = dict(parse_qsl(parts.query))
        given = filter(None, (clause(query.get("fq", "")), *fq))
        paths = dict.fromkeys((path.rstrip("/"), ""))
        bases = tuple(urlunsplit((parts.scheme, parts.netloc, each, "", "")) for each in paths)
        return cls(bases, query.get("q", ""), tuple(given))


SEARCH = "/api/3/action/package_search"

# Beginning of two options' names → field of CKAN's search index that holds the value as a name.
FILTERS = {
    "organizations": "organization",
    "groups": "groups",
    "tags": "tags",
    "licenses": "license_id",
    "types": "dataset_type",
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
    for name, field in FILTERS.items():
        included = options.get(f"{name}_filter_include", ())
        if included:
            either = " OR ".join(f"{field}:{_quoted(value)}" for value in included)
            yield f"+({either})"
        for value in options.get(f"{name}_filter_exclude", ()):
            yield f"-{field}:{_quoted(value)}"
    if found := clause(options.get("fq", "")):
        yield found


def is_wanted(package: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
    """Apply the same filters, except fq, to a package of a site without a search."""
    for name, field in FILTERS.items():
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
