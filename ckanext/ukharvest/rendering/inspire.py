"""Render values of GEMINI's and INSPIRE's extras, and group a dataset's resources."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from babel import Locale
from markupsafe import Markup, escape

from ckanext.ukharvest.core.values import coordinate_systems, frequencies, languages, link_protocols
from ckanext.ukharvest.core.values.stars import NOT_DATA
from ckanext.ukharvest.core.values.web_addresses import is_web_url, parse_email
from ckanext.ukharvest.rendering import values
from ckanext.ukharvest.rendering.source_record import format_code
from ckanext.ukharvest.rendering.values import (
    MOST,
    Portal,
    parse_json,
    render_extra,
    render_link,
    render_list,
)

# Text for code values whose own names would not be clear.
CODES = {
    "nonGeographicDataset": "Dataset that is not about places",
    "creation": "Created",
    "publication": "Published",
    "revision": "Revised",
    "noLimitations": "No limitations on public access",
}
# The register's own words for it, which records have as well.
_NO_LIMITATIONS = ("no limitations to public access", "no limitations on public access")
_CODE_LIST = "://inspire.ec.europa.eu/metadata-codelist/"


def code(text: str, portal: Portal) -> str:
    """Return a code list value as text: "Point of contact" for ``pointOfContact``."""
    words = CODES.get(text) or format_code(text, "")
    return portal.translate(words[:1].upper() + words[1:])


def render_codes(text: str, portal: Portal) -> Markup:
    """Return the values of a code list as text."""
    codes = _list(text)
    return render_list([escape(code(item, portal)) for item in codes[:MOST]], len(codes) - MOST)


def _list(text: str) -> list[str]:
    """Return the texts of a JSON list; other text is a list of one."""
    items = items_of(text)
    return [str(item) for item in items if item] if items is not None else [text]


def items_of(text: str) -> list[Any] | None:
    """Return the items of a JSON list, None if it is none."""
    items = None
    with contextlib.suppress(ValueError, RecursionError):
        items = parse_json(text) if text[:1] == "[" else None
    return items if isinstance(items, list) else None


def _objects(items: list[Any]) -> list[dict[str, Any]]:
    return [item for item in items[:MOST] if isinstance(item, dict)]


def render_day(text: str, portal: Portal) -> Markup:
    """Return a date as text, a URL as a link."""
    return render_extra(text) if is_web_url(text) else escape(values.format_iso_date(text, portal))


def render_dates(text: str, portal: Portal) -> Markup:
    """Return "Created February 2004; revised 3 July 2006"."""
    items = items_of(text)
    if items is None:
        return render_day(text, portal)
    texts = []
    for item in _objects(items):
        kind = code(str(item.get("type") or ""), portal)
        date = values.format_iso_date(str(item.get("value") or ""), portal)
        texts.append(f"{kind} {date}".strip())
    first, *others = texts or [""]
    return escape("; ".join([first, *(other[:1].lower() + other[1:] for other in others)]))


def render_frequency(text: str, portal: Portal) -> Markup:
    """Return the frequency in words, from ISO's code or an interval."""
    label = ""
    with contextlib.suppress(ValueError):
        interval = frequencies.parse_frequency(text)
        label = frequencies.frequency_label(interval, portal.translate)
    return escape(label or text)


def render_languages(text: str, portal: Portal) -> Markup:
    """Return the names of languages by their codes."""
    codes = _list(text) if text[:1] == "[" else re.split(r"[,;]\s*", text)
    return escape(", ".join(_language(code_, portal.locale) for code_ in codes if code_))


def _language(text: str, locale: Locale) -> str:
    try:
        tag = languages.parse_language(text)
    except ValueError:
        return text
    name = locale.languages.get(tag.replace("-", "_")) or locale.languages.get(tag.split("-")[0])
    return str(name or text)


def render_system(text: str, _portal: Portal) -> Markup:
    """Return the title of a coordinate system, or its text."""
    system = coordinate_systems.find(text) if len(text) < 300 else None
    return escape(system.title) if system else render_extra(text)


def render_systems(text: str, portal: Portal) -> Markup:
    """Return each coordinate system with its code: British National Grid (EPSG:27700)."""
    items = items_of(text)
    if items is None:
        return render_system(text, portal)
    names = dict.fromkeys(map(_name, _objects(items)))
    return render_list(list(filter(None, names)), len(items) - MOST)


def _name(system: Mapping[str, Any]) -> Markup:
    text, number = str(system.get("code") or ""), str(system.get("epsg") or "")
    name = str(system.get("name") or text)
    if not number and name == text:
        return render_system(text, Portal())
    number = number or text
    return escape(name if number in name else f"{name} ({number})")


def render_parties(text: str, portal: Portal) -> Markup:
    """Return organisations with their roles, one per line."""
    items = items_of(text)
    if items is None:
        return render_list([escape(party) for party in _named(text, portal)])
    parties = [_party(item, portal) for item in _objects(items)]
    return render_list(list(filter(None, parties)), len(items) - MOST)


