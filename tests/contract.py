"""How each source type is served in the contract tests: the only thing a new type adds there.

A type has one entry in ``SERVERS``: a function that makes a publisher serve the given records the
way real publishers of the type do, in two pages where the protocol has pages, and returns the
source's path. What a record must have is a number (its identity), a title and a description.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.publisher import Publisher


@dataclass(frozen=True)
class Item:
    """One record to be served.

    Attributes:
        title: "" makes it a record that every parser has to refuse.
        nameless: leave its identifier out.
    """

    number: int
    title: str = "A title"
    description: str = "A description."
    nameless: bool = False


@dataclass(frozen=True)
class Served:
    """Where the source is, and the path whose failure means a half-read source."""

    path: str
    late_path: str


def items(count: int, **changed: Any) -> list[Item]:
    """Records 0 to count-1."""
    return [Item(number, title=f"Title {number}", **changed) for number in range(count)]


def _data_json(publisher: Publisher, records: Sequence[Item]) -> Served:
    half = (len(records) + 1) // 2
    publisher.serve("/data.json", _catalogue(records[:half]))
    publisher.serve("/data.json?page=2", _catalogue(records[half:]))
    return Served("/data.json", "/data.json?page=2")


def _catalogue(records: Sequence[Item]) -> dict[str, Any]:
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


_SEARCH = "/api/3/action/package_search?rows=100&start={}&sort=id+asc"


def _ckan(publisher: Publisher, records: Sequence[Item]) -> Served:
    """A site that shows fewer datasets a page than it is asked for, as CKAN does from 2.8 on."""
    half = (len(records) + 1) // 2
    pages = {0: records[:half], half - 1: records[half - 1 :]}
    for start, page in pages.items():
        result = {"count": len(records), "results": [_package(each) for each in page]}
        publisher.serve(_SEARCH.format(start), {"help": "", "success": True, "result": result})
    return Served(_SEARCH.format(0), _SEARCH.format(half - 1))


def _package(item: Item) -> dict[str, Any]:
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


_LIST = "/api/3/action/current_package_list_with_resources?limit=100&offset={}"


def _dkan(publisher: Publisher, records: Sequence[Item]) -> Served:
    """DKAN 7, whose pages are as large as the site likes and go on until one is empty."""
    half = (len(records) + 1) // 2
    pages = {0: records[:half], half: records[half:], len(records): ()}
    for start, page in pages.items():
        result = [_package(each) for each in page]
        publisher.serve(_LIST.format(start), {"success": True, "result": result})
    names = [f"name-{each.number}" for each in records]
    publisher.serve("/api/3/action/package_list", {"success": True, "result": names})
    return Served(_LIST.format(0), _LIST.format(half))


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
    """Turtle in pages that Hydra links, as CKAN's own catalogue has them."""
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
        turtle = text + "".join(_described(each) for each in page)
        publisher.serve(path, turtle, headers={"Content-Type": "text/turtle"})
    return Served(*paths)


def _described(item: Item) -> str:
    title = f'dct:title "{item.title}"; ' if item.title else ""
    node = "[]" if item.nameless else f"<https://data.example/id/{item.number}>"
    return (
        f'{node} a dcat:Dataset; {title}dct:description "{item.description}"; dcat:distribution'
        f" [ a dcat:Distribution; dcat:downloadURL <https://data.example/{item.number}.csv> ] .\n"
    )


SERVERS: dict[str, Callable[[Publisher, Sequence[Item]], Served]] = {
    "ckan": _ckan,
    "data_json": _data_json,
    "dcat_rdf": _dcat_rdf,
    "dkan": _dkan,
    "inventory": _inventory,
}
