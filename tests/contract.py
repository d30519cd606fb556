"""Servers of each source type for the contract tests: a new type only adds its own here.

A type has one entry in ``SERVERS``: a function that makes a publisher serve the given records the
way real publishers of the type do, in two pages if the protocol has pages, and returns the source's
path. A record must have a number (its identity), a title and a description.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from ckanext.ukharvest.testing.contract import Item, Serve, Served, items
from tests.publisher import Publisher
from tests.sparql_endpoint import TURTLE, Endpoint

__all__ = ["SERVERS", "Item", "Served", "items"]


def _data_json(publisher: Publisher, records: Sequence[Item]) -> Served:
    half = (len(records) + 1) // 2
    publisher.serve("/data.json", catalogue(records[:half]))
    publisher.serve("/data.json?page=2", catalogue(records[half:]))
    return Served("/data.json", "/data.json?page=2")


def catalogue(records: Sequence[Item]) -> dict[str, Any]:
    """Return a data.json document of the records."""
    return {"dataset": [_dataset(each) for each in records]}


def _dataset(item: Item) -> dict[str, Any]:
    dataset = {
        "identifier": f"id-{item.number}",
        "title": item.title,
        "description": item.description,
        "distribution": [{"downloadURL": f"https://data.example/{item.number}.csv"}],
    }
    if item.nameless:
        del dataset["identifier"]
    return dataset


SEARCH = "/api/3/action/package_search?rows=100&start={}&sort=id+asc"


def _ckan(publisher: Publisher, records: Sequence[Item]) -> Served:
    """Serve a site that returns fewer datasets a page than requested, as CKAN does from 2.8 on."""
    half = (len(records) + 1) // 2
    pages = {0: records[:half], half - 1: records[half - 1 :]}
    for start, page in pages.items():
        result = {"count": len(records), "results": [package(each) for each in page]}
        publisher.serve(SEARCH.format(start), {"help": "", "success": True, "result": result})
    return Served(SEARCH.format(0), SEARCH.format(half - 1))


def package(item: Item) -> dict[str, Any]:
    """Return a record as CKAN and DKAN 7 show it."""
    package = {
        "id": f"id-{item.number:03}",
        "name": f"name-{item.number}",
        "title": item.title,
        "notes": item.description,
        "resources": [{"id": f"r-{item.number}", "url": f"https://data.example/{item.number}.csv"}],
    }
    if item.nameless:
        del package["id"]
    return package


DKAN_LIST = "/api/3/action/current_package_list_with_resources?limit=100&offset={}"


def _dkan(publisher: Publisher, records: Sequence[Item]) -> Served:
    """Serve DKAN 7, which chooses the size of its pages and ends with an empty one."""
    half = (len(records) + 1) // 2
    pages = {0: records[:half], half: records[half:], len(records): ()}
    for start, page in pages.items():
        result = [package(each) for each in page]
        publisher.serve(DKAN_LIST.format(start), {"success": True, "result": result})
    names = [f"name-{each.number}" for each in records]
    publisher.serve("/api/3/action/package_list", {"success": True, "result": names})
    return Served(DKAN_LIST.format(0), DKAN_LIST.format(half))


def _inventory(publisher: Publisher, records: Sequence[Item]) -> Served:
    datasets = "".join(_inventory_dataset(each) for each in records)
    text = (
        '<inv:Inventory xmlns:inv="http://schemas.esd.org.uk/inventory" Modified="2024-05-01">'
        "<inv:Identifier>https://council.example</inv:Identifier>"
        f"<inv:Datasets>{datasets}</inv:Datasets></inv:Inventory>"
    )
    publisher.serve("/inventory.xml", text, headers={"Content-Type": "application/xml"})
    return Served("/inventory.xml", "/inventory.xml")


def _inventory_dataset(item: Item) -> str:
    identifier = "" if item.nameless else f"id-{item.number}"
    address = f"https://data.example/{item.number}.csv"
    return (
        '<inv:Dataset Modified="2024-04-01">'
        f"<inv:Identifier>{identifier}</inv:Identifier><inv:Title>{item.title}</inv:Title>"
        f"<inv:Description>{item.description}</inv:Description>"
        '<inv:Resources><inv:Resource Type="Data"><inv:Identifier>file</inv:Identifier>'
        "<inv:Title>File</inv:Title><inv:Renditions><inv:Rendition>"
        f"<inv:Identifier>{address}</inv:Identifier>"
        "</inv:Rendition></inv:Renditions></inv:Resource></inv:Resources></inv:Dataset>"
    )


def _dcat_rdf(publisher: Publisher, records: Sequence[Item]) -> Served:
    """Serve Turtle in pages with Hydra links, as CKAN's own catalogue has them."""
    half = (len(records) + 1) // 2
    paths = ["/catalog.ttl", "/catalog.ttl?page=2"]
    for path, page in zip(paths, (records[:half], records[half:]), strict=True):
        link = f"; hydra:next <{paths[1]}>" if path == paths[0] else ""
        text = (
            "@prefix dcat: <http://www.w3.org/ns/dcat#> ."
            " @prefix dct: <http://purl.org/dc/terms/> ."
            " @prefix hydra: <http://www.w3.org/ns/hydra/core#> .\n"
            f"<{path}> a hydra:PartialCollectionView{link} .\n"
            f"<#catalogue> a dcat:Catalog; hydra:totalItems {len(records)} .\n"
        )
        turtle = text + "".join(turtle_of(each) for each in page)
        publisher.serve(path, turtle, headers={"Content-Type": "text/turtle"})
    return Served(*paths)


