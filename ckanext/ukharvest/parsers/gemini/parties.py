"""Responsible parties of a GEMINI record and its resource: elements 23 and 35."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ckanext.ukharvest.core.errors import SkipRecord
from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Agent
from ckanext.ukharvest.core.values.markup import plain_line
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.core.values.web_addresses import is_web_url, parse_email
from ckanext.ukharvest.parsers.gemini.entry import Entry, json_list, without_blanks
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode

SKIP = Option(
    "skip_responsible_party",
    "list",
    (),
    "Names of organisations, as a JSON list or with semicolons between them: records with "
    "one of them as responsible organisation are skipped.",
    separator=";",
    alias="skip-responsible-party",
    label=_("Skip records of these organisations"),
    form_help=_("Records with one of them as responsible organisation are skipped."),
)
OPTIONS = (SKIP,)

# ISO 19115-3 lists a responsibility's bodies and people, 19139 has one party with all names.
_CONTACTS = ("contactInfo/*", "party/*/contactInfo/*", "party/*/individual/*/contactInfo/*")
_ORGANISATION = ("organisationName", "party/CI_Organisation/name")
_PERSON = (
    "individualName",
    "party/*/individual/*/name",
    "party/CI_Individual/name",
    "positionName",
    "party/*/individual/*/positionName",
    "party/CI_Individual/positionName",
)


@dataclass(frozen=True, slots=True)
class Party:
    """A responsible party; ``roles`` are the role codes under which it is listed."""

    organisation: str
    agent: Agent
    roles: tuple[str, ...]


def _parties(nodes: Iterable[IsoNode]) -> tuple[Party, ...]:
    """Return every party with a name or an email address, in the record's order."""
    return tuple(party for party in map(_party, nodes) if party.agent.name or party.agent.email)


def _party(node: IsoNode) -> Party:
    organisation = plain_line(node.text(*_ORGANISATION))
    roles = tuple(dict.fromkeys(node.codes("role")))
    agent = Agent(
        name=organisation or plain_line(node.text(*_PERSON)),
        email=_email(node),
        url=_page(node),
        role=roles[0] if roles else "",
    )
    return Party(organisation, agent, roles)


def _email(node: IsoNode) -> str:
    """Return the first valid email address; report the others."""
    found = ""
    for each in node.find_all(*(f"{path}/address/*/electronicMailAddress" for path in _CONTACTS)):
        said = each.own_text()
        # An Anchor may hold mailto: and the address alone.
        text = said.text or said.href
        email = each.parse_value("gmd:electronicMailAddress", text, parse_email, "bad-email")
        found = found or email
    return found


def _page(node: IsoNode) -> str:
    pages = node.texts(*(f"{path}/onlineResource/*/linkage" for path in _CONTACTS))
    return next(filter(is_web_url, pages), "")


def _read(entry: Entry) -> FieldValues:
    parties = _parties(entry.identification.find_all("pointOfContact/*"))
    _skip(parties, entry)
    metadata = _parties(entry.record.find_all("contact/*"))
    distributors = _parties(
        entry.record.find_all("distributionInfo/*/distributor/*/distributorContact/*")
    )
    owner = _of_role(parties, "owner") or _of_role(parties, "publisher")
    return {
        "publisher": _of_role(parties, "publisher"),
        "author": _of_role(parties, "author") or _of_role(parties, "originator"),
        "contact": _contact(parties, metadata),
        "extras": {
            "responsible-party": _summary(parties),
            "provider": owner.name if owner else "",
            "responsible-organisation": json_list(map(_facts, parties)),
            "distributor": json_list(map(_facts, distributors)),
            "metadata-contact": _summary(metadata),
            "metadata-contact-email": next((p.agent.email for p in metadata if p.agent.email), ""),
        },
    }


def _skip(parties: Sequence[Party], entry: Entry) -> None:
    unwanted = {name.casefold() for name in entry.options.get(SKIP.name, ())}
    for party in parties:
        if party.organisation.casefold() in unwanted:
            raise SkipRecord(
                f"'{party.organisation}' is among the responsible organisations, and the source's"
                f" option {SKIP.name} leaves its records out"
            )


def _of_role(parties: Sequence[Party], role: str) -> Agent | None:
    return next((party.agent for party in parties if role in party.roles), None)


def _contact(parties: Sequence[Party], metadata: Sequence[Party]) -> Agent | None:
    """Return the resource's point of contact, else the first party with an email address."""
    points = [party.agent for party in parties if "pointOfContact" in party.roles]
    others = [party.agent for party in (*parties, *metadata)]
    by_email = (agent for agent in (*points, *others) if agent.email)
    return next(by_email, next(iter((*points, *others)), None))


def _summary(parties: Iterable[Party]) -> str:
    """Return the parties as data.gov.uk writes them: "Name (role, role); Name2 (role)"."""
    roles: dict[str, dict[str, None]] = {}
    for party in parties:
        if party.agent.name:
            roles.setdefault(party.agent.name, {}).update(dict.fromkeys(party.roles))
    return "; ".join(
        f"{name} ({', '.join(codes)})" if codes else name for name, codes in roles.items()
    )


def _facts(party: Party) -> dict[str, str]:
    agent = party.agent
    facts = {"name": agent.name, "email": agent.email, "url": agent.url}
    return without_blanks({**facts, "roles": ", ".join(party.roles)})


MAPPING: tuple[Field[Entry], ...] = (
    Field(
        ("gmd:pointOfContact", "gmd:distributorContact", "gmd:contact"),
        "publisher, contact, author; extras responsible-party, provider, responsible-organisation,"
        " distributor, metadata-contact, metadata-contact-email",
        _read,
    ),
)
