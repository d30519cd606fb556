"""Render values of the fields of ``fields.FIELDS``: labels with links, no bare URIs.

Every text is untrusted: it is escaped, and only web URLs become links.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

from markupsafe import Markup, escape

from ckanext.ukharvest.core.values import (
    frequencies,
    local_government_lists,
    organization_types,
    theme_names,
)
from ckanext.ukharvest.core.values.multivalue import is_yes
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.csv_file import Vocabulary
from ckanext.ukharvest.presentation.rendering.facts import (
    MOST,
    host,
    parse_json,
    render_list,
    shorten_url,
)
from ckanext.ukharvest.presentation.rendering.portal_values import Portal

# Facet → field of the search index. CKAN's schema has vocab_* for tags of vocabularies: untokenised
# texts, several for each dataset. The type of organisation is one text, and named as on data.gov.
INDEXED = {
    "theme": "vocab_ukharvest_theme",
    "function": "vocab_ukharvest_function",
    "service": "vocab_ukharvest_service",
    "schema": "vocab_ukharvest_schema",
    "data_check": "vocab_ukharvest_data_check",
    "stars": "vocab_ukharvest_stars",
    "organization_type": organization_types.KEY,
}
FACETS = {  # key → the facet that counts its values
    "theme-primary": "theme",
    "theme-secondary": "theme",
    "la_function": "function",
    "la_service": "service",
    "schema": "schema",
    "schema_url": "schema",
}

_THEMES_BY_ADDRESS = (theme_names.of_eu, theme_names.of_inspire, theme_names.of_topic)
# Limits of a field: characters of a text, items of a list.
_LONGEST, _MANY = 20_000, 1000
_LAWS = {"ukpga": "Act of Parliament {} chapter {}", "uksi": "Statutory Instrument {}/{}"}


@dataclass(frozen=True, slots=True)
class _Item:
    """One value: its label, its group, its URL and its search."""

    label: str
    is_listed: bool = True
    path: tuple[str, ...] = ()
    address: str = ""
    search: str = ""


def render_value(key: str, value: Any, portal: Portal) -> Markup:
    """Return a field's value as markup.

    Args:
        key: one of KEYS.
        value: text as stored, or a list, as the portal's own forms send it.
    """
    split, make = KEYS[key]
    parts = split(truncate(value))
    items = [_markup(make(key, text, portal), portal) for text in parts[:MOST]]
    return render_list(items, len(parts) - MOST)


def texts(value: Any) -> list[str]:
    """Return the values of a list of names or of URIs, stored as JSON or as text."""
    return addresses(value) if "://" in str(value) else names(value)


def names(value: Any) -> list[str]:
    """Return the names of a list stored as JSON, or as text with commas or line ends."""
    return _listed(value, lambda text: re.split(r"[\n,;]", text))


def addresses(value: Any) -> list[str]:
    """Return the URIs of a list, stored as JSON or as text; other text stays in one piece."""
    return _listed(value, _apart)


def parse_local_government(value: Any, kind: str) -> local_government_lists.Identifiers:
    """Return the functions and services of a list."""
    plain = _plain(value)
    many = plain[:_MANY] if isinstance(plain, (list, tuple)) else [plain]
    return local_government_lists.find(list(map(str, many)), kind)


def truncate(value: Any) -> Any:
    """Cut an overlong text; return anything else unchanged."""
    if not isinstance(value, str) or len(value) <= _LONGEST or isinstance(_plain(value), list):
        return value
    return re.sub(r"[^\s,;|]+$", "", value[:_LONGEST])


def _plain(value: Any) -> Any:
    """Parse a text that is a JSON list."""
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        with contextlib.suppress(ValueError, RecursionError):
            return parse_json(value)
    return value


def _listed(value: Any, split: Callable[[str], list[str]]) -> list[str]:
    plain = _plain(value)
    many = plain if isinstance(plain, (list, tuple)) else split(str(plain or ""))
    parts = (str(part).strip(" ,;\n\r\t") for part in many if part is not None)
    return list(dict.fromkeys(filter(None, parts)))


def _apart(text: str) -> list[str]:
    groups = groupby(text.split(), lambda word: "://" in word)
    return [
        part for are_urls, words in groups for part in (words if are_urls else [" ".join(words)])
    ]


def lga_label(uri: str) -> str:
    """Return the label of an identifier of the LGA's lists; "Service 99999" for an unknown one."""
    match = re.search(r"/(function|service)/(\d+)$", uri)
    return local_government_lists.label(uri) or (
        f"{match[1].capitalize()} {match[2]}" if match else uri
    )


def address_label(name: str, url: str) -> str:
    """Return a URI's label in a list; else its host and end.

    Other text stays unchanged: visitors may search for anything.
    """
    label = vocabulary.label(name, url) or _law(url) or shorten_url(url) if is_web_url(url) else ""
    return label or url


def _theme(key: str, text: str, portal: Portal) -> _Item:
    if name := theme_names.find(text):
        return _Item(portal.translate(theme_names.title(name)), search=_search(key, name, portal))
    return _other(text, is_listed=False)


def _local(value: Any, *, kind: str) -> list[str]:
    identifiers = parse_local_government(value, kind)
    return [*identifiers.functions, *identifiers.services, *identifiers.others]


