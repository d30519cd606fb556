"""People and terms of a dataset: publisher, contact, author, licence, rights."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Agent, Licence
from ckanext.ukharvest.core.values import licences, parties
from ckanext.ukharvest.core.values.licences import read_licence
from ckanext.ukharvest.core.values.markup import plain_line
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import is_web_url, read_phone
from ckanext.ukharvest.parsers import table
from ckanext.ukharvest.parsers.dcat.node import LABELS, Node, natural, quoted
from ckanext.ukharvest.parsers.table import FieldValues

PUBLISHER = ("dct:publisher", "dc:publisher", "schema:publisher")
CONTACT = ("dcat:contactPoint", "adms:contactPoint", "schema:contactPoint", "pmd:contactEmail")
CREATOR = ("dct:creator", "dc:creator", "schema:creator", "schema:author")
LICENCE = ("dct:license", "dct:licence", "cc:license", "schema:license")
_ODRS = ("odrs:dataLicense", "odrs:contentLicense")  # of a statement of rights
_NOTICES = (
    *("odrs:copyrightNotice", "odrs:databaseRightNotice", "odrs:attributionText"),
    *("odrs:copyrightStatement", "odrs:databaseRightStatement", "odrs:attributionURL"),
    "odrs:reuserGuidelines",
)
RIGHTS = ("dct:rights", "dct:accessRights", "dc:rights")

# vCard has four spellings of each; DCAT-AP has foaf, search engines read schema.org.
_NAMES = (
    *("foaf:name", "vcard:fn", "vcard:hasFN", "schema:name", "vcard:organization-name"),
    *("vcard:hasOrganizationName", "vcard:organisationName", "vcard:hasName", "vcard:FN"),
    "vcard:organisation-name",
)
_GIVEN = ("vcard:given-name", "schema:givenName", "foaf:givenName", "foaf:firstName")
_FAMILY = ("vcard:family-name", "schema:familyName", "foaf:familyName", "foaf:surname")
# A person's body.
_BODY = (
    *("vcard:org", "vcard:hasOrganization", "schema:affiliation", "schema:worksFor"),
    *("vcard:organization-name", "vcard:hasOrganizationName", "vcard:organisation-name"),
    "vcard:organisationName",
)
_EMAILS = ("vcard:hasEmail", "foaf:mbox", "vcard:email", "vcard:EMAIL", "schema:email")
_PHONES = ("vcard:hasTelephone", "vcard:tel", "vcard:TEL", "foaf:phone", "schema:telephone")
_PAGES = (
    *("vcard:hasURL", "vcard:hasUrl", "vcard:url", "foaf:homepage", "foaf:workplaceHomepage"),
    *("schema:url", "foaf:page"),
)
# Predicates of further people and bodies → their role.
PARTIES = {
    **{
        f"geodcat:{role}": role
        for role in ("custodian", "distributor", "originator", "owner", "principalInvestigator")
        + ("processor", "resourceProvider", "user")
    },
    "schema:maintainer": "custodian",
    "schema:provider": "resourceProvider",
    "schema:editor": "editor",
    "schema:funder": "funder",
    "schema:sponsor": "sponsor",
    "schema:contributor": "contributor",
    "schema:copyrightHolder": "rightsHolder",
}
# Those that have extras of their own, with a URI or a name alone.
_NAMED = {"dct:contributor": "contributor", "dct:rightsHolder": "rightsHolder"}
ATTRIBUTION = "prov:qualifiedAttribution"
_ABOVE = ("org:subOrganizationOf", "schema:parentOrganization", "dct:isPartOf")
_LONGEST = 2_000  # characters of a URL
# The id at the end of a register's URL, such as …/licenses/cc-zero.
_REGISTER = re.compile(r"https?://\S*/licen[cs]es?/([\w.-]+)(?:/\d[\w.]*)?/?$", re.IGNORECASE)

Extras = dict[str, str]
Pair = tuple[Node, Agent]


def publisher(node: Node) -> FieldValues:
    """Return the publisher with ckanext-dcat's extras; its parent bodies are "A > B > C"."""
    parts = _publishers(node)
    if not parts:
        return {}
    part, agent = parts[0]
    if not agent.name:
        words = Message(
            "{part} has no name in the document; expected its foaf:name",
            part=quoted(part.uri or agent.email),
        )
        node.report("missing-field", "dct:publisher", words)
    extras = _agent_extras("publisher", part, agent)
    extras["publisher_hierarchy"] = parties.body_hierarchy(_names_upwards(part, agent.name))
    return {"publisher": _linked(part, agent), "extras": extras}


