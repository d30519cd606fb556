"""Fields shared by datasets and distributions of data.json: people and terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Agent, Licence, Pairs, Texts, collect_translations
from ckanext.ukharvest.core.values import parties
from ckanext.ukharvest.core.values.licences import read_licence
from ckanext.ukharvest.core.values.markup import plain_line
from ckanext.ukharvest.core.values.text import is_redacted, shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url, read_phone
from ckanext.ukharvest.parsers import table
from ckanext.ukharvest.parsers.json_fields import (
    Fields,
    map_pairs,
    value_text,
    value_texts,
    value_url,
)


def people(fields: Fields) -> dict[str, Any]:
    """Return publisher, contact and author, and extras: all others, parent bodies, the phone."""
    bodies = list(_parts(fields, "publisher"))
    publishers = [_agent(part, "publisher") for part in bodies]
    contacts, phone = _contacts(fields)
    authors = [_agent(part, "creator") for part in _parts(fields, "creator")]
    hierarchy = parties.body_hierarchy(_names_upwards(bodies[0])) if bodies else ""
    more = parties.other_parties(
        [
            *parties.with_role(publishers[1:], parties.PUBLISHER),
            *parties.with_role(contacts[1:], parties.CONTACT),
            *parties.with_role(authors[1:], parties.AUTHOR),
        ]
    )
    return {
        "publisher": _first(publishers),
        "contact": _first(contacts),
        "author": _first(authors),
        "extras": {"publisher_hierarchy": hierarchy, "contact-phone": phone, **more},
    }


def _first(agents: list[Agent]) -> Agent | None:
    return agents[0] if agents and agents[0] != Agent() else None


def _agent(part: Fields | str, owner: str) -> Agent:
    if isinstance(part, str):
        return parties.parse_agent(part)
    key, email = _email(part, owner)
    return parties.read_agent(_name(part), email, _url(part), part.reporter(key, email))


def _names_upwards(body: Fields | str) -> Iterator[str]:
    """Yield the names of a body and of those above it, those of one level together."""
    bodies = [body]
    while bodies:
        yield ", ".join(
            plain_line(part) if isinstance(part, str) else _name(part) for part in bodies
        )
        parts = [part for part in bodies if isinstance(part, Fields)]
        bodies = [above for part in parts for above in _parts(part, "subOrganizationOf")]


def _contacts(fields: Fields) -> tuple[list[Agent], str]:
    """Return the contacts with the bodies that they name, the one that is used first, and a phone.

    Project Open Data 1.0 has a name and a separate ``mbox``, data.gov.uk's guide ``contactEmail``,
    DCAT-US 3 lists: the first contact with an email address is used.
    """
    agents, bodies, phones = [], [], []
    for part in _parts(fields, "contactPoint"):
        if isinstance(part, str):
            report = fields.reporter("contactPoint", part)
            name, email = ("", part) if "@" in part and "<" not in part else (part, "")
            agents.append(parties.read_agent(name, email, "", report))
            continue
        key, email = _email(part, "contactPoint")
        report, page = part.reporter(key, email), _url(part, "hasURL")
        agents.append(agent := parties.read_agent(_name(part), email, page, report))
        bodies += [Agent(body)] if (body := _body(part)) != agent.name else []
        phones.append(
            part.text("tel") or value_text(part.get("hasTelephone")) or part.text("phone")
        )
    contact = next((agent for agent in agents if agent.email), None) or next(iter(agents), Agent())
    others = [agent for agent in agents if agent is not contact]
    if not contact.email:
        key = "mbox" if fields.has("mbox") else "contactEmail"
        report = fields.reporter(key, email := fields.first(key))
        contact = parties.read_agent(contact.name, email, contact.url, report)
    return [contact, *others, *bodies], read_phone(next(filter(None, phones), ""))


def _parts(fields: Fields, key: str) -> Iterator[Fields | str]:
    for part in fields.objects(key) if fields.get(key) else ():
        if isinstance(part, Fields) or not is_redacted(part):
            yield part


def _name(part: Fields) -> str:
    keys = ("name", "fn", "prefLabel")
    names = [plain_line(value_text(part.get(key))) for key in keys]
    names.append(" ".join(filter(None, map(part.text, ("given-name", "family-name")))))
    names += [plain_line(value_text(part.get(key))) for key in ("title", "organization-name")]
    return next((name for name in names if name and not is_redacted(name)), "") or _body(part)


# Under which a contact or an agent has its body, as a text or an object with a name.
_BODIES = ("organization-name", "hasOrganization", "organization", "organisation", "org", "agent")


def _body(part: Fields) -> str:
    names = (plain_line(value_text(part.data.get(key))) for key in _BODIES)
    return next((name for name in names if name and not is_redacted(name)), "")


def _url(part: Fields, *keys: str) -> str:
    for key in (*keys, "homepage", "url", "uri"):
        if part.has(key) and (url := part.url(key)):
            return url
    text = value_text(part.get("@id"))
    return text if is_web_url(text) else ""


def _email(part: Fields, owner: str) -> tuple[str, str]:
    """Return field and text of the email address."""
    for key in ("hasEmail", "mbox", "email"):
        text = value_url(part.get(key)) if not isinstance(part.get(key), list) else part.text(key)
        if not text or is_redacted(text.removeprefix("mailto:")):
            continue
        is_bare = "@" in text and text[:7].lower() != "mailto:"
        if key == "hasEmail" and owner == "contactPoint" and is_bare:
            part.report(
                "email-without-mailto",
                key,
                Message("'{text}' does not begin with mailto:", text=shorten(text, 60)),
            )
        return key, text
    return "hasEmail", ""


def translations(fields: Fields, kind: type[Texts], names: Mapping[str, str]) -> dict[str, Texts]:
    """Return texts by language of fields that are language maps, or have one (``titleMap``).

    Args:
        kind: Translation or ResourceTranslation.
        names: name of a field → attribute of ``kind``.
    """
    data = fields.data
    pairs: dict[str, Pairs] = {
        name: chain(map_pairs(data.get(key), name), map_pairs(data.get(f"{key}Map"), name))
        for key, name in names.items()
    }
    is_apart = fields.has(*(f"{key}Map" for key in names))
    # Beside a map stands the main text, which is in another language.
    return collect_translations(kind, pairs, least=1 if is_apart else 2)


# Terms beside the licence: of POD 1.1 and DCAT-US 3, of POD 1.0, and of the portals' own.
TERMS = ("rights", "accessRights", "accessLevelComment", "usageNotes", "access_constraints")


def licence(fields: Fields, names: tuple[str, ...] = ("license", "licence")) -> Licence | None:
    """Return the licence of a dataset or distribution; report an unknown one and keep its text."""
    key, misnamed = names
    if not fields.has(key) and fields.has(misnamed):
        key = misnamed
        fields.report("misnamed-field", key, Message("expected under the name license"))
    value = fields.get(key)
    values = value if isinstance(value, list) else [value]
    if isinstance(value, list):
        fields.text(key)
    texts = [text for item in values for text in (value_url(item), *value_texts(item)) if text]
    return read_licence(texts, fields.reporter(key), table.texts(fields, TERMS))
