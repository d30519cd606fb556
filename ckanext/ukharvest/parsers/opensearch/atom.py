"""Entries of an Atom feed (RFC 4287) with Dublin Core, GeoRSS and EOP metadata (OGC 13-026r9)."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from ckanext.ukharvest.core.mapping_table import Field, FieldValues, read_apart
from ckanext.ukharvest.core.records import Agent, Period
from ckanext.ukharvest.core.values import licences, parties
from ckanext.ukharvest.core.values.dates import parse_date, parse_period
from ckanext.ukharvest.core.values.languages import parse_language
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.record_licence import read_licence
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.core.values.web_addresses import parse_email, parse_url
from ckanext.ukharvest.parsers.opensearch import georss, links
from ckanext.ukharvest.parsers.opensearch.entry import Entry

# Types of content that are texts for people; others are files, or metadata of another format.
_TEXTS = ("text", "html", "xhtml", "text/html", "text/plain")
_EOP = "{*}EarthObservation//{*}"
# Path within EOP metadata (OGC 10-157r4) → extra.
_EXTRAS = (
    (f".//{_EOP}Platform/{{*}}shortName", "platform"),
    (f".//{_EOP}Instrument/{{*}}shortName", "instrument"),
    (f".//{_EOP}EarthObservationMetaData/{{*}}productType", "product_type"),
    (f".//{_EOP}EarthObservationMetaData//{{*}}processingLevel", "processing_level"),
    (f".//{_EOP}EarthObservationMetaData/{{*}}parentIdentifier", "parent_identifier"),
)


def title(entry: Entry) -> str:
    """Return an entry's title, "" if it has none."""
    return plain_line(entry.node.text("title"))


def _notes(entry: Entry) -> FieldValues:
    node = entry.node
    content = [
        _string(each)
        for each in entry.root.iterchildren("{*}content")
        if (each.get("type") or "text") in _TEXTS
    ]
    texts = (*node.texts("summary"), *content, *node.texts("description"), *node.texts("abstract"))
    return {"notes": next(filter(None, (plain_text(text) for text in texts)), "")}


def _string(element: etree._Element) -> str:
    return clean_text(str(element.xpath("string()")))


def _tags(entry: Entry) -> FieldValues:
    categories = entry.root.iterchildren("{*}category")
    words = [clean_text(each.get("label") or each.get("term")) for each in categories]
    words += entry.node.texts("subject")
    tags, problems = clean_tags(filter(None, words), "atom:category")
    entry.node.add(problems)
    return {"tags": tags}


def _people(entry: Entry) -> FieldValues:
    node = entry.node
    bodies = [
        Agent(plain_line(text), role=role)
        for name, role in (("publisher", parties.PUBLISHER), ("creator", parties.AUTHOR))
        for text in node.texts(name)
    ]
    authors = list(_authors(entry))
    others = (*bodies[1:], *parties.with_role(authors[1:], parties.AUTHOR))
    return {
        "publisher": Agent(bodies[0].name) if bodies else None,
        "author": next(iter(authors), None),
        "extras": {
            "contributor": ", ".join(_names(entry, "contributor")),
            **parties.other_parties(others),
        },
    }


def _authors(entry: Entry) -> Iterator[Agent]:
    for person in entry.node.find_all("author"):
        name = plain_line(person.text("name") or person.own_text())
        email = person.parse_value("email", person.text("email"), parse_email, "bad-email")
        url = person.parse_value("uri", person.text("uri"), parse_url, "bad-url")
        if name or email:
            yield Agent(name, email, url)


def _names(entry: Entry, element: str) -> Iterator[str]:
    for person in entry.node.find_all(element):
        if name := plain_line(person.text("name") or person.own_text()):
            yield name


def _dates(entry: Entry) -> FieldValues:
    """Return the dates: dc:date is the time that the data is about, where it is a span."""
    node = entry.node
    dates = node.texts("date")
    days = [text for text in dates if "/" not in text]
    return {
        "issued": _date(entry, "published") or _date(entry, "issued") or _first(entry, days),
        "modified": _date(entry, "modified"),
        "metadata_modified": _date(entry, "updated"),
        "extras": {"created": _date(entry, "created")},
    }


def _date(entry: Entry, name: str) -> str:
    return entry.node.parse_value(name, entry.node.text(name), parse_date, "bad-date")


def _first(entry: Entry, texts: list[str]) -> str:
    return entry.node.parse_value("date", texts[0] if texts else "", parse_date, "bad-date")


