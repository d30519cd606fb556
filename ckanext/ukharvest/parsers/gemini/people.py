"""Responsible parties of a GEMINI record, and the terms of its resource: elements 23, 25, 26, 35.

Versions differ: 2.1 puts the licence into useLimitation, 2.3 into otherConstraints next to
useConstraints; many publishers put it next to accessConstraints, or only into an Anchor's URL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ckanext.ukharvest.core.errors import SkipRecord
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Agent, Licence
from ckanext.ukharvest.core.values import licences
from ckanext.ukharvest.core.values.licences import read_licence
from ckanext.ukharvest.core.values.markup import plain_line
from ckanext.ukharvest.core.values.multivalue import as_text
from ckanext.ukharvest.core.values.parties import parse_agent, read_agent
from ckanext.ukharvest.core.values.web_addresses import parse_url
from ckanext.ukharvest.parsers.gemini.document import (
    Entry,
    IsoNode,
    PropertyText,
    row,
    without_blanks,
)
from ckanext.ukharvest.parsers.reporting import ignore
from ckanext.ukharvest.parsers.table import Field, FieldValues, Row

SKIP = Option(
    "skip_responsible_party",
    "list",
    (),
    "Names of organisations, as a JSON list or with semicolons between them: records with "
    "one of them as responsible organisation are skipped.",
    separator=";",
    alias="skip-responsible-party",
)
OPTIONS = (SKIP,)

# ISO 19115-3 lists a responsibility's bodies and people, 19139 has one party with all names.
_CONTACTS = ("contactInfo/*", "party/*/contactInfo/*", "party/*/individual/*/contactInfo/*")
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
    """A responsible party.

    Attributes:
        roles: the role codes under which it is listed.
        pages: further web addresses, beside the agent's.
    """

    organisation: str
    agent: Agent
    roles: tuple[str, ...]
    pages: tuple[str, ...]


def _parties(nodes: Iterable[IsoNode]) -> tuple[Party, ...]:
    """Return every party with a name or an address, in the record's order."""
    parties = map(_party, nodes)
    return tuple(party for party in parties if replace(party.agent, role="") != Agent())


def _party(node: IsoNode) -> Party:
    body = node.text("organisationName", "party/CI_Organisation/name")
    organisation = plain_line(body)
    roles = tuple(dict.fromkeys(node.codes("role")))
    named = parse_agent(body or node.text(*_PERSON))
    contacts = list(_addresses(node))
    pages = (*_pages(node), *(contact.url for contact in contacts), named.url)
    url, *others = dict.fromkeys(filter(None, pages)) or [""]
    agent = Agent(
        name=named.name,
        email=next((contact.email for contact in contacts if contact.email), named.email),
        url=url,
        role=roles[0] if roles else "",
    )
    return Party(organisation, agent, roles, tuple(others))


def _addresses(node: IsoNode) -> Iterator[Agent]:
    """Yield an agent with each address alone; report what is none."""
    for address in node.find_all(
        *(f"{path}/address/*/electronicMailAddress" for path in _CONTACTS)
    ):
        written = address.own_text()
        # An Anchor may hold mailto: and the address alone.
        text = written.text or written.href
        yield read_agent("", text, "", address.reporter("gmd:electronicMailAddress", text))


def _pages(node: IsoNode) -> Iterator[str]:
    """Yield the web addresses of a party's pages; report other texts."""
    for page in node.find_all(*(f"{path}/onlineResource/*/linkage" for path in _CONTACTS)):
        written = page.own_text()
        yield page.parse_value("gmd:linkage", written.text or written.href, parse_url, "bad-url")


def _people(entry: Entry) -> FieldValues:
    parties = _parties(entry.identification.find_all("pointOfContact/*"))
    _skip(parties, entry)
    cited = _parties(entry.identification.find_all("citation/*/citedResponsibleParty/*"))
    metadata = _parties(entry.record.find_all("contact/*"))
    distributors = _parties(
        entry.record.find_all("distributionInfo/*/distributor/*/distributorContact/*")
    )
    publisher = _of_role(parties, "publisher") or _of_role(cited, "publisher")
    owner = _of_role(parties, "owner") or publisher
    authors = (_of_role(of, role) for of in (parties, cited) for role in ("author", "originator"))
    return {
        "publisher": publisher,
        "author": next(filter(None, authors), None),
        "contact": _contact(parties, metadata),
        "extras": {
            "responsible-party": _summary(parties),
            "provider": owner.name if owner else "",
            "responsible-organisation": as_text(map(_facts, (*parties, *cited))),
            "distributor": as_text(map(_facts, distributors)),
            "metadata-contact": _summary(metadata),
            "metadata-contact-email": next((p.agent.email for p in metadata if p.agent.email), ""),
        },
    }


