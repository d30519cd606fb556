"""Publishers whose pages do not fit together, for each source type that has pages.

``PAGED`` has an entry for each type: a function that makes a publisher serve whatever page a
``Catalogue`` gives for a position, or the reason why the type has no pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from tests.contract import (
    Item,
    atom_entry,
    atom_feed,
    catalogue,
    gemini,
    items,
    oai_dc,
    oaipmh,
    ods_dataset,
    osdd,
    package,
    turtle_of,
)
from tests.publisher import Everything, Publisher, Request, Response, Route
from tests.sparql_endpoint import TURTLE, rows, text_of

SIZE = 3  # records a page
COUNT = 6


@dataclass(frozen=True)
class Catalogue:
    """What a publisher shows from a position on, and the number of records that it announces."""

    page: Callable[[int], Sequence[Item]]
    total: Callable[[int], int]


def _good(start: int) -> Sequence[Item]:
    return items(COUNT)[start : start + SIZE]


def _endless(start: int) -> Sequence[Item]:
    return [Item(number, title=f"Title {number}") for number in range(start, start + SIZE)]


def _shifted(start: int) -> Sequence[Item]:
    """Show records of which the first is deleted once the first page was read."""
    return items(COUNT)[1:][start : start + SIZE] if start else _good(0)


GOOD = Catalogue(_good, lambda _start: COUNT)
CATALOGUES = {
    "pages-for-ever": Catalogue(_endless, lambda _start: 1_000_000),
    "pages-for-ever-and-says-how-many": Catalogue(_endless, lambda start: start + 2 * SIZE),
    "repeats": Catalogue(lambda _start: _good(0), lambda _start: COUNT),
    "announces-too-many": Catalogue(_good, lambda _start: 100),
    "announces-too-few": Catalogue(_good, lambda _start: 2),
    "announces-ever-more": Catalogue(_good, lambda start: COUNT + start),
    "changes-between-pages": Catalogue(_shifted, lambda start: COUNT - 1 if start else COUNT),
    "goes-empty-between-pages": Catalogue(
        lambda start: () if start else _good(0), lambda start: 0 if start else COUNT
    ),
}


def _number(request: Request, name: str, default: int = 0) -> int:
    return int(parse_qs(urlsplit(request.path).query).get(name, [str(default)])[0])


class _Pages(dict[str, Route]):
    """Routes that give all queries of a path to one function."""

    def get(self, key: str, default: Route | None = None) -> Route | None:  # type: ignore[override]
        return super().get(key.partition("?")[0], default)


def _serve(publisher: Publisher, path: str, route: Callable[[Request], Response]) -> str:
    publisher.routes = _Pages({f"GET {path}": route})
    return path


def _json(publisher: Publisher, path: str, answer: Callable[[Request], object]) -> None:
    def route(request: Request) -> Response:
        kept = Publisher()
        kept.serve("/", answer(request))
        found = kept.routes["/"]
        assert isinstance(found, Response)
        return found

    publisher.routes[f"GET {path}"] = route


def _ckan(publisher: Publisher, shown: Catalogue) -> str:
    def answer(request: Request) -> object:
        start = _number(request, "start")
        result = {
            "count": shown.total(start),
            "results": [package(each) for each in shown.page(start)],
        }
        return {"success": True, "result": result}

    publisher.routes = _Pages()
    _json(publisher, "/api/3/action/package_search", answer)
    return "/"


def _dkan(publisher: Publisher, shown: Catalogue) -> str:
    def answer(request: Request) -> object:
        page = shown.page(_number(request, "offset"))
        return {"success": True, "result": [package(each) for each in page]}

    publisher.routes = _Pages()
    _json(publisher, "/api/3/action/current_package_list_with_resources", answer)
    names = [f"name-{number}" for number in range(min(shown.total(0), 50))]
    _json(publisher, "/api/3/action/package_list", lambda _r: {"success": True, "result": names})
    return "/"


def _data_json(publisher: Publisher, shown: Catalogue) -> str:
    def answer(request: Request) -> object:
        return catalogue(shown.page((_number(request, "page", 1) - 1) * SIZE))

    publisher.routes = _Pages()
    _json(publisher, "/data.json", answer)
    return "/data.json"


def _dcat_rdf(publisher: Publisher, shown: Catalogue) -> str:
    def answer(request: Request) -> Response:
        number = _number(request, "page", 1)
        start = (number - 1) * SIZE
        total = shown.total(start)
        more = shown.page(start + SIZE)
        link = f"; hydra:next </catalog.ttl?page={number + 1}>" if more else ""
        text = (
            "@prefix dcat: <http://www.w3.org/ns/dcat#> ."
            " @prefix dct: <http://purl.org/dc/terms/> ."
            " @prefix hydra: <http://www.w3.org/ns/hydra/core#> .\n"
            f"<?page={number}> a hydra:PartialCollectionView{link} .\n"
            f"<#catalogue> a dcat:Catalog; hydra:totalItems {total} .\n"
        )
        text += "".join(turtle_of(each) for each in shown.page(start))
        return Response(text.encode(), headers={"Content-Type": "text/turtle"})

    return _serve(publisher, "/catalog.ttl", answer)


def _gemini_csw(publisher: Publisher, shown: Catalogue) -> str:
    def answer(request: Request) -> Response:
        start = _number(request, "startPosition", 1) - 1
        page, total = shown.page(start), shown.total(start)
        following = start + SIZE + 1 if shown.page(start + SIZE) else 0
        text = (
            '<csw:GetRecordsResponse xmlns:csw="http://www.opengis.net/cat/csw/2.0.2">'
            f'<csw:SearchResults numberOfRecordsMatched="{total}" elementSet="full"'
            f' numberOfRecordsReturned="{len(page)}" nextRecord="{following}">'
            f"{''.join(gemini(each) for each in page)}"
            "</csw:SearchResults></csw:GetRecordsResponse>"
        )
        return Response(text.encode(), headers={"Content-Type": "application/xml"})

    return _serve(publisher, "/csw", answer)


def _gemini_waf(publisher: Publisher, shown: Catalogue) -> str:
    """Serve folders: each has a page's files, and a link to the next folder below it."""

    def answer(request: Request) -> Response:
        place, _, name = urlsplit(request.path).path.rpartition("/")
        if name:
            number = int(name.partition(".")[0])
            text, kind = gemini(Item(number, title=f"Title {number}")), "application/xml"
        else:
            start = place.count("/next") * SIZE
            links = [f"{each.number}.xml" for each in shown.page(start)]
            links += ["next/"] if shown.page(start + SIZE) or not start else []
            listed = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
            text, kind = f"<html><body><ul>{listed}</ul></body></html>", "text/html"
        return Response(text.encode(), headers={"Content-Type": kind})

    publisher.routes = Everything(answer)
    return "/waf/"


