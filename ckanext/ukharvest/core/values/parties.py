"""People and bodies of a dataset: those without a field of their own, and the bodies above one.

Those without a field are in the extra of GEMINI's responsible parties: a JSON list of objects with
name, email, url and roles (codes of ISO 19115's CI_RoleCode, or the format's own terms).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice

from ckanext.ukharvest.core.records import Agent
from ckanext.ukharvest.core.values.markup import plain_line
from ckanext.ukharvest.core.values.text import Repaired
from ckanext.ukharvest.core.values.web_addresses import is_web_url, parse_email

EXTRA = "responsible-organisation"
PUBLISHER, CONTACT, AUTHOR = "publisher", "pointOfContact", "author"
_MAX_LEVELS = 10  # above a body; real governments need four


def parse_agent(text: str) -> Agent:
    """Return a person or body given as one text: a name, an email address, both, or a URL.

    "Ann Bee <ann@council.example>" has a name and an address; a URL is the body's own.
    """
    if "@" not in text:
        return Agent(url=text) if is_web_url(text) else Agent(name=plain_line(text))
    try:
        email = parse_email(text)
    except ValueError:
        return Agent(name=plain_line(text))
    return Agent(plain_line(text.partition("<")[0]) if "<" in text else "", email)


def read_agent(name: str, email: str, url: str, report: Callable[[str, str], None]) -> Agent:
    """Return a person or body of which a format has several fields: the reader of every format.

    A page in place of the email address is the contact page, and the name may be a text with an
    address, as ``parse_agent`` reads it.

    Args:
        report: called with code and text of a problem with the email address.
    """
    named, address = parse_agent(name), ""
    try:
        address = parse_email(email) if email and not is_web_url(email) else ""
    except Repaired as exc:
        report(exc.code, str(exc))
        address = exc.repaired
    except ValueError as exc:
        report("bad-email", str(exc))
    page = url or (email if is_web_url(email) else "")
    is_told_twice = named.email not in ("", address) if address else named.url not in ("", page)
    own_name = named.name or (plain_line(name) if is_told_twice and (address or page) else "")
    return Agent(own_name, address or named.email, page or named.url)


def other_parties(agents: Iterable[Agent | None], *first: Agent | None) -> dict[str, str]:
    """Return the extra for agents that have no field of their own, {} if there are none.

    Args:
        agents: with their roles; one in several roles is listed once.
        first: the record's publisher, contact and author, with their roles; not repeated.
    """
    roles: dict[Agent, dict[str, None]] = {}
    for agent in agents:
        if agent and agent not in first and (bare := replace(agent, role="")) != Agent():
            roles.setdefault(bare, {})[agent.role] = None
    facts = [_facts(agent, ", ".join(filter(None, names))) for agent, names in roles.items()]
    return {EXTRA: json.dumps(facts, ensure_ascii=False)} if facts else {}


def with_role(agents: Iterable[Agent | None], role: str) -> list[Agent]:
    """Return agents in a role, without empty ones."""
    return [replace(agent, role=role) for agent in agents if agent and agent != Agent()]


def body_hierarchy(names: Iterable[str]) -> str:
    """Return a body and its parent bodies as "A > B > C", the topmost first; "" without parents.

    Args:
        names: of the body, of its parent, and so on; read up to a level that no government needs.
    """
    levels = list(islice(names, _MAX_LEVELS + 1))
    return " > ".join(filter(None, reversed(levels))) if len(levels) > 1 else ""


def _facts(agent: Agent, roles: str) -> dict[str, str]:
    facts = {"name": agent.name, "email": agent.email, "url": agent.url, "roles": roles}
    return {name: text for name, text in facts.items() if text}