def _publishers(node: Node) -> list[Pair]:
    """Return the publishers, the one that is used first."""
    parts = _in_role(node, PUBLISHER, parties.PUBLISHER, "owner")
    filled = (pair for pair in parts if pair[1] != Agent() or pair[0].uri)
    return sorted(filled, key=lambda pair: not pair[1].name)


def _names_upwards(part: Node, name: str) -> Iterator[str]:
    """Yield the names of a body and of those above it, each body once."""
    yield name
    seen = {part.term}
    while (above := next(iter(part.nodes(*_ABOVE)), part)).term not in seen:
        yield plain_line(above.text(*_NAMES, *LABELS) or above.label())
        seen.add(above.term)
        part = above


def contact(node: Node) -> FieldValues:
    """Return the contact; if there are several, the first with an email address."""
    parts = _contacts(node)
    if not parts:
        return {}
    part, agent = parts[0]
    phones = (telephone.address() for telephone in part.nodes(*_PHONES))
    phone = read_phone(clean_text(next(phones, "")))
    extras = _agent_extras("contact", part, agent) | {"contact-phone": phone}
    return {"contact": _linked(part, agent), "extras": extras}


def _contacts(node: Node) -> list[Pair]:
    """Return the contacts, the one that is used first."""
    parts = _in_role(node, CONTACT, parties.CONTACT)
    parts.sort(key=lambda pair: not pair[1].email)
    if parts and not parts[0][1].name and parts[0][0].term.kind == "literal":
        # data.gov.uk's guide: a separate email address whatever names the contact.
        (part, agent), *others = parts
        named = next((pair for pair in others if pair[1].name), parts[0])
        rest = [pair for pair in others if pair is not named or pair[1].email]
        return [(part, replace(agent, name=named[1].name)), *rest]
    return parts


def author(node: Node) -> FieldValues:
    """Return the first creator."""
    for part, agent in _in_role(node, CREATOR, parties.AUTHOR):
        return {
            "author": _linked(part, agent),
            "extras": _agent_extras("creator", part, agent),
        }
    return {}


def _in_role(node: Node, predicates: tuple[str, ...], *roles: str) -> list[Pair]:
    """Return the agents of predicates, else the one that has the first of some roles."""
    if pairs := [(part, _agent(part)) for part in node.nodes(*predicates)]:
        return pairs
    attributed = [(role, (part, _agent(part))) for role, part in _parts_with_role(node)]
    pairs = [pair for role in roles for name, pair in attributed if name == role]
    return sorted(pairs, key=lambda pair: (not pair[1].name, not pair[1].email))[:1]


