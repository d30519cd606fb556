"""Render values of datasets' fields and extras: labels with links, dates, translations."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from markupsafe import Markup, escape

from ckanext.ukharvest import fields
from ckanext.ukharvest.core.values import (
    frequencies,
    licences,
    local_government_lists,
    organization_types,
    theme_names,
)
from ckanext.ukharvest.core.values.languages import language_code
from ckanext.ukharvest.core.values.multivalue import is_yes
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Portal:
    """The reader's language, and URLs of the portal's pages.

    Attributes:
        translate: English text → the reader's.
        search: a field of the search index and a value → the URL of the portal's search.
        language: the reader's, as CKAN writes it: ``en_GB``.
    """

    translate: Callable[[str], str] = str
    search: Callable[[str, str], str] = lambda _field, _value: ""
    language: str = "en"

    @property
    def locale(self) -> Locale:
        """Return the reader's language; English if Babel does not know it."""
        try:
            return Locale.parse(self.language, sep="_")
        except (ValueError, UnknownLocaleError):
            return Locale("en")


# ISO 8601 as stored; midnight without a zone is a day that a program wrote.
_ISO = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?)?)?",
    re.ASCII,
)
_UTC = ("Z", "+00:00", "+0000")


def format_iso_date(text: str, portal: Portal) -> str:
    """Return "2004", "February 2004" or "3 July 2006, 10:15 UTC"; other text unchanged."""
    match = _ISO.fullmatch(text.strip())
    if not match:
        return text
    year, month, day, time, zone = match.groups()
    if not month:
        return str(year)
    try:
        start = date(int(year), int(month), int(day or 1))
    except ValueError:
        return text
    words = format_day(start, portal.locale, has_day=bool(day))
    if not time or (time, zone) == ("00:00", None):
        return words
    return f"{words}, {time} {'UTC' if zone in _UTC else zone or ''}".rstrip()


def format_day(day: date, locale: Locale | str, *, has_day: bool = True) -> str:
    """Return "3 July 2006", or "July 2006"."""
    # Day before month in all languages; Babel's plain English has the American order.
    return str(format_date(day, "d MMMM y" if has_day else "MMMM y", locale=locale))


def format_period(start: str, end: str, portal: Portal) -> str:
    """Return "1998 to 2010", "from 1998", "until 2010" or "1998"; "" for nothing."""
    first, last = format_iso_date(start, portal), format_iso_date(end, portal)
    if first == last:
        return first
    text = portal.translate("{start} to {end}")
    if not last:
        text = portal.translate("from {start}")
    if not first:
        text = portal.translate("until {end}")
    return text.format(start=first, end=last)


MOST = 100  # items of a list that are shown
DEEPEST = 4  # objects within objects; real ones have two levels

_HEADS = ("title", "name", "text", "code", "identifier", "value")
_LINKS = ("href", "url")


def render_extra(text: str) -> Markup:
    """Return an extra's value as markup; "" for an empty value, such as "[]"."""
    if text[:1] not in ("[", "{"):
        return render_link_or_text({"True": "yes", "False": "no"}.get(text, text))
    try:
        value = parse_json(text)
    except (ValueError, RecursionError):
        return render_link_or_text(text)
    return _shown(value, DEEPEST)