def _skip(parties: Sequence[Party], entry: Entry) -> None:
    unwanted = {name.casefold() for name in entry.options.get(SKIP.name, ())}
    for party in parties:
        if party.organisation.casefold() in unwanted:
            raise SkipRecord(
                Message(
                    "'{organisation}' is among the responsible organisations, and the"
                    " source's option {name} skips its records",
                    organisation=party.organisation,
                    name=SKIP.name,
                )
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
        if name := party.agent.name or party.organisation:
            roles.setdefault(name, {}).update(dict.fromkeys(party.roles))
    return "; ".join(
        f"{name} ({', '.join(codes)})" if codes else name for name, codes in roles.items()
    )


def _facts(party: Party) -> dict[str, str]:
    agent = party.agent
    facts = {"name": agent.name, "email": agent.email, "url": agent.url}
    more = {"pages": ", ".join(party.pages), "roles": ", ".join(party.roles)}
    return without_blanks({**facts, **more})


# URLs of INSPIRE's code lists tell what a text is about, whatever element it is next to.
_ACCESS = "/LimitationsOnPublicAccess/"
_USE = "/ConditionsApplyingToAccessAndUse/"

# MD_RestrictionCode: publishers write the code where a text is expected.
_CODES = frozenset(
    ("copyright", "patent", "patentPending", "trademark", "license", "intellectualPropertyRights")
    + ("restricted", "otherRestrictions")
)
_PREFIX = re.compile(r"(?:access|use)\s+(?:constraints?|limitations?)\s*:\s*", re.IGNORECASE)


Terms = list[PropertyText]  # in the order of the record


def _terms(identification: IsoNode) -> tuple[Terms, Terms]:
    """Return the constraints on access and those on use; some may be about both."""
    access: Terms = []
    use: Terms = []
    for block in identification.find_all("resourceConstraints/*"):
        is_access = any(block.codes("accessConstraints"))
        is_use = any(block.codes("useConstraints"))
        for term in block.texts_at("otherConstraints"):
            on_access, on_use = _ACCESS in term.href, _USE in term.href
            if on_access or not on_use and (is_access or not is_use):
                access.append(term)
            if on_use or not on_access and is_use:
                use.append(term)
        use += [term for term in block.texts_at("useLimitation") if term.text not in _CODES]
        # ISO 19115-3 cites a licence.
        for reference in block.find_all("reference/*"):
            title, link = reference.text("title"), reference.text("onlineResource/*/linkage")
            if title and _names_licence(PropertyText(link)):
                use.append(PropertyText(title, link))
            else:
                use += map(PropertyText, filter(None, (title, link)))
    return access, use


def has_licence(identification: IsoNode) -> bool:
    """Tell whether the terms name a licence, or link to its text."""
    licence, _ = _licence(*_terms(identification))
    return licence is not None and bool(licence.id or licence.url)


def _constraints(entry: Entry) -> FieldValues:
    access, use = _terms(entry.identification)
    licence, about_use = _licence(access, use)
    return {
        "licence": licence,
        "extras": {
            "licence": "; ".join(dict.fromkeys(filter(None, map(_shown, about_use)))),
            "licence_url": licence.url if licence else "",
            "access_constraints": as_text(map(_shown, access)),
            "limitations-on-public-access": as_text(
                term.href for term in access if _ACCESS in term.href
            ),
        },
    }


def _licence(access: Terms, use: Terms) -> tuple[Licence | None, Terms]:
    """Return the licence, and the texts about use: of those on access only licences.

    GEMINI's element 26 may be any text, so that an unknown one is no problem.
    """
    about_use = use
    if not any(map(_names_licence, use)):
        about_use = [*use, *filter(_names_licence, access)]
    named = (text for term in about_use for text in _texts(term))
    terms = (text for term in access for text in _texts(term))
    return read_licence(named, ignore, terms), about_use


def _texts(term: PropertyText) -> Iterator[str]:
    yield from filter(None, (term.href, _PREFIX.sub("", term.text)))


def _names_licence(term: PropertyText) -> bool:
    return any((licence := licences.find(text)) and licence.id for text in _texts(term))


def _shown(term: PropertyText) -> str:
    """Return the text, or the URL if the text is missing or only a code."""
    return term.href if term.href and term.text in _CODES else term.text or term.href


def _restrictions(node: IsoNode, paths: tuple[str, ...]) -> str:
    """Return the codes, except those that only refer to the text."""
    return as_text(code for code in node.codes(*paths) if code != "otherRestrictions")


MAPPING: tuple[Field | Row, ...] = (
    Field(
        ("gmd:pointOfContact", "gmd:distributorContact", "gmd:contact"),
        "publisher, contact, author; extras responsible-party, provider, responsible-organisation,"
        " distributor, metadata-contact, metadata-contact-email",
        _people,
    ),
    Field(
        ("gmd:useLimitation", "gmd:otherConstraints"),
        "licence; extras licence, licence_url, access_constraints, limitations-on-public-access",
        _constraints,
    ),
    row(
        "gmd:accessConstraints",
        "extra access-restrictions",
        _restrictions,
        "resourceConstraints/*/accessConstraints",
    ),
    row(
        "gmd:useConstraints",
        "extra use-restrictions",
        _restrictions,
        "resourceConstraints/*/useConstraints",
    ),
    row(
        "gmd:classification",
        "extra security-classification",
        _restrictions,
        "resourceConstraints/*/classification",
    ),
)
