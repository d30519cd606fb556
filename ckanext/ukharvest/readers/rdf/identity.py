"""A dataset's identity in RDF: its URI, else what its vocabulary has in its place.

What ckanext-dcat's harvester stores comes first, so that no stored identity changes. Only a record
that has none of it is identified by the names of schema.org, ADMS and Dublin Core 1.1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ckanext.ukharvest.core.deletions import is_globally_unique
from ckanext.ukharvest.core.rdf import Triple, iri, language, value
from ckanext.ukharvest.core.values.identifiers import property_value
from ckanext.ukharvest.core.values.tags import slug
from ckanext.ukharvest.core.values.text import clean_text

_DCT, _DC = "http://purl.org/dc/terms/", "http://purl.org/dc/elements/1.1/"
_SCHEMA, _ADMS = "http://schema.org/", "http://www.w3.org/ns/adms#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"

PAGES = tuple(f"<{start}://schema.org/url>" for start in ("http", "https"))
_IDENTIFIERS = (f"{_SCHEMA}identifier", f"{_ADMS}identifier", f"{_DC}identifier")
_TITLES = (
    *(f"{_SCHEMA}name", "http://www.w3.org/2000/01/rdf-schema#label", f"{_DC}title"),
    *(f"{_SKOS}prefLabel", "http://xmlns.com/foaf/0.1/name"),
)
EXPECTED = "a URI, an identifier (dct:identifier, schema:identifier), schema:url or a title"


def find_guid(node: str, triples: Iterable[Triple], url: str, shared: Collection[str]) -> str:
    """Return a dataset's identity, "" if it has none.

    It is the URI, else dct:identifier, else the source's URL with a name made of dct:title; without
    these another identifier, schema:url, or the source's URL with a name made of another title.

    Args:
        triples: the dataset's and those of the nodes below it.
        url: the source's.
        shared: objects of schema:url that several datasets have, which identify none.
    """
    facts: dict[str, dict[str, list[str]]] = {}
    for subject, predicate, obj in triples:
        name = iri(predicate).replace("https://schema.org/", _SCHEMA)
        facts.setdefault(subject, {}).setdefault(name, []).append(obj)
    own = facts.get(node, {})
    usual = iri(node) or text_of(own.get(f"{_DCT}identifier", ()))
    if usual := usual or _by_title(url, text_of(own.get(f"{_DCT}title", ()))):
        return usual
    for name in _IDENTIFIERS:
        guids = filter(None, (_identifier(obj, facts) for obj in sorted(own.get(name, ()))))
        if guid := next(iter(sorted(guids, key=lambda guid: not is_globally_unique(guid))), ""):
            return guid
    pages = (obj for obj in own.get(f"{_SCHEMA}url", ()) if obj not in shared)
    titles = (text_of(own.get(name, ())) for name in _TITLES)
    return text_of(pages) or _by_title(url, next(filter(None, titles), ""))


def _by_title(url: str, title: str) -> str:
    return f"{url.rstrip('/')}/{slug(title)}" if title else ""


def _identifier(obj: str, facts: dict[str, dict[str, list[str]]]) -> str:
    """Return the text of an identifier: a URI, a text, a PropertyValue or an adms:Identifier."""
    below = facts.get(obj, {}) if obj.startswith("_:") else {}
    kind, number, page = (
        text_of(below.get(f"{_SCHEMA}{key}", ())) for key in ("propertyID", "value", "url")
    )
    number = number or text_of(below.get(f"{_SKOS}notation", ())) or clean_text(value(obj))
    return property_value(kind, number) or page


def text_of(objects: Iterable[str]) -> str:
    """Return one text or URL: of several languages English, else the first."""
    texts = sorted(objects)
    texts.sort(key=lambda obj: {"en": 0, "": 1}.get(language(obj).partition("-")[0], 2))
    return next(filter(None, (clean_text(value(obj)) for obj in texts)), "")