def parse_json(text: str) -> Any:
    """Parse JSON, and replace lone surrogates, which no page can hold.

    Raises:
        ValueError, RecursionError: it is no JSON, or too deep.
    """
    return json.loads(json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8", "replace"))


def _shown(value: Any, depth: int) -> Markup:
    if value is None:
        return Markup("")
    if isinstance(value, bool):
        return escape("yes" if value else "no")
    if isinstance(value, (list, dict)) and not depth:
        return render_link_or_text(json.dumps(value, ensure_ascii=False))
    if isinstance(value, list):
        items = (_shown(item, depth - 1) for item in value[:MOST])
        return render_list(list(filter(None, items)), len(value) - MOST)
    if isinstance(value, dict):
        return _object({str(key): part for key, part in value.items()}, depth)
    return render_link_or_text(str(value))


def render_link(url: str, words: str) -> Markup:
    """Return a link to another site; ``url`` has to be a web address."""
    return Markup('<a href="{}" title="{}" rel="nofollow noopener">{}</a>').format(url, url, words)


def render_link_or_text(url: str, words: str = "") -> Markup:
    """Return a web URL as a link, labelled by the words or itself; other text unlinked."""
    return render_link(url, words or url) if is_web_url(url) else escape(words or url)


def host(url: str) -> str:
    """Return the host of a web URL without "www."."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def render_list(items: Sequence[Markup], more: int = 0) -> Markup:
    """Return a single value unchanged, several as a list; ``more`` is the number left out."""
    if more > 0:
        items = [*items, escape(f"… +{more:,}")]
    if len(items) < 2:
        return Markup("").join(items)
    rows = Markup("").join(Markup("<li>{}</li>").format(item) for item in items)
    return Markup('<ul class="list-unstyled mb-0">{}</ul>').format(rows)


def _object(value: dict[str, Any], depth: int) -> Markup:
    """Render an object as its name, linked if it has a URL, and the rest in brackets."""
    if isinstance(value.get("keywords"), list):
        return _vocabulary(value, depth)
    if value.keys() == {"type", "value"}:
        return Markup("{}: {}").format(
            *(_shown(value[key], depth - 1) for key in ("type", "value"))
        )
    if "from" in value or "to" in value:
        return _period(value)
    named = next((key for key in _HEADS if value.get(key)), "")
    linked = next((key for key in _LINKS if is_web_url(str(value.get(key, "")))), "")
    head = _shown(value.get(named or linked), depth - 1)
    if linked and named:
        head = render_link(str(value[linked]), str(value[named]))
    rest = [
        Markup("{}: {}").format(label_for_key(key).lower(), text)
        for key, part in value.items()
        if key not in (named, linked) and part != value.get(named)
        if (text := _shown(part, depth - 1))
    ]
    return _with_rest(head, rest)


def _vocabulary(value: dict[str, Any], depth: int) -> Markup:
    words = Markup(", ").join(_shown(word, depth - 1) for word in value["keywords"][:MOST])
    name = str(value.get("vocabulary") or value.get("title") or "")
    return Markup("{}: {}").format(name, words) if name else words


def _period(value: dict[str, Any]) -> Markup:
    ends = [str(value.get(key) or value.get(f"{key}-position") or "…") for key in ("from", "to")]
    about = value.get("description")
    return _with_rest(escape(" – ".join(ends)), [escape(str(about))] if about else [])


def _with_rest(head: Markup, rest: Iterable[Markup]) -> Markup:
    joined = Markup(", ").join(rest)
    return Markup("{} ({})").format(head, joined) if head and joined else head or joined


def label_for_key(key: str) -> str:
    """Return a label for a key that has none."""
    words = " ".join(key.replace("_", " ").replace("-", " ").split())
    return words[:1].upper() + words[1:]


_SHORT = 200  # characters of a text that is shown at once


def parse_translations(value: Any) -> dict[str, str | list[str]]:
    """Return language code → text or tags; {} for what has another form."""
    try:
        texts = parse_json(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return {}
    pairs = texts.items() if isinstance(texts, dict) else ()
    return {code: text for code, text in pairs if language_code(code) and _is_text(text)}


def _is_text(value: Any) -> bool:
    texts = value if isinstance(value, list) else [value]
    return bool(texts) and all(isinstance(text, str) and text for text in texts)


def render_translations(value: Any, portal: Portal) -> Markup:
    """Return the texts, each with the name of its language."""
    texts = list(parse_translations(value).items())
    items = [_item(code, text, portal) for code, text in texts[:MOST]]
    return render_list(items, len(texts) - MOST)


def _item(code: str, value: str | list[str], portal: Portal) -> Markup:
    text = value if isinstance(value, str) else ", ".join(value)
    name = language_name(code, portal)
    if len(text) <= _SHORT:
        return Markup('{}: <span lang="{}">{}</span>').format(name, code, text)
    parts = (Markup("<p>{}</p>").format(part) for part in text.split("\n\n"))
    return Markup('<details><summary>{}</summary><div lang="{}">{}</div></details>').format(
        name, code, Markup("").join(parts)
    )


def language_name(code: str, portal: Portal) -> str:
    """Return a language's name in the reader's language; the code if it has none."""
    name = str(portal.locale.languages.get(code.partition("-")[0]) or code)
    return name[:1].upper() + name[1:]


# Facet → field of the search index. CKAN's schema has vocab_* for tags of vocabularies: untokenised
# texts, several for each dataset. The type of organisation is one text, and named as on data.gov.
INDEXED = {
    **{
        name: f"vocab_ukharvest_{name}"
        for name in (*fields.FACETS, "part_of", "data_check", "stars")
    },
    "organization_type": organization_types.KEY,
}


def all_facets() -> str:
    """Return the names of all facets, as a setting has them: the default of that setting."""
    return " ".join(INDEXED)


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


Renderer = Callable[[Any, Portal], Markup]


def _each(split: Callable[[Any], list[str]], make: Callable[[str, Portal], _Item]) -> Renderer:
    """Return a renderer of a value as stored, or of a list, as the portal's own forms send it.

    Args:
        split: value → its parts.
        make: returns the item of a part.
    """

    def render(value: Any, portal: Portal) -> Markup:
        parts = split(truncate(value))
        items = [_markup(make(text, portal), portal) for text in parts[:MOST]]
        return render_list(items, len(parts) - MOST)

    return render


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


def listed_label(url: str, name: str) -> str:
    """Return a value's label in a list, such as schemas; of other URLs the end and the host.

    Other text is unchanged: visitors may search for anything.
    """
    label = vocabulary.label(name, url) if name else ""
    if label or not is_web_url(url):
        return label or url
    end = "/".join(urlsplit(url).path.strip("/").split("/")[-2:])
    return f"{end} ({host(url)})" if end else url


def _theme(text: str, portal: Portal) -> _Item:
    if name := theme_names.find(text):
        title = portal.translate(theme_names.title(name))
        return _Item(title, search=portal.search(INDEXED["theme"], name))
    return _other(text, is_listed=False)


def _local(value: Any, *, kind: str) -> list[str]:
    identifiers = parse_local_government(value, kind)
    return [*identifiers.functions, *identifiers.services, *identifiers.others]


def _of_local(text: str, portal: Portal) -> _Item:
    if not text.startswith("http://id.esd.org.uk/"):
        return _other(text, is_listed=False)
    path = local_government_lists.path(text)
    search = portal.search(INDEXED["function" if "/function/" in text else "service"], text)
    return _Item(lga_label(text), bool(path), path[:-1], text, search)


def render_listed(name: str, facet: str, *, is_address: bool) -> Renderer:
    """Return a renderer of values in a list: labels, with links to a search and the URLs.

    Args:
        name: of the list, "" for none.
        facet: of the field, "" for none: then there is no search.
        is_address: the field has URLs, else one name.
    """
    split = addresses if is_address else lambda value: [str(value)]
    return _each(split, partial(_listed_value, name=name, facet=facet))


def _listed_value(text: str, portal: Portal, *, name: str, facet: str) -> _Item:
    known = vocabulary.load(name) if name else None
    entry = vocabulary.row(name, text) if name else None
    item = _other(text)
    if known and entry:
        item = replace(item, label=known.label(entry))
        text = known.key(entry)
    if facet and (entry or item.address):
        return replace(item, search=portal.search(INDEXED[facet], text))
    return item


def _subject(text: str, _portal: Portal) -> _Item:
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


render_themes = _each(names, _theme)
render_functions = _each(partial(_local, kind=local_government_lists.FUNCTION), _of_local)
render_services = _each(partial(_local, kind=local_government_lists.SERVICE), _of_local)
render_subjects = _each(addresses, _subject)
render_inspire_themes = _each(
    names, lambda text, _portal: _Item(text, address=_inspire_addresses().get(text, ""))
)


def render_interval(value: Any, portal: Portal) -> Markup:
    """Return how often data is updated, from an interval of ISO 8601."""
    return escape(frequencies.frequency_label(str(value), portal.translate))


def render_flag(value: Any, portal: Portal) -> Markup:
    """Return "yes" or "no"."""
    text = "yes" if is_yes(str(value)) else "no"  # outside: Babel would join the two
    return escape(portal.translate(text))


def render_licence(value: str, _portal: Portal) -> Markup:
    """Return a licence's URL as a link with its name."""
    licence = licences.find(value)
    return render_link_or_text(value, licence.title if licence else "")


def _other(text: str, *, is_listed: bool = True) -> _Item:
    """Return an unlisted value: a law by its name, other text unchanged."""
    if is_web_url(text):
        return _Item(_law(text) or text, is_listed, address=text)
    return _Item(text, is_listed)


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
        is_named = item.label == item.address
        notes.append(_out(item.address, portal.translate("URL") if is_named else name, item))
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