def _party(party: Mapping[str, Any], portal: Portal) -> Markup:
    url, name = str(party.get("url") or ""), str(party.get("name") or "")
    head = render_link(url, name or url) if is_web_url(url) else escape(name)
    named = party.get("roles") or party.get("role") or ""
    text = ", ".join(map(str, named)) if isinstance(named, list) else str(named)
    roles = ", ".join(code(role, portal).lower() for role in re.split(r",\s*", text) if role)
    if roles:
        head = (Markup("{} ({})") if head else Markup("{}{}")).format(head, roles)
    mail = mail_to(str(party.get("email") or ""))
    return Markup(", ").join(filter(None, (head, mail)))


def _named(text: str, portal: Portal) -> Iterator[str]:
    """Return parties that data.gov.uk stored: "Name (role, role); Name2 (role)"."""
    for party in filter(None, text.split("; ")):
        match = re.fullmatch(r"(.+?) \(([A-Za-z]+(?:, [A-Za-z]+)*)\)", party)
        roles = (code(role, portal).lower() for role in match[2].split(", ")) if match else ()
        yield f"{match[1]} ({', '.join(roles)})" if match else party


def mail_to(text: str) -> Markup:
    """Return an email address as a link, other text unchanged."""
    try:
        address = parse_email(text)
    except ValueError:
        return escape(text)
    return Markup('<a href="mailto:{0}">{0}</a>').format(address)


def render_constraints(text: str, portal: Portal) -> Markup:
    """Return constraints, one per line; INSPIRE's URIs of "no limitations" and the like as text."""
    items = _list(text)
    return render_list([_constraint(item, portal) for item in items[:MOST]], len(items) - MOST)


def _constraint(text: str, portal: Portal) -> Markup:
    if is_web_url(text) and _CODE_LIST in text:
        return render_link(text, code(text.rstrip("/").rpartition("/")[2], portal))
    if text.strip(" .").casefold() in _NO_LIMITATIONS:
        return escape(code("noLimitations", portal))
    # A code of ISO 19115 has no blanks and an inner capital: otherRestrictions.
    is_code = re.fullmatch(r"[a-z]+(?:[A-Z][a-z]+)+|license|licence|copyright|restricted", text)
    return escape(code(text, portal)) if is_code else render_extra(text)


Resource = Mapping[str, Any]

DATA, SERVICES, DOCUMENTATION = "data", "services", "documentation"
HEADINGS = {DATA: "Data", SERVICES: "Services", DOCUMENTATION: "Documentation"}

_SERVICE = ("service", "api")
# DD/MM/YYYY, as data.gov.uk had publishers write it, and ISO 8601.
_DAY_FIRST = re.compile(r"(?:(?:(\d{1,2})/)?(\d{1,2})/)?(\d{4})", re.ASCII)
_YEAR_FIRST = re.compile(r"(\d{4})(?:[-/](\d{1,2})(?:[-/](\d{1,2}))?)?(?!\d)", re.ASCII)
_LEAST = 2  # dated resources that make a time series


@dataclass(frozen=True, slots=True)
class Year:
    """The resources of one year, newest first."""

    year: int
    resources: tuple[Resource, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Resources of one kind.

    Attributes:
        kind: DATA, SERVICES or DOCUMENTATION.
        resources: those without a year, in the dataset's order.
        years: newest first; () if there is no time series.
    """

    kind: str
    resources: tuple[Resource, ...]
    years: tuple[Year, ...] = ()

    @property
    def heading(self) -> str:
        """English, to be translated."""
        return HEADINGS[self.kind]

    @property
    def count(self) -> int:
        return len(self.resources) + sum(len(year.resources) for year in self.years)


def groups(resources: Iterable[Resource]) -> list[Group]:
    """Return the groups that have any resources, in the order of the page."""
    kinds: dict[str, list[Resource]] = {kind: [] for kind in HEADINGS}
    for resource in resources:
        kinds[kind_of(resource)].append(resource)
    return [
        _by_year(members) if kind == DATA else Group(kind, tuple(members))
        for kind, members in kinds.items()
        if members
    ]


def kind_of(resource: Resource) -> str:
    """Return DATA, SERVICES or DOCUMENTATION."""
    word = str(resource.get("resource_type") or "").strip().lower()
    is_of_a_service = not word and str(resource.get("format") or "") in link_protocols.SERVICES
    if word in _SERVICE or is_of_a_service:
        return SERVICES
    return DOCUMENTATION if word in NOT_DATA else DATA


def _by_year(resources: Sequence[Resource]) -> Group:
    dated = [(when, resource) for resource in resources if (when := _date(resource))]
    if len(dated) < _LEAST:
        return Group(DATA, tuple(resources))
    dated.sort(key=lambda pair: pair[0], reverse=True)
    years = [
        Year(year, tuple(resource for when, resource in dated if when[0] == year))
        for year in dict.fromkeys(when[0] for when, _ in dated)
    ]
    undated = tuple(resource for resource in resources if not _date(resource))
    return Group(DATA, undated, tuple(years))


def _date(resource: Resource) -> tuple[int, int, int] | None:
    """Return year, month and day of a resource's data; 0 for unknown parts."""
    text = str(resource.get("date") or "").strip()
    if match := _DAY_FIRST.fullmatch(text):
        day, month, year = match.groups()
    elif match := _YEAR_FIRST.match(text):
        year, month, day = match.groups()
    else:
        return None
    return int(year), int(month or 0), int(day or 0)
