"""People and terms of a dataset: publisher, contact, author, licence, rights."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import unquote

from ckanext.ukharvest.core.records import Agent, Licence
from ckanext.ukharvest.core.values import licences
from ckanext.ukharvest.core.values.markup import plain_line
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import is_web_url, parse_email
from ckanext.ukharvest.parsers.dcat.node import LABELS, Node, quoted

PUBLISHER = ("dct:publisher", "dc:publisher", "schema:publisher")
CONTACT = ("dcat:contactPoint", "adms:contactPoint", "schema:contactPoint", "pmd:contactEmail")
CREATOR = ("dct:creator", "dc:creator", "schema:creator", "schema:author")
LICENCE = ("dct:license", "dct:licence", "cc:license", "schema:license")
RIGHTS = ("dct:rights", "dct:accessRights", "dc:rights")

# vCard has four spellings of each; DCAT-AP has foaf, search engines read schema.org.
_NAMES = (
    *("foaf:name", "vcard:fn", "vcard:hasFN", "schema:name", "vcard:organization-name"),
    *("vcard:hasOrganizationName", "vcard:organisationName", "vcard:hasName", "vcard:FN"),
)
_EMAILS = ("vcard:hasEmail", "foaf:mbox", "vcard:email", "vcard:EMAIL", "schema:email")
_PHONES = ("vcard:hasTelephone", "vcard:tel", "vcard:TEL", "foaf:phone", "schema:telephone")
_PAGES = (
    *("vcard:hasURL", "vcard:hasUrl", "vcard:url", "foaf:homepage", "foaf:workplaceHomepage"),
    *("schema:url", "foaf:page"),
)
_ABOVE = ("org:subOrganizationOf", "schema:parentOrganization", "dct:isPartOf")
# Real governments need four levels.
_MAX_LEVELS = 10
_LONGEST = 2_000  # characters of a URL

Extras = dict[str, str]


def publisher(node: Node) -> tuple[Agent | None, Extras]:
    """Return the publisher with ckanext-dcat's extras; its parent bodies are "A > B > C"."""
    parts = [(part, _agent(part)) for part in node.nodes(*PUBLISHER)]
    parts = [pair for pair in parts if pair[1] != Agent() or pair[0].uri]
    if not parts:
        return None, {}
    part, agent = next((pair for pair in parts if pair[1].name), parts[0])
    if not agent.name:
        shown = quoted(part.uri or agent.email)
        expected = f"{shown} has no name in the document; expected its foaf:name"
        node.report("missing-field", "dct:publisher", expected)
    extras = _agent_extras("publisher", part, agent)
    return _linked(part, agent), extras | {"publisher_hierarchy": _hierarchy(part, agent.name)}


def _hierarchy(part: Node, name: str) -> str:
    names, level = [name], part
    for _ in range(_MAX_LEVELS):
        above = next(iter(level.nodes(*_ABOVE)), None)
        if above is None or above.term == part.term:
            break
        names.append(plain_line(above.text(*_NAMES, *LABELS) or above.label()))
        level = above
    return " > ".join(filter(None, reversed(names))) if len(names) > 1 else ""


def contact(node: Node) -> tuple[Agent | None, Extras]:
    """Return the contact; if there are several, the first with an email address."""
    parts = [(part, _agent(part)) for part in node.nodes(*CONTACT)]
    if not parts:
        return None, {}
    part, agent = next((pair for pair in parts if pair[1].email), parts[0])
    others = (other for _, other in parts)
    if not agent.name and part.term.kind == "literal":
        # data.gov.uk's guide: a separate email address whatever names the contact.
        agent = replace(agent, name=next((o.name for o in others if o.name), ""))
    phones = (each.address() for each in part.nodes(*_PHONES))
    phone = clean_text(unquote(next(phones, ""))).removeprefix("tel:")
    return _linked(part, agent), _agent_extras("contact", part, agent) | {"contact-phone": phone}


