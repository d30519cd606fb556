"""Values of the fields of ``fields.FIELDS`` as people read them: labels with links, no bare URIs.

Every text comes from a stranger: it is escaped, and only web addresses become links.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

from markupsafe import Markup, escape

from ckanext.ukharvest.core import frequencies, lga, theme_names, vocabulary
from ckanext.ukharvest.core.web import is_web_url
from ckanext.ukharvest.fields_shown import MOST, listed

# Facet → field of the search index. CKAN's schema has vocab_* for tags of vocabularies: texts that
# are not taken apart, several for each dataset.
INDEXED = {
    "theme": "vocab_ukharvest_theme",
    "function": "vocab_ukharvest_function",
    "service": "vocab_ukharvest_service",
    "schema": "vocab_ukharvest_schema",
    "stars": "vocab_ukharvest_stars",
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
_LAWS = {"ukpga": "Act of Parliament {} chapter {}", "uksi": "Statutory Instrument {}/{}"}


@dataclass(frozen=True, slots=True)
class Portal:
    """What a value on a page needs of the portal.

    Attributes:
        translate: English words → the reader's.
        search: a field of the search index and a value → the address of the portal's search.
    """

    translate: Callable[[str], str]
    search: Callable[[str, str], str]


@dataclass(frozen=True, slots=True)
class _Item:
    """One value: its label, what it stands in, where it is looked up and searched for."""

    label: str
    is_listed: bool = True
    path: tuple[str, ...] = ()
    address: str = ""
    search: str = ""


def shown(key: str, value: Any, portal: Portal) -> Markup:
    """Return a field's value as markup.

    Args:
        key: one of KEYS.
        value: text as it is stored, or a list as forms of the portal's own have it.
    """
    found = list(KEYS[key](key, value, portal))
    items = [_markup(item, portal) for item in found[:MOST]]
    return listed(items, len(found) - len(items))


def texts(value: Any) -> list[str]:
    """Return the values of a list that is stored as JSON or as text.

    Addresses have no blanks or commas between them that belong to them; names may have blanks.
    """
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(value)
    if isinstance(value, (list, tuple)):
        return [text for each in value if each is not None and (text := str(each).strip())]
    separator = r"\s+|[,;]\s+" if "://" in str(value) else r"[\n,;]"
    return [text for each in re.split(separator, str(value or "")) if (text := each.strip(" ,;"))]


def lga_label(uri: str) -> str:
    """Return what an identifier of the LGA's lists stands for; "Service 99999" if none has it."""
    kind, number = uri.rstrip("/").rsplit("/", 2)[-2:]
    return lga.label(uri) or f"{kind.capitalize()} {number}"


def address_label(name: str, url: str) -> str:
    """Return what an address stands for in a list; else its host and what it ends with."""
    return vocabulary.label(name, url) or _law(url) or _short(url)


def _themes(key: str, value: Any, portal: Portal) -> Iterator[_Item]:
    for text in texts(value):
        if name := theme_names.find(text):
            yield _Item(theme_names.title(name), search=_search(key, name, portal))
        else:
            yield _other(text, is_listed=False)


def _lga(key: str, value: Any, portal: Portal, *, kind: str) -> Iterator[_Item]:
    given = value if isinstance(value, (list, tuple)) else [value]
    found = lga.find([str(each) for each in given], kind)
    for uri in (*found.functions, *found.services):
        path = lga.path(uri)
        search = _search("la_function" if uri in found.functions else "la_service", uri, portal)
        yield _Item(lga_label(uri), bool(path), path[:-1], uri, search)
    for text in found.others:
        yield _other(text, is_listed=False)


def _addresses(key: str, value: Any, portal: Portal, *, name: str = "") -> Iterator[_Item]:
    for text in texts(value):
        entry = vocabulary.row(name, text) if name else None
        label = vocabulary.load(name).label(entry) if entry else ""
        item = _Item(label, address=text) if entry and is_web_url(text) else _other(text)
        search = _search(key, entry["url"] if entry else text, portal) if item.address else ""
        yield replace(item, search=search)