def _parts_with_role(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield the role of each person or body whose predicate or attribution says it."""
    for name, role in PARTIES.items():
        for part in node.nodes(name):
            yield role, part
    for attribution in node.nodes(ATTRIBUTION):
        code = next(iter(attribution.values("dcat:hadRole", "prov:hadRole", "dct:type")), "")
        role = re.split(r"[/#]", code.rstrip("/#"))[-1].removeprefix("CI_RoleCode_")
        for part in attribution.nodes("prov:agent"):
            yield role, part


def others(node: Node) -> FieldValues:
    """Return the extra for all people and bodies beside publisher, contact and author."""
    roles = {
        parties.PUBLISHER: _publishers(node),
        parties.CONTACT: _contacts(node),
        parties.AUTHOR: _in_role(node, CREATOR, parties.AUTHOR),
    }
    first = [_party(*pairs[0], role) for role, pairs in roles.items() if pairs]
    agents = [_party(*pair, role) for role, pairs in roles.items() for pair in pairs[1:]]
    for role, pairs in roles.items():
        for part, agent in pairs:
            body = _body(part)
            agents += [Agent(body, role=role)] if body not in ("", agent.name) else []
    agents += [_party(part, _agent(part), role) for role, part in _parts_with_role(node)]
    agents += [
        _party(part, agent, role)
        for name, role in _NAMED.items()
        for part in node.nodes(name)
        if (agent := _agent(part)).email or (part.uri and agent.name)
    ]
    agents.sort(key=lambda agent: natural(agent.name))
    return {"extras": parties.other_parties(agents, *first)}


def _party(part: Node, agent: Agent, role: str) -> Agent:
    return replace(_linked(part, agent) or Agent(), role=role)


def _body(part: Node) -> str:
    """Return the name of the body that a person belongs to, which may be one level below."""
    names = (body.text(*_NAMES) or body.label() for body in part.nodes(*_BODY))
    return plain_line(next(filter(None, names), ""))


def _agent(part: Node) -> Agent:
    """Return a person or body given as text, URL or node; ``url`` is the homepage."""
    text = part.address() if part.term.kind != "blank" else ""
    if part.term.kind == "literal" or text.lower().startswith("mailto:"):
        return parties.parse_agent(text)
    name = plain_line(part.text(*_NAMES) or part.text(*LABELS))
    if not name:
        name = plain_line(f"{part.text(*_GIVEN)} {part.text(*_FAMILY)}") or _body(part)
    predicate, email = _email(part)
    return parties.read_agent(name, email, part.page(*_PAGES), part.reporter(predicate, email))


def _email(part: Node) -> tuple[str, str]:
    """Return predicate and text of the email address."""
    for name in _EMAILS:
        for value in part.nodes(name):
            text = value.address()
            # RDF/XML resolves a bare email address, given as a URI, against the document's URL.
            if value.uri and "@" in (bare := text.rpartition("/")[2]) and "/" in text:
                part.report(
                    "email-without-mailto",
                    name,
                    Message("{bare} does not begin with mailto:", bare=quoted(bare)),
                )
                text = bare
            if text:
                return name, text
    return _EMAILS[0], ""


def _linked(part: Node, agent: Agent) -> Agent | None:
    """Return the agent with its URI, which identifies publishers, else with its homepage."""
    linked = replace(agent, url=part.uri) if is_web_url(part.uri) else agent
    return linked if linked != Agent() else None


def _agent_extras(prefix: str, part: Node, agent: Agent) -> Extras:
    return {
        f"{prefix}_uri": part.uri,
        f"{prefix}_name": agent.name,
        f"{prefix}_email": agent.email,
        f"{prefix}_url": agent.url,
        f"{prefix}_type": next(iter(part.values("dct:type")), ""),
        f"{prefix}_identifier": next(iter(part.values("dct:identifier", "vcard:hasUID")), ""),
    }


def licence(node: Node, _names: table.Names = LICENCE) -> Licence | None:
    """Return the licence of a dataset or distribution; report an unknown one and keep its text.

    Without ``dct:license``, rights that name a known licence count (as in udata).
    """
    stated = (part for statement in node.nodes(*RIGHTS) for part in statement.nodes(*_ODRS))
    parts = [*node.nodes(*LICENCE), *stated]
    named = [candidate for part in parts for candidate in _licences(part)]
    return read_licence(named, node.reporter("dct:license"), terms(node))


def terms(node: Node) -> list[str]:
    """Return the texts and URIs on rights and access."""
    parts = node.nodes(*RIGHTS)
    return [text for part in parts for text in (part.uri, *_wording(part)) if text]


def _wording(statement: Node) -> list[str]:
    """Return what a statement of rights says: its label, and the notices of ODRS beside it."""
    texts = (statement.label(), *statement.values(*_NOTICES))
    return list(dict.fromkeys(filter(None, texts)))


def _licences(part: Node) -> Iterator[Licence]:
    """Look up and yield the licences of the node's URI, names and equivalents."""
    same = ("skos:exactMatch", "owl:sameAs", "schema:url", "foaf:page", "rdfs:seeAlso")
    texts = [part.uri, part.label(), *part.values(*same)]
    texts += [
        text
        for name in ("dct:title", "rdfs:label", "dct:identifier", "skos:notation")
        for text in part.best(name)
    ]
    for text in filter(None, texts):
        known = licences.find(text)
        # At each "http://" of a text the search goes to its end: only the end can be such a URL.
        if known and not known.id and (register := _REGISTER.search(text[-_LONGEST:])):
            inside = licences.find(register[1])
            known = replace(inside, url=known.url or inside.url) if inside and inside.id else known
        if known:
            yield known


def rights(node: Node, _names: table.Names = RIGHTS) -> str:
    """Return the terms as text, without repeats; a URI without a label is kept."""
    texts = []
    for name in RIGHTS:
        parts = node.nodes(name)
        # Access rights are a code, kept as an extra; here only text counts.
        uris = [] if name == "dct:accessRights" else [part.uri for part in parts]
        texts += node.best(name) or [text for part in parts for text in _wording(part)] or uris
    return "\n".join(dict.fromkeys(filter(None, texts)))