def turtle_of(item: Item) -> str:
    """Return a record as a dcat:Dataset in Turtle."""
    title = f'dct:title "{item.title}"; ' if item.title else ""
    node = "[]" if item.nameless else f"<https://data.example/id/{item.number}>"
    return (
        f'{node} a dcat:Dataset; {title}dct:description "{item.description}"; dcat:distribution'
        f" [ a dcat:Distribution; dcat:downloadURL <https://data.example/{item.number}.csv> ] .\n"
    )


_PAGE = (
    "/csw?service=CSW&version=2.0.2&request=GetRecords&resultType=results"
    "&outputSchema=http%3A%2F%2Fwww.isotc211.org%2F2005%2Fgmd&typeNames=gmd%3AMD_Metadata"
    "&elementSetName=full&startPosition={}&maxRecords=50&sortBy=apiso%3AIdentifier%3AA"
)
_GEMINI = (
    '<gmd:MD_Metadata xmlns:gmd="http://www.isotc211.org/2005/gmd"'
    ' xmlns:gco="http://www.isotc211.org/2005/gco">{identifier}<gmd:dateStamp>'
    "<gco:Date>2024-04-01</gco:Date></gmd:dateStamp><gmd:identificationInfo>"
    "<gmd:MD_DataIdentification><gmd:citation><gmd:CI_Citation><gmd:title>"
    "<gco:CharacterString>{title}</gco:CharacterString></gmd:title></gmd:CI_Citation>"
    "</gmd:citation><gmd:abstract><gco:CharacterString>{description}</gco:CharacterString>"
    "</gmd:abstract></gmd:MD_DataIdentification></gmd:identificationInfo><gmd:distributionInfo>"
    "<gmd:MD_Distribution><gmd:transferOptions><gmd:MD_DigitalTransferOptions><gmd:onLine>"
    "<gmd:CI_OnlineResource><gmd:linkage><gmd:URL>https://data.example/{number}.csv</gmd:URL>"
    "</gmd:linkage></gmd:CI_OnlineResource></gmd:onLine></gmd:MD_DigitalTransferOptions>"
    "</gmd:transferOptions></gmd:MD_Distribution></gmd:distributionInfo></gmd:MD_Metadata>"
)


def gemini(item: Item) -> str:
    """Return a GEMINI record with the required elements and a file to download."""
    text = f"<gco:CharacterString>id-{item.number}</gco:CharacterString>"
    identifier = "" if item.nameless else f"<gmd:fileIdentifier>{text}</gmd:fileIdentifier>"
    return _GEMINI.format(
        identifier=identifier,
        title=item.title,
        description=item.description,
        number=item.number,
    )


