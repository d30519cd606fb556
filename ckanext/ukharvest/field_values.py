"""Values of the fields of ``fields.FIELDS`` as people read them: labels with links, no bare URIs.

Every text comes from a stranger: it is escaped, and only web addresses become links.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any
from urllib.parse import unquote, urlsplit

from markupsafe import Markup, escape

from ckanext.ukharvest.core import frequencies, inspire, lga, vocabulary
from ckanext.ukharvest.core.web import is_web_url
from ckanext.ukharvest.fields_shown import MOST, listed

# What the search index calls the facet of a key.
INDEXED = {
    "theme-primary": "vocab_ukharvest_theme",
    "theme-secondary": "vocab_ukharvest_theme",
    "la_function": "vocab_ukharvest_function",
    "la_service": "vocab_ukharvest_service",
    "schema": "vocab_ukharvest_schema",
    "schema_url": "vocab_ukharvest_schema",
}

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


def address_label(name: str, url: str) -> str:
    """Return what an address stands for in a list; else its host and what it ends with."""
    return _label(name, url) or _law(url) or _short(url)


def theme_label(name: str) -> str:
    """Return a theme's title, "" if there is no such theme."""
    return _label("themes", name)


def _themes(key: str, value: Any, portal: Portal) -> Iterator[_Item]:
    for name in texts(value):
        title = theme_label(name)
        yield _Item(title or name, bool(title), search=_search(key, name, portal) if title else "")


def _lga(key: str, value: Any, portal: Portal, *, kind: str) -> Iterator[_Item]:
    given = value if isinstance(value, (list, tuple)) else [value]
    found = lga.find([str(each) for each in given], kind)
    own, other = found.functions, found.services
    for uri in (*own, *other) if kind == lga.FUNCTION else (*other, *own):
        path = lga.path(uri)
        kind_of, number = uri.rsplit("/", 2)[1:]
        label = path[-1] if path else f"{kind_of.capitalize()} {number}"
        search = _search(f"la_{kind_of}", uri, portal)
        yield _Item(label, bool(path), path[:-1], uri, search)
    for text in found.others:
        yield _address(text) if is_web_url(text) else _Item(text, False)


def _addresses(key: str, value: Any, portal: Portal, *, name: str = "") -> Iterator[_Item]:
    for text in texts(value):
        if not is_web_url(text):
            yield _Item(text)
            continue
        yield _Item(address_label(name, text), True, (), text, _search(key, text, portal))


def _subjects(_key: str, value: Any, _portal: Portal) -> Iterator[_Item]:
    """Themes as the publisher names them: of the EU's, INSPIRE's or any list, or in words."""
    for text in texts(value):
        label = _label("eu_themes", text) or inspire.theme_of_address(text)
        if label:
            yield _Item(label, address=text)
        else:
            yield _address(text) if is_web_url(text) else _Item(text)


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
}


def _address(url: str) -> _Item:
    return _Item(_law(url) or _short(url), address=url)


def _search(key: str, value: str, portal: Portal) -> str:
    field = INDEXED.get(key)
    return portal.search(field, value) if field else ""


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
        notes.append(_out(item.address, _host(item.address), item.label))
    note = Markup(" · ").join(notes)
    return (
        Markup('{} <span class="small text-muted">{}</span>').format(head, note) if note else head
    )


def _out(url: str, words: str, of: str = "") -> Markup:
    """Return a link to another site, named for screen readers by what it is the address of."""
    name = Markup(' aria-label="{}"').format(f"{of} ({words})") if of else Markup("")
    return Markup('<a href="{}" title="{}" rel="nofollow noopener"{}>{}</a>').format(
        url, url, name, words
    )


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


def _label(name: str, value: str) -> str:
    return _labels(name).get(value, "")


@lru_cache(maxsize=16)
def _labels(name: str) -> dict[str, str]:
    try:
        rows = vocabulary.load(name).rows
    except (KeyError, OSError):
        return {}
    return {
        row.get("uri") or row.get("url") or row["name"]: row.get("label") or row["title"]
        for row in rows
    }
