"""Render values of GEMINI's and INSPIRE's extras: text for codes, names for lists.

Every text is untrusted: it is escaped, and only web URLs become links.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from babel import Locale
from markupsafe import Markup, escape

from ckanext.ukharvest.core.values import coordinate_systems, frequencies, languages
from ckanext.ukharvest.core.values.web_addresses import is_web_url, parse_email
from ckanext.ukharvest.presentation.rendering import dates as days
from ckanext.ukharvest.presentation.rendering.facts import (
    MOST,
    parse_json,
    render_extra,
    render_link,
    render_list,
    shorten_url,
)
from ckanext.ukharvest.presentation.rendering.portal_values import Portal
from ckanext.ukharvest.presentation.rendering.source_record.values import format_code

# Text for code values whose own names would not be clear.
CODES = {
    "nonGeographicDataset": "Dataset that is not about places",
    "creation": "Created",
    "publication": "Published",
    "revision": "Revised",
    "view": "View",
    "download": "Download",
    "discovery": "Discovery",
    "transformation": "Transformation",
    "invoke": "Invoke",
    "noLimitations": "No limitations on public access",
}
_CODE_LIST = "://inspire.ec.europa.eu/metadata-codelist/"


def code(text: str, portal: Portal) -> str:
    """Return a code list value as text: "Point of contact" for ``pointOfContact``."""
    words = CODES.get(text) or format_code(text, "")
    return portal.translate(words[:1].upper() + words[1:])


def _code(text: str, portal: Portal) -> Markup:
    return escape(code(text, portal))


def render_codes(text: str, portal: Portal) -> Markup:
    """Return the values of a code list as text."""
    found = _list(text)
    return render_list([_code(each, portal) for each in found[:MOST]], len(found) - MOST)


def _list(text: str) -> list[str]:
    """Return the texts of a JSON list; other text is a list of one."""
    found = _objects(text)
    return [str(each) for each in found if each] if found is not None else [text]


def _objects(text: str) -> list[Any] | None:
    if text[:1] == "[":
        with contextlib.suppress(ValueError, RecursionError):
            found = parse_json(text)
            return found if isinstance(found, list) else None
    return None


def render_day(text: str, portal: Portal) -> Markup:
    """Return a date as text, a URL as a link."""
    return render_extra(text) if is_web_url(text) else escape(days.format_iso_date(text, portal))


def render_dates(text: str, portal: Portal) -> Markup:
    """Return "Created February 2004; revised 3 July 2006"."""
    found = _objects(text)
    if found is None:
        return render_day(text, portal)
    said = []
    for each in filter(_is_object, found[:MOST]):
        kind = code(str(each.get("type") or ""), portal)
        said.append(f"{kind} {days.format_iso_date(str(each.get('value') or ''), portal)}".strip())
    first, *others = said or [""]
    return escape("; ".join([first, *(each[:1].lower() + each[1:] for each in others)]))


def _is_object(each: Any) -> bool:
    return isinstance(each, dict)


def render_frequency(text: str, portal: Portal) -> Markup:
    """Return the frequency in words, from ISO's code or an interval."""
    try:
        known = frequencies.frequency_label(frequencies.parse_frequency(text))
    except ValueError:
        known = ""
    return escape(portal.translate(known) if known else text)


def render_languages(text: str, portal: Portal) -> Markup:
    """Return the names of languages by their codes."""
    given = _list(text) if text[:1] == "[" else re.split(r"[,;]\s*", text)
    return escape(", ".join(_language(each, portal.locale) for each in given if each))


def _language(text: str, locale: Locale) -> str:
    try:
        tag = languages.parse_language(text)
    except ValueError:
        return text
    name = locale.languages.get(tag.replace("-", "_")) or locale.languages.get(tag.split("-")[0])
    return str(name or text)


def render_system(text: str, _portal: Portal) -> Markup:
    """Return the title of a coordinate system, or its text."""
    found = coordinate_systems.find(text) if len(text) < 300 else None
    return escape(found.title) if found else render_extra(text)


def render_systems(text: str, portal: Portal) -> Markup:
    """Return each coordinate system with its code: British National Grid (EPSG:27700)."""
    found = _objects(text)
    if found is None:
        return render_system(text, portal)
    names = dict.fromkeys(_name(each) for each in found[:MOST] if _is_object(each))
    return render_list([name for name in names if name], len(found) - MOST)


def _name(system: Mapping[str, Any]) -> Markup:
    said, number = str(system.get("code") or ""), str(system.get("epsg") or "")
    name = str(system.get("name") or said)
    if number or name != said:
        number = number or said
        return escape(f"{name} ({number})" if number not in name else name)
    return render_system(said, Portal())


def render_parties(text: str, portal: Portal) -> Markup:
    """Return organisations with their roles, one per line."""
    found = _objects(text)
    if found is None:
        return render_list([escape(each) for each in _named(text, portal)])
    parties = [_party(each, portal) for each in found[:MOST] if _is_object(each)]
    return render_list([each for each in parties if each], len(found) - MOST)


def _party(party: Mapping[str, Any], portal: Portal) -> Markup:
    url, name = str(party.get("url") or ""), str(party.get("name") or "")
    head = render_link(url, name or shorten_url(url)) if is_web_url(url) else escape(name)
    roles = [code(each, portal).lower() for each in re.split(r",\s*", _roles(party)) if each]
    mail = mail_to(str(party.get("email") or ""))
    if roles:
        words = Markup("{} ({})") if head else Markup("{}{}")
        head = words.format(head, ", ".join(roles))
    return Markup(", ").join(each for each in (head, mail) if each)


def _roles(party: Mapping[str, Any]) -> str:
    roles = party.get("roles") or party.get("role") or ""
    return ", ".join(map(str, roles)) if isinstance(roles, list) else str(roles)


def _named(text: str, portal: Portal) -> Iterator[str]:
    """Return parties that data.gov.uk stored: "Name (role, role); Name2 (role)"."""
    for each in filter(None, text.split("; ")):
        match = re.fullmatch(r"(.+?) \(([A-Za-z]+(?:, [A-Za-z]+)*)\)", each)
        if match:
            roles = ", ".join(code(role, portal).lower() for role in match[2].split(", "))
            yield f"{match[1]} ({roles})"
        else:
            yield each


def mail_to(text: str) -> Markup:
    """Return an email address as a link, other text unchanged."""
    try:
        address = parse_email(text)
    except ValueError:
        return escape(text)
    return Markup('<a href="mailto:{0}">{0}</a>').format(address)


def render_constraints(text: str, portal: Portal) -> Markup:
    """Return constraints, one per line; INSPIRE's URIs of "no limitations" and the like as text."""
    found = _list(text)
    return render_list([_constraint(each, portal) for each in found[:MOST]], len(found) - MOST)


def _constraint(text: str, portal: Portal) -> Markup:
    if is_web_url(text) and _CODE_LIST in text:
        return render_link(text, code(text.rstrip("/").rpartition("/")[2], portal))
    return (
        render_extra(text) if is_web_url(text) or text[:1] in "[{" else _code_or_text(text, portal)
    )


def _code_or_text(text: str, portal: Portal) -> Markup:
    # A code of ISO 19115 has no blanks and an inner capital: otherRestrictions.
    is_code = re.fullmatch(r"[a-z]+(?:[A-Z][a-z]+)+|license|licence|copyright|restricted", text)
    return escape(code(text, portal)) if is_code else render_extra(text)