def _gemini_single(publisher: Publisher, records: Sequence[Item]) -> Served:
    """Serve a saved answer of a catalogue, since one record alone tests little."""
    found = "".join(gemini(each) for each in records)
    text = (
        '<csw:GetRecordsResponse xmlns:csw="http://www.opengis.net/cat/csw/2.0.2">'
        f"<csw:SearchResults>{found}</csw:SearchResults></csw:GetRecordsResponse>"
    )
    publisher.serve("/records.xml", text, headers={"Content-Type": "application/xml"})
    return Served("/records.xml", "/records.xml")


def _gemini_waf(publisher: Publisher, records: Sequence[Item]) -> Served:
    """Serve a page without dates, and files whose server knows whether they changed."""
    names = [f"{each.number}.xml" for each in records]
    links = "".join(f'<li><a href="{name}">{name}</a></li>' for name in names)
    page = f"<html><head><title>Records</title></head><body><ul>{links}</ul></body></html>"
    publisher.serve("/waf/", page, headers={"Content-Type": "text/html"})
    for name, each in zip(names, records, strict=True):
        text = gemini(each)
        tag = f'"{hashlib.sha256(text.encode()).hexdigest()}"'
        headers = {"Content-Type": "application/xml"}
        publisher.serve(f"/waf/{name}", text, headers=headers, etag=tag)
    return Served("/waf/", "/waf/")


def _gemini_csw(publisher: Publisher, records: Sequence[Item]) -> Served:
    """Serve a catalogue that refuses POST and returns fewer records than requested."""
    half = (len(records) + 1) // 2
    paths = [_PAGE.format(start) for start in (1, half + 1)]
    for path, page, following in zip(
        paths, (records[:half], records[half:]), (half + 1, 0), strict=True
    ):
        text = (
            '<csw:GetRecordsResponse xmlns:csw="http://www.opengis.net/cat/csw/2.0.2">'
            f'<csw:SearchResults numberOfRecordsMatched="{len(records)}" elementSet="full"'
            f' numberOfRecordsReturned="{len(page)}" nextRecord="{following}">'
            f"{''.join(gemini(each) for each in page)}"
            "</csw:SearchResults></csw:GetRecordsResponse>"
        )
        publisher.serve(path, text, headers={"Content-Type": "application/xml"})
    return Served(*paths)


def oai_dc(item: Item) -> str:
    """Return a record of Dublin Core with its header."""
    identifier = "" if item.nameless else f"<identifier>id-{item.number}</identifier>"
    return (
        f"<record><header>{identifier}<datestamp>2024-04-01</datestamp></header><metadata>"
        '<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
        f' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{item.title}</dc:title>'
        f"<dc:description>{item.description}</dc:description>"
        f"<dc:identifier>https://data.example/{item.number}.csv</dc:identifier>"
        "</oai_dc:dc></metadata></record>"
    )


def oaipmh(inside: str) -> str:
    """Return a response of OAI-PMH."""
    return (
        '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'
        f"<responseDate>2024-05-01T10:00:00Z</responseDate>{inside}</OAI-PMH>"
    )


OAI_LIST = "/oai?verb=ListRecords&metadataPrefix=oai_dc"
OAI_NEXT = "/oai?verb=ListRecords&resumptionToken={}"


def _oaipmh(publisher: Publisher, records: Sequence[Item]) -> Served:
    """Serve a repository that announces the number of its records, in two pages."""
    half = (len(records) + 1) // 2
    formats = "<metadataFormat><metadataPrefix>oai_dc</metadataPrefix></metadataFormat>"
    headers = {"Content-Type": "text/xml"}
    text = oaipmh(f"<ListMetadataFormats>{formats}</ListMetadataFormats>")
    publisher.serve("/oai?verb=ListMetadataFormats", text, headers=headers)
    paths = [OAI_LIST, OAI_NEXT.format("p2")]
    for path, page in zip(paths, (records[:half], records[half:]), strict=True):
        token = "p2" if path == OAI_LIST else ""
        last = f'<resumptionToken completeListSize="{len(records)}">{token}</resumptionToken>'
        found = "".join(oai_dc(each) for each in page)
        text = oaipmh(f"<ListRecords>{found}{last}</ListRecords>")
        publisher.serve(path, text, headers=headers)
    return Served(*paths)