def _subjects(_key: str, value: Any, _portal: Portal) -> Iterator[_Item]:
    """Themes as the publisher names them: of the EU's, INSPIRE's or any list, or in words."""
    for text in texts(value):
        ways = _THEMES_BY_ADDRESS if is_web_url(text) else ()
        label = next((label for way in ways if (label := way(text)[1])), "")
        yield _Item(label, address=text) if label else _other(text)


def _inspire(_key: str, value: Any, _portal: Portal) -> Iterator[_Item]:
    for text in texts(value):
        yield _Item(text, address=_inspire_addresses().get(text, ""))


@vocabulary.derived("inspire_themes")
def _inspire_addresses(themes: vocabulary.Vocabulary) -> Mapping[str, str]:
    return {themes.label(row): themes.key(row) for row in themes.rows}


def _frequency(_key: str, value: Any, portal: Portal) -> Iterator[_Item]:
    yield _Item(portal.translate(frequencies.frequency_label(str(value))))


def _flag(_key: str, value: Any, portal: Portal) -> Iterator[_Item]:
    is_set = str(value).strip().lower() in ("true", "yes", "1", "on", "t", "y")
    yield _Item(portal.translate("yes" if is_set else "no"))


KEYS: dict[str, Callable[[str, Any, Portal], Iterable[_Item]]] = {
    "theme-primary": _themes,
    "theme-secondary": _themes,
    "la_function": partial(_lga, kind=lga.FUNCTION),
    "la_service": partial(_lga, kind=lga.SERVICE),
    "schema": partial(_addresses, name="schemas"),
    "schema_url": partial(_addresses, name="schemas"),
    "codelist": partial(_addresses, name="codelists"),
    "mandate": _addresses,
    "update_frequency": _frequency,
    "unpublished": _flag,
    "dcat_subject": _subjects,
    "inspire-themes": _inspire,
}


def _other(text: str, *, is_listed: bool = True) -> _Item:
    """What no list has: an address by its host and end, other text as it is."""
    if is_web_url(text):
        return _Item(_law(text) or _short(text), is_listed, address=text)
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
        notes.append(escape(f"({portal.translate('not in the list')})"))
    if item.path:
        notes.append(escape(" › ".join(item.path)))
    if item.search and item.address:
        host = _host(item.address)
        is_named = item.label.startswith(host)
        notes.append(_out(item.address, portal.translate("address") if is_named else host, item))
    if not notes:
        return head
    note = Markup(" · ").join(notes)
    return Markup('{} <span class="small text-muted">{}</span>').format(head, note)


def _out(url: str, words: str, of: _Item | None = None) -> Markup:
    """Return a link to another site; one among words is underlined, and named by what it is of."""
    more = Markup("")
    if of is not None:
        name = f"{of.label} ({words})"
        more = Markup(' class="text-decoration-underline" aria-label="{}"').format(name)
    link = Markup('<a href="{}" title="{}" rel="nofollow noopener"{}>{}</a>')
    return link.format(url, url, more, words)


def _host(url: str) -> str:
    return (urlsplit(url).hostname or "").removeprefix("www.")


def _short(url: str) -> str:
    last = unquote(urlsplit(url).path).rstrip("/").rpartition("/")[2]
    return f"{_host(url)}: {last}" if last else _host(url)


def _law(url: str) -> str:
    """Return how an address of legislation.gov.uk is cited, "" for others."""
    if _host(url) != "legislation.gov.uk":
        return ""
    parts = [part for part in urlsplit(url).path.split("/") if part not in ("", "id")]
    words = _LAWS.get(parts[0]) if len(parts) > 2 else None
    return words.format(*parts[1:3]) if words else "legislation.gov.uk: " + "/".join(parts)
