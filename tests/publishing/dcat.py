"""DCAT in Turtle, in pages with Hydra links as CKAN's own catalogue has them, and in JSON-LD."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from tests.publisher import Request, Response
from tests.publishing.listing import Listing
from tests.publishing.records import File, Item, Record, record_of, wkt
from tests.publishing.service import Service, number, path_of, text_response

NAMESPACES = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "gsp": "http://www.opengis.net/ont/geosparql#",
    "hydra": "http://www.w3.org/ns/hydra/core#",
    "locn": "http://www.w3.org/ns/locn#",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
# How texts of Turtle begin.
TURTLE = "".join(f"@prefix {name}: <{space}> .\n" for name, space in NAMESPACES.items())
_PATH = "/catalog.ttl"


def uri(record: Record) -> str:
    return record.guid or f"https://data.example/id/{record.number}"


def turtle_of(item: Item) -> str:
    """Return a record as a dcat:Dataset in Turtle."""
    record = record_of(item)
    node = "[]" if record.nameless else f"<{uri(record)}>"
    named = "".join(
        f"<{each.url}#file> {'; '.join(_file_facts(each))} .\n" for each in record.files or ()
    )
    return f"{node} {'; '.join(_facts(record))} .\n{named}"


def _facts(record: Record) -> Iterator[str]:
    yield "a dcat:Dataset"
    if record.title:
        yield f"dct:title {_text(record.title)}"
    yield f"dct:description {_text(record.description)}"
    if record.tags:
        yield f"dcat:keyword {', '.join(map(_text, record.tags))}"
    if record.modified:
        yield f'dct:modified "{record.modified}"^^xsd:date'
    if record.licence:
        yield f"dct:license <{record.licence}>"
    for name, address in (("dcat:landingPage", record.page), ("dct:relation", record.relation)):
        if address:
            yield f"{name} <{address}>"
    yield from _people_and_places(record)
    for file in record.distributions:
        if record.files is None:
            yield f"dcat:distribution [ {'; '.join(_file_facts(file))} ]"
        else:
            yield f"dcat:distribution <{file.url}#file>"


def _people_and_places(record: Record) -> Iterator[str]:
    if record.publisher:
        yield f"dct:publisher [ a foaf:Organization; foaf:name {_text(record.publisher)} ]"
    if record.email:
        yield (
            'dcat:contactPoint [ a vcard:Organization; vcard:fn "Data team";'
            f" vcard:hasEmail <mailto:{record.email}> ]"
        )
    if record.box:
        place = f'locn:geometry "{wkt(record.box)}"^^gsp:wktLiteral'
        yield f"dct:spatial [ a dct:Location; {place} ]"


def _file_facts(file: File) -> Iterator[str]:
    yield "a dcat:Distribution"
    yield f"dcat:downloadURL <{file.url}>"
    if file.title:
        yield f"dct:title {_text(file.title)}"
    if file.format:
        yield f"dct:format {_text(file.format)}"
    if file.schema:
        yield f"dct:conformsTo <{file.schema}>"


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def json_ld(records: Iterable[Item], uri_of_catalogue: str) -> dict[str, Any]:
    """Return a catalogue in JSON-LD, with its datasets inside."""
    return {
        "@context": {name: NAMESPACES[name] for name in ("dcat", "dct")},
        "@id": uri_of_catalogue,
        "@type": "dcat:Catalog",
        "dcat:dataset": [_node(record_of(each)) for each in records],
    }


def _node(record: Record) -> dict[str, Any]:
    return {
        "@id": uri(record),
        "@type": "dcat:Dataset",
        "dct:title": record.title,
        "dct:description": record.description,
        "dcat:keyword": list(record.tags),
        "dct:license": {"@id": record.licence},
        "dcat:distribution": [
            {
                "@id": f"{file.url}#file",
                "@type": "dcat:Distribution",
                "dct:title": file.title,
                "dcat:downloadURL": {"@id": file.url},
                "dct:format": file.format,
            }
            for file in record.distributions
        ],
    }


def urls(record: Record) -> list[str]:
    """Return the URLs of the resources: data.gov.uk's mapping adds the landing page."""
    return [*(each.url for each in record.distributions), *filter(None, (record.page,))]


def page(listing: Listing, number: int) -> str:
    """Return a page of the catalogue with the link to the next."""
    start = (number - 1) * listing.size
    following = f"; hydra:next <{_address(number + 1)}>"
    link = following if listing.following(start) is not None else ""
    return (
        f"{TURTLE}<{_address(number)}> a hydra:PartialCollectionView{link} .\n"
        f"<#catalogue> a dcat:Catalog; hydra:totalItems {listing.total(start)} .\n"
        f"{''.join(map(turtle_of, listing.page(start)))}"
    )


def _address(number: int) -> str:
    return _PATH if number == 1 else f"{_PATH}?page={number}"


def _answer(request: Request, listing: Listing) -> Response | None:
    if path_of(request) != _PATH:
        return None
    return text_response(page(listing, number(request, "page", 1)), "text/turtle")


def _addresses(listing: Listing) -> list[str]:
    return [_address(each) for each in range(1, len(listing.starts) + 1)]


DCAT_RDF = Service(_PATH, _answer, _addresses, guid=uri, urls=urls)
