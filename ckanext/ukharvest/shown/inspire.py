"""Values of GEMINI's and INSPIRE's extras as people read them: words for codes, names for lists.

Every text comes from a stranger: it is escaped, and only web addresses become links.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from babel import Locale
from markupsafe import Markup, escape

from ckanext.ukharvest.core import crs, frequencies, languages
from ckanext.ukharvest.core.web import is_web_url, parse_email
from ckanext.ukharvest.shown import days
from ckanext.ukharvest.shown.facts import MOST, from_json, link, listed, short, shown
from ckanext.ukharvest.shown.portal import Portal
from ckanext.ukharvest.source_record.values import code_in_words

Facts = Mapping[str, str]

# Values of code lists in their own words, where those of the code would not be clear.
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


def value(key: str, facts: Facts, portal: Portal) -> Markup:
    """Return the value of one of KEYS as markup; "" where it says nothing."""
    return KEYS[key](facts[key], portal)


def code(text: str, portal: Portal) -> str:
    """Return a value of a code list in words: "Point of contact" for ``pointOfContact``."""
    words = CODES.get(text) or code_in_words(text, "")
    return portal.translate(words[:1].upper() + words[1:])


def _code(text: str, portal: Portal) -> Markup:
    return escape(code(text, portal))


def _codes(text: str, portal: Portal) -> Markup:
    found = _list(text)
    return listed([_code(each, portal) for each in found[:MOST]], len(found) - MOST)


def _list(text: str) -> list[str]:
    """The texts of a JSON list; other text is one."""
    found = _objects(text)
    return [str(each) for each in found if each] if found is not None else [text]


def _objects(text: str) -> list[Any] | None:
    if text[:1] == "[":
        with contextlib.suppress(ValueError, RecursionError):
            found = from_json(text)
            return found if isinstance(found, list) else None
    return None


def _day(text: str, portal: Portal) -> Markup:
    return shown(text) if is_web_url(text) else escape(days.in_words(text, portal))


def _dates(text: str, portal: Portal) -> Markup:
    """Say "Created February 2004; revised 3 July 2006"."""
    found = _objects(text)
    if found is None:
        return _day(text, portal)
    said = []
    for each in filter(_is_object, found[:MOST]):
        kind = code(str(each.get("type") or ""), portal)
        said.append(f"{kind} {days.in_words(str(each.get('value') or ''), portal)}".strip())
    first, *others = said or [""]
    return escape("; ".join([first, *(each[:1].lower() + each[1:] for each in others)]))


def _is_object(each: Any) -> bool:
    return isinstance(each, dict)


def _frequency(text: str, portal: Portal) -> Markup:
    return escape(frequency(text, portal))


def frequency(text: str, portal: Portal) -> str:
    """Return how often data is renewed, whether ISO's code or an interval says so."""
    try:
        known = frequencies.frequency_label(frequencies.parse_frequency(text))
    except ValueError:
        known = ""
    return portal.translate(known) if known else text


def _languages(text: str, portal: Portal) -> Markup:
    given = _list(text) if text[:1] == "[" else re.split(r"[,;]\s*", text)
    return escape(", ".join(_language(each, portal.locale) for each in given if each))


def _language(text: str, locale: Locale) -> str:
    try:
        tag = languages.parse_language(text)
    except ValueError:
        return text
    name = locale.languages.get(tag.replace("-", "_")) or locale.languages.get(tag.split("-")[0])
    return str(name or text)


def _system(text: str, _portal: Portal) -> Markup:
    found = crs.find(text) if len(text) < 300 else None
    return escape(found.title) if found else shown(text)


def _systems(text: str, portal: Portal) -> Markup:
    """Name each by its authority's name and number: British National Grid (EPSG:27700)."""
    found = _objects(text)
    if found is None:
        return _system(text, portal)
    names = dict.fromkeys(_name(each) for each in found[:MOST] if _is_object(each))
    return listed([name for name in names if name], len(found) - MOST)


def _name(system: Mapping[str, Any]) -> Markup:
    said, number = str(system.get("code") or ""), str(system.get("epsg") or "")
    name = str(system.get("name") or said)
    if number or name != said:
        number = number or said
        return escape(f"{name} ({number})" if number not in name else name)
    return _system(said, Portal())


def _parties(text: str, portal: Portal) -> Markup:
    """Name organisations with what they are to the data, one a line."""
    found = _objects(text)
    if found is None:
        return listed([escape(each) for each in _named(text, portal)])
    parties = [_party(each, portal) for each in found[:MOST] if _is_object(each)]
    return listed([each for each in parties if each], len(found) - MOST)


def _party(party: Mapping[str, Any], portal: Portal) -> Markup:
    url, name = str(party.get("url") or ""), str(party.get("name") or "")
    head = link(url, name or short(url)) if is_web_url(url) else escape(name)
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
    """Parties as data.gov.uk wrote them: "Name (role, role); Name2 (role)"."""
    for each in filter(None, text.split("; ")):
        match = re.fullmatch(r"(.+?) \(([A-Za-z]+(?:, [A-Za-z]+)*)\)", each)
        if match:
            roles = ", ".join(code(role, portal).lower() for role in match[2].split(", "))
            yield f"{match[1]} ({roles})"
        else:
            yield each


def mail_to(text: str) -> Markup:
    """Return an e-mail address with a link, other text as it is."""
    try:
        address = parse_email(text)
    except ValueError:
        return escape(text)
    return Markup('<a href="mailto:{0}">{0}</a>').format(address)


def _constraints(text: str, portal: Portal) -> Markup:
    """One a line; INSPIRE's own addresses of "no limitations" and the like in words."""
    found = _list(text)
    return listed([_constraint(each, portal) for each in found[:MOST]], len(found) - MOST)


def _constraint(text: str, portal: Portal) -> Markup:
    if is_web_url(text) and _CODE_LIST in text:
        return link(text, code(text.rstrip("/").rpartition("/")[2], portal))
    return shown(text) if is_web_url(text) or text[:1] in "[{" else _code_or_text(text, portal)


def _code_or_text(text: str, portal: Portal) -> Markup:
    # A code of ISO 19115 has no blanks and a capital within: otherRestrictions.
    is_code = re.fullmatch(r"[a-z]+(?:[A-Z][a-z]+)+|license|licence|copyright|restricted", text)
    return escape(code(text, portal)) if is_code else shown(text)


KEYS: dict[str, Callable[[str, Portal], Markup]] = {
    "metadata-date": _day,
    "data_issued": _day,
    "data_modified": _day,
    "date_update_future": _day,
    "dataset-reference-date": _dates,
    "frequency-of-update": _frequency,
    "language": _languages,
    "metadata-language": _languages,
    "spatial-reference-system": _system,
    "spatial-reference-systems": _systems,
    "responsible-party": _parties,
    "responsible-organisation": _parties,
    "distributor": _parties,
    "metadata-contact": _parties,
    **dict.fromkeys(
        ("access_constraints", "limitations-on-public-access", "access-restrictions"), _constraints
    ),
    "use-restrictions": _constraints,
    **dict.fromkeys(
        ("resource-type", "spatial-data-service-type", "spatial-representation-type"), _codes
    ),
    **dict.fromkeys(("topic-category", "progress", "quality-scope"), _codes),
    "security-classification": _codes,
    **dict.fromkeys(
        ("contact-email", "dcat_publisher_email", "metadata-contact-email", "foi-email"),
        lambda text, _portal: mail_to(text),
    ),
}