def _temporal(entry: Entry) -> FieldValues:
    spans = [text for text in entry.node.texts("date") if "/" in text]
    spans += entry.node.texts("temporal")
    time = entry.root.find(f".//{_EOP}phenomenonTime")
    if time is not None:
        ends = (time.findtext(f".//{{*}}{name}Position") or "" for name in ("begin", "end"))
        spans.append("/".join(map(clean_text, ends)))
    for span in spans:
        if found := _period(entry, span):
            return {"temporal": found}
    return {}


def _period(entry: Entry, text: str) -> Period | None:
    if not text.strip("/ "):
        return None
    try:
        return parse_period(text)
    except ValueError as exc:
        entry.node.report("bad-period", "dc:date", str(exc))
        return None


def _terms(entry: Entry) -> FieldValues:
    node = entry.node
    named = [_href(each) for each in entry.root.iterchildren("{*}link") if _rel(each) == "license"]
    texts = tuple(dict.fromkeys((*named, *node.texts("license"), *node.texts("rights"))))
    licence = read_licence(map(licences.find, texts), node.reporter("rights"))
    rights = "\n\n".join(plain_text(text) for text in texts if text not in named)
    return {"licence": licence, "rights": rights}


def _language(entry: Entry) -> FieldValues:
    node = entry.node
    found = [
        node.parse_value("dc:language", text, parse_language, "bad-language")
        for text in node.texts("language")
    ]
    return {"language": tuple(dict.fromkeys(filter(None, found)))}


def _links(entry: Entry) -> FieldValues:
    return links.read(_given(entry))


def _given(entry: Entry) -> Iterator[links.Link]:
    for element in entry.root.iterchildren("{*}link"):
        if url := entry.node.link("link", _href(element), element.base or ""):
            texts = (clean_text(element.get(name)) for name in ("type", "title", "length"))
            yield links.Link(_rel(element), url, *texts)
    operations = entry.root.iterfind("{*}offering/{*}operation")
    for element in operations:  # of OWS Context (OGC 12-084r2)
        if clean_text(element.get("code")) == "GetCapabilities":
            url = entry.node.link("owc:operation", _href(element), element.base or "")
            yield from [links.Link("search", url, title="Service")] if url else []


def _rel(element: etree._Element) -> str:
    return clean_text(element.get("rel") or "alternate").lower().rpartition("/")[2]


def _href(element: etree._Element) -> str:
    return clean_text(element.get("href"))


def _more(entry: Entry) -> FieldValues:
    found = {}
    for path, name in _EXTRAS:
        texts = (clean_text(each.text) for each in entry.root.iterfind(path))
        found[name] = next(filter(None, texts), "")
    parent = found["parent_identifier"] or entry.node.text("isPartOf")
    return {
        "extras": {
            **found,
            "parent_identifier": parent,
            "identifier": entry.node.text("identifier"),
            "dcat_type": entry.node.text("type"),
        }
    }


MAPPING: tuple[Field[Entry], ...] = (
    Field(("atom:id", "dc:identifier"), "guid", read_apart),
    Field(("atom:title",), "title", read_apart),
    Field(("atom:summary", "atom:content", "dc:description", "dct:abstract"), "notes", _notes),
    Field(("atom:category", "dc:subject"), "tags", _tags),
    Field(
        ("dc:publisher", "dc:creator", "atom:author", "atom:contributor"),
        "publisher, author; extras contributor, responsible-organisation",
        _people,
    ),
    Field(
        ("atom:published", "dct:issued", "dc:date", "dct:modified", "atom:updated", "dct:created"),
        "issued, modified, metadata_modified; extra created",
        _dates,
    ),
    Field(("dc:date", "dct:temporal", "eop:phenomenonTime"), "temporal", _temporal),
    Field(("atom:rights", "dc:rights", "link rel=license"), "licence, rights", _terms),
    Field(("dc:language",), "language", _language),
    Field(
        ("georss:where", "georss:polygon", "georss:line", "georss:point", "georss:box")
        + ("eop:featureOfInterest",),
        "spatial",
        georss.read,
    ),
    Field(("atom:link", "owc:offering"), "resources, url", _links),
    Field(
        ("eop:Platform", "eop:Instrument", "eop:productType", "eop:processingLevel")
        + ("eop:parentIdentifier", "dct:isPartOf", "dc:identifier", "dc:type"),
        "extras platform, instrument, product_type, processing_level, parent_identifier, "
        "identifier, dcat_type",
        _more,
    ),
)