def _of_local(_key: str, text: str, portal: Portal) -> _Item:
    if not text.startswith("http://id.esd.org.uk/"):
        return _other(text, is_listed=False)
    path = local_government_lists.path(text)
    search = _search("la_function" if "/function/" in text else "la_service", text, portal)
    return _Item(lga_label(text), bool(path), path[:-1], text, search)


def _address(key: str, text: str, portal: Portal, *, name: str) -> _Item:
    entry = vocabulary.row(name, text) if name else None
    label = vocabulary.load(name).label(entry) if entry else ""
    item = _Item(label, address=text) if entry and is_web_url(text) else _other(text)
    search = _search(key, entry["url"] if entry else text, portal) if item.address else ""
    return replace(item, search=search)


def _subject(_key: str, text: str, _portal: Portal) -> _Item:
    """Return a subject by the publisher's theme: of the EU's, INSPIRE's or any list, or as text."""
    ways = _THEMES_BY_ADDRESS if is_web_url(text) else ()
    label = next((label for way in ways if (label := way(text)[1])), "")
    if ways and not label:
        identifiers = local_government_lists.find([text])
        uris = identifiers.functions + identifiers.services
        label = local_government_lists.label(next(iter(uris), ""))
    return _Item(label, address=text) if label else _other(text)


@vocabulary.derived("inspire_themes")
def _inspire_addresses(themes: Vocabulary) -> Mapping[str, str]:
    return {themes.label(row): themes.key(row) for row in themes.rows}


def _label(find: Callable[[str], str]) -> Callable[[str, str, Portal], _Item]:
    """Return a function that makes an item of a text's label, translated."""
    return lambda _key, text, portal: _Item(portal.translate(find(text)))


# Key → function that splits a value, and function that makes an item of each part.
KEYS: dict[str, tuple[Callable[[Any], list[str]], Callable[[str, str, Portal], _Item]]] = {
    "theme-primary": (names, _theme),
    "theme-secondary": (names, _theme),
    "la_function": (partial(_local, kind=local_government_lists.FUNCTION), _of_local),
    "la_service": (partial(_local, kind=local_government_lists.SERVICE), _of_local),
    "schema": (addresses, partial(_address, name="schemas")),
    "schema_url": (addresses, partial(_address, name="schemas")),
    "codelist": (addresses, partial(_address, name="codelists")),
    "mandate": (addresses, partial(_address, name="")),
    "update_frequency": (lambda value: [str(value)], _label(frequencies.frequency_label)),
    "unpublished": (
        lambda value: [str(value)],
        _label(lambda text: "yes" if is_yes(text) else "no"),
    ),
    **dict.fromkeys(("dcat_subject", "theme", "subject"), (addresses, _subject)),
    "inspire-themes": (
        names,
        lambda _key, text, _portal: _Item(text, address=_inspire_addresses().get(text, "")),
    ),
}


def _other(text: str, *, is_listed: bool = True) -> _Item:
    """Return an unlisted value: a URL by host and end, other text unchanged."""
    if is_web_url(text):
        return _Item(_law(text) or shorten_url(text), is_listed, address=text)
    return _Item(text, is_listed)


def _search(key: str, value: str, portal: Portal) -> str:
    facet = FACETS.get(key)
    return portal.search(INDEXED[facet], value) if facet else ""


def _markup(item: _Item, portal: Portal) -> Markup:
    if item.search:
        head = Markup('<a href="{}">{}</a>').format(item.search, item.label)
    elif item.address:
        head = _out(item.address, item.label)
    else:
        head = escape(item.label)
    notes = []
    if not item.is_listed:
        note = portal.translate("not in the list")  # outside: Babel reads no f-string of 3.12
        notes.append(escape(f"({note})"))
    if item.path:
        notes.append(escape(" › ".join(item.path)))
    if item.search and item.address:
        name = host(item.address)
        is_named = item.label.startswith(name)
        notes.append(_out(item.address, portal.translate("address") if is_named else name, item))
    if not notes:
        return head
    note = Markup(" · ").join(notes)
    return Markup('{} <span class="small text-muted">{}</span>').format(head, note)


def _out(url: str, words: str, of: _Item | None = None) -> Markup:
    """Return a link to another site; inside a text it is underlined, and labelled by ``of``."""
    more = Markup("")
    if of is not None:
        name = f"{of.label} ({words})"
        more = Markup(' class="text-decoration-underline" aria-label="{}"').format(name)
    link = Markup('<a href="{}" title="{}" rel="nofollow noopener"{}>{}</a>')
    return link.format(url, url, more, words)


def _law(url: str) -> str:
    """Return the citation of a URL of legislation.gov.uk, "" for others."""
    if host(url) != "legislation.gov.uk":
        return ""
    parts = [part for part in urlsplit(url).path.split("/") if part not in ("", "id")]
    # Acts before 1963 are by the year of a reign: /ukpga/Geo5and1Edw8/26/49.
    is_year = len(parts) > 2 and re.fullmatch(r"\d{4}", parts[1])
    words = _LAWS.get(parts[0]) if is_year else None
    title = ": ".join(filter(None, ("legislation.gov.uk", "/".join(parts))))
    return words.format(*parts[1:3]) if words else title
