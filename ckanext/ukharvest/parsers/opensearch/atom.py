"""Entries of an Atom feed (RFC 4287) with Dublin Core, GeoRSS and EOP metadata (OGC 13-026r9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lxml import etree

from ckanext.ukharvest.core.mapping_table import Field, FieldValues, read_apart
from ckanext.ukharvest.core.records import Agent
from ckanext.ukharvest.core.values import licences
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.languages import read_languages
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.periods import is_span, join_periods, read_periods
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
    words += [plain_line(text) for text in entry.node.texts("subject")]
    tags, problems = clean_tags(filter(None, words), "atom:category")
    entry.node.add(problems)
    return {"tags": tags}


def _people(entry: Entry) -> FieldValues:
    node = entry.node
    names = (*node.texts("publisher"), *node.texts("creator"))
    publisher = plain_line(names[0]) if names else ""
    return {
        "publisher": Agent(name=publisher) if publisher else None,
        "author": _author(entry),
        "extras": {"contributor": ", ".join(_names(entry, "contributor"))},
    }


def _author(entry: Entry) -> Agent | None:
    for person in entry.node.find_all("author"):
        name = plain_line(person.text("name") or person.own_text())
        email = person.parse_value("email", person.text("email"), parse_email, "bad-email")
        url = person.parse_value("uri", person.text("uri"), parse_url, "bad-url")
        if name or email:
            return Agent(name, email, url)
    return None


def _names(entry: Entry, element: str) -> Iterator[str]:
    for person in entry.node.find_all(element):
        if name := plain_line(person.text("name") or person.own_text()):
            yield name


def _dates(entry: Entry) -> FieldValues:
    """Return the dates: dc:date is the time that the data is about, where it is a span."""
    node = entry.node
    dates = node.texts("date")
    days = [text for text in dates if not is_span(text)]
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
    """Return the time that the data is about, from the first extension that has it."""
    periods = join_periods([])
    for field, given in _spans(entry):
        found = read_periods(given, _reporter(entry, field))
        periods = join_periods((periods, found))
        if found.whole:
            break
    return {"temporal": periods.whole, "extras": periods.extras}


def _spans(entry: Entry) -> Iterator[tuple[str, list[str | tuple[str, str]]]]:
    """Yield field and values of Dublin Core, EOP metadata, and OpenSearch's extension for time."""
    node = entry.node
    yield "dc:date", [*filter(is_span, node.texts("date")), *node.texts("temporal")]
    time = entry.root.find(f".//{_EOP}phenomenonTime")
    if time is not None:
        start, end = (time.findtext(f".//{{*}}{name}Position") or "" for name in ("begin", "end"))
        yield "eop:phenomenonTime", [(clean_text(start), clean_text(end))]
    yield "time:start", [(node.text("start"), node.text("end"))]


def _reporter(entry: Entry, field: str) -> Callable[[str, str, str], None]:
    return lambda code, words, _end: entry.node.report(code, field, words)


def _terms(entry: Entry) -> FieldValues:
    node = entry.node
    named = [_href(each) for each in entry.root.iterchildren("{*}link") if _rel(each) == "license"]
    texts = tuple(dict.fromkeys((*named, *node.texts("license"), *node.texts("rights"))))
    found = [each for each in map(licences.find, filter(None, texts)) if each is not None]
    licence = next((each for each in found if each.id), found[0] if found else None)
    if licence and not licence.id:
        node.report("unknown-licence", "rights", "no known licence; expected its URL or name")
    rights = "\n\n".join(plain_text(text) for text in texts if text not in named)
    return {"licence": licence, "rights": rights}


def _language(entry: Entry) -> FieldValues:
    node = entry.node
    return {
        "language": read_languages(
            node.texts("language"), lambda code, words: node.report(code, "dc:language", words)
        )
    }


def _links(entry: Entry) -> FieldValues:
    return links.read(_given(entry), lambda code, words: entry.node.report(code, "link", words))


def _given(entry: Entry) -> Iterator[links.Link]:
    for element in entry.root.iterchildren("{*}link"):
        if url := entry.node.parse_value("link", _href(element), parse_url, "bad-url"):
            texts = (clean_text(element.get(name)) for name in ("type", "title", "length"))
            yield links.Link(_rel(element), url, *texts)
    operations = entry.root.iterfind("{*}offering/{*}operation")
    for element in operations:  # of OWS Context (OGC 12-084r2)
        if clean_text(element.get("code")) == "GetCapabilities":
            url = entry.node.parse_value("owc:operation", _href(element), parse_url, "bad-url")
            yield from [links.Link("search", url, title="Service")] if url else []


def _rel(element: etree._Element) -> str:
    # Relations of other bodies are URIs, those of ESIP with a "#" at the end.
    return clean_text(element.get("rel") or "alternate").lower().rstrip("#/").rpartition("/")[2]


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
        "publisher, author; extra contributor",
        _people,
    ),
    Field(
        ("atom:published", "dct:issued", "dc:date", "dct:modified", "atom:updated", "dct:created"),
        "issued, modified, metadata_modified; extra created",
        _dates,
    ),
    Field(
        ("dc:date", "dct:temporal", "eop:phenomenonTime", "time:start", "time:end"),
        "temporal",
        _temporal,
    ),
    Field(("atom:rights", "dc:rights", "link rel=license"), "licence, rights", _terms),
    Field(("dc:language",), "language", _language),
    Field(
        ("georss:where", "georss:polygon", "georss:line", "georss:point", "georss:box")
        + ("georss:circle",)
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