def _oaipmh(publisher: Publisher, shown: Catalogue) -> str:
    def answer(request: Request) -> Response:
        start = _number(request, "resumptionToken")
        following = start + SIZE if shown.page(start + SIZE) else ""
        token = f'<resumptionToken completeListSize="{shown.total(start)}">{following}'
        found = "".join(oai_dc(each) for each in shown.page(start))
        text = oaipmh(f"<ListRecords>{found}{token}</resumptionToken></ListRecords>")
        return Response(text.encode(), headers={"Content-Type": "text/xml"})

    return _serve(publisher, "/oai", answer)


def _sparql(publisher: Publisher, shown: Catalogue) -> str:
    def answer(request: Request) -> Response:
        query = text_of(request)
        if "COUNT(" in query:
            return rows("number_of_datasets", "literal", [str(shown.total(0))])
        if "CONSTRUCT" in query:
            numbers = sorted({int(each) for each in re.findall(r"example/id/(\d+)>", query)})
            found = [turtle_of(Item(each, title=f"Title {each}")) for each in numbers]
            return Response((TURTLE + "".join(found)).encode())
        start = int(query.rpartition("OFFSET ")[2])
        names = [f"https://data.example/id/{each.number}" for each in shown.page(start)]
        return rows("dataset", "uri", names)

    publisher.routes = _Pages({"/sparql": answer, "GET /sparql": answer, "POST /sparql": answer})
    return "/sparql"


def _ods(publisher: Publisher, shown: Catalogue) -> str:
    """Serve a portal without exports: more than 10,000 datasets cannot be read."""

    def answer(request: Request) -> object:
        start = _number(request, "offset")
        found = [ods_dataset(each) for each in shown.page(start)]
        return {"total_count": shown.total(start), "results": found}

    publisher.routes = _Pages()
    _json(publisher, "/api/explore/v2.1/catalog/datasets", answer)
    return "/"


def _opensearch(publisher: Publisher, shown: Catalogue) -> str:
    def answer(request: Request) -> Response:
        start = _number(request, "from", 1) - 1
        found = "".join(atom_entry(each) for each in shown.page(start))
        text = atom_feed(found, shown.total(start))
        return Response(text.encode(), headers={"Content-Type": "application/atom+xml"})

    _serve(publisher, "/search", answer)
    publisher.routes["GET /osdd.xml"] = Response(osdd().encode())
    return "/osdd.xml"


Pages = Callable[[Publisher, Catalogue], str]

PAGED: dict[str, Pages | str] = {
    "ckan": _ckan,
    "data_json": _data_json,
    "dcat_rdf": _dcat_rdf,
    "dkan": _dkan,
    "gemini-csw": _gemini_csw,
    "gemini-single": "is one document",
    "gemini-waf": _gemini_waf,
    "inventory": "is one document",
    "oaipmh": _oaipmh,
    "sparql": _sparql,
    "ods": _ods,
    "opensearch": _opensearch,
}
# Options that make a reader follow pages.
OPTIONS: dict[str, dict[str, object]] = {"gemini-waf": {"depth": 10}}