def author(node: Node) -> tuple[Agent | None, Extras]:
    """Return the first creator."""
    for part in node.nodes(*CREATOR):
        agent = _agent(part)
        return _linked(part, agent), _agent_extras("creator", part, agent)
    return None, {}


def _agent(part: Node) -> Agent:
    """Return a person or body given as text, URL or node; ``url`` is the homepage."""
    text = part.address() if part.term.kind != "blank" else ""
    if part.term.kind == "literal" or text.lower().startswith("mailto:"):
        return _of_text(text)
    name = plain_line(part.text(*_NAMES) or part.text(*LABELS))
    return Agent(name, _email(part), part.page(*_PAGES))


def _of_text(text: str) -> Agent:
    if "@" not in text:
        return Agent(url=text) if is_web_url(text) else Agent(name=plain_line(text))
    try:
        email = parse_email(text)
    except ValueError:
        return Agent(name=plain_line(text))
    name = plain_line(text.partition("<")[0]) if "<" in text else ""
    return Agent(name, email)


def _email(part: Node) -> str:
    for name in _EMAILS:
        for each in part.nodes(name):
            text = each.address()
            # RDF/XML resolves a bare email address, given as a URI, against the document's URL.
            if each.uri and "@" in (bare := text.rpartition("/")[2]) and "/" in text:
                part.report("email-without-mailto", name, f"{quoted(bare)} lacks mailto:")
                text = bare
            if found := part.parse_value(name, text, parse_email, "bad-email"):
                return found
    return ""


def _linked(part: Node, agent: Agent) -> Agent | None:
    """Return the agent with its URI, which identifies publishers, else with its homepage."""
    uri = part.uri if is_web_url(part.uri) else ""
    found = replace(agent, url=uri or agent.url)
    return found if found != Agent() else None


def _agent_extras(prefix: str, part: Node, agent: Agent) -> Extras:
    return {
        f"{prefix}_uri": part.uri,
        f"{prefix}_name": agent.name,
        f"{prefix}_email": agent.email,
        f"{prefix}_url": agent.url,
        f"{prefix}_type": next(iter(part.values("dct:type")), ""),
        f"{prefix}_identifier": next(iter(part.values("dct:identifier", "vcard:hasUID")), ""),
    }


def licence(node: Node) -> Licence | None:
    """Return the licence of a dataset or distribution; report an unknown one and keep its text.

    Without ``dct:license``, rights that name a known licence count (as in udata).
    """
    parts = node.nodes(*LICENCE)
    found = [each for part in parts for each in _licences(part)]
    if not found:
        words = node.nodes("dct:rights", "dc:rights")
        named = [each for part in words for each in _licences(part)]
        return licences.find_agreed_licence((each for each in named if each.id), [rights(node)])
    terms = [t for part in node.nodes("dct:rights", "dc:rights") for t in (part.uri, part.label())]
    return licences.read_licence(found, node.reporter("dct:license"), terms)


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
        found = licences.find(text)
        if found and not found.id:
            inside = licences.find(_hint(text))
            found = replace(inside, url=found.url or inside.url) if inside and inside.id else found
        if found:
            yield found


def _hint(text: str) -> str:
    """Return the id at the end of a register's URL, such as ``…/licenses/cc-zero``."""
    # At each "http://" of a text the search goes to its end: only the end can be such a URL.
    register = re.search(
        r"https?://\S*/licen[cs]es?/([\w.-]+)(?:/\d[\w.]*)?/?$", text[-_LONGEST:], re.IGNORECASE
    )
    return register[1] if register else ""


def rights(node: Node) -> str:
    """Return the terms as text, without repeats; a URI without a label is kept."""
    texts = []
    for name in RIGHTS:
        parts = node.nodes(name)
        # Access rights are a code, kept as an extra; here only text counts.
        uris = [] if name == "dct:accessRights" else [part.uri for part in parts]
        texts += node.best(name) or list(filter(None, (part.label() for part in parts))) or uris
    return "\n".join(dict.fromkeys(filter(None, texts)))