def _sparql(publisher: Publisher, records: Sequence[Item]) -> Served:
    """Serve an endpoint that takes no GET."""
    publisher.routes["/sparql"] = Endpoint(TURTLE + "".join(map(turtle_of, records)))
    return Served("/sparql", "/sparql")


ODS_LIST = "/api/explore/v2.1/catalog/datasets?limit=100&offset={}&order_by=dataset_id"


def _ods(publisher: Publisher, records: Sequence[Item]) -> Served:
    """Serve a portal that returns fewer datasets a page than requested."""
    half = (len(records) + 1) // 2
    for start, page in ((0, records[:half]), (half, records[half:])):
        answer = {"total_count": len(records), "results": [ods_dataset(each) for each in page]}
        publisher.serve(ODS_LIST.format(start), answer)
    return Served(ODS_LIST.format(0), ODS_LIST.format(half))


def ods_dataset(item: Item) -> dict[str, Any]:
    """Return a record as Explore API 2.1 shows it."""
    file = {"id": "file", "title": "File", "url": f"https://data.example/{item.number}.csv"}
    dataset = {
        "dataset_id": f"id-{item.number:03}",
        "has_records": False,
        "attachments": [file],
        "metas": {"default": {"title": item.title, "description": item.description}},
    }
    if item.nameless:
        del dataset["dataset_id"]
    return dataset


OPENSEARCH = "/search?n=50"
OPENSEARCH_NEXT = "/search?n=50&from={}"
TEMPLATE = "/search?n={count}&amp;from={startIndex?}&amp;q={searchTerms?}"


def atom_entry(item: Item) -> str:
    """Return a record as an entry of Atom."""
    identity = "" if item.nameless else f"<id>https://search.example/{item.number}</id>"
    title = f"<title>{item.title}</title>" if item.title else ""
    return (
        f"<entry>{identity}{title}<summary>{item.description}</summary>"
        "<updated>2024-05-01T10:00:00Z</updated>"
        f'<link rel="enclosure" href="https://data.example/{item.number}.csv"/></entry>'
    )


def atom_feed(inside: str, total: object) -> str:
    """Return a page of results in Atom."""
    return (
        '<feed xmlns="http://www.w3.org/2005/Atom"'
        ' xmlns:os="http://a9.com/-/spec/opensearch/1.1/">'
        f"<title>Results</title><os:totalResults>{total}</os:totalResults>{inside}</feed>"
    )


def osdd(template: str = TEMPLATE, media_type: str = "application/atom+xml") -> str:
    """Return a description document with one template."""
    return (
        '<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">'
        "<ShortName>Search</ShortName>"
        f'<Url type="{media_type}" template="{template}"/></OpenSearchDescription>'
    )


def _opensearch(publisher: Publisher, records: Sequence[Item]) -> Served:
    """Serve a search that returns at most half of the records at a time."""
    half = (len(records) + 1) // 2
    publisher.serve("/osdd.xml", osdd(), headers={"Content-Type": "application/xml"})
    pages = {1: records[:half], half + 1: records[half:], len(records) + 1: ()}
    for start, page in pages.items():
        path = OPENSEARCH if start == 1 else OPENSEARCH_NEXT.format(start)
        text = atom_feed("".join(atom_entry(each) for each in page), len(records))
        publisher.serve(path, text, headers={"Content-Type": "application/atom+xml"})
    return Served("/osdd.xml", OPENSEARCH_NEXT.format(half + 1))


SERVERS: dict[str, Serve] = {
    "ckan": _ckan,
    "data_json": _data_json,
    "dcat_rdf": _dcat_rdf,
    "dkan": _dkan,
    "gemini-csw": _gemini_csw,
    "gemini-single": _gemini_single,
    "gemini-waf": _gemini_waf,
    "inventory": _inventory,
    "oaipmh": _oaipmh,
    "sparql": _sparql,
    "ods": _ods,
    "opensearch": _opensearch,
}
