"""Two sources that list the same three datasets, of any two types."""

from __future__ import annotations

from typing import Any

from ckan import model

from ckanext.ukharvest.harvest.model import Record
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvest.moved_datasets import serve
from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.remote_site import package
from tests.publisher import Publisher
from tests.publishing.dcat import TURTLE

GUIDS = [f"https://data.example/id/{number:05}" for number in range(3)]


def title_of(number: int) -> str:
    return f"Dataset {number:05}"


def file_of(number: int) -> str:
    return f"https://data.example/files/{number}.csv"


def data_json(publisher: Publisher, numbers: Any = range(3), **fields: Any) -> None:
    """Serve a council's own catalogue."""
    publisher.serve(
        "/data.json", catalogue([dataset(n, **{"identifier": GUIDS[n], **fields}) for n in numbers])
    )


def turtle(publisher: Publisher, numbers: Any = range(3)) -> None:
    """Serve the same records as DCAT, with the same URIs."""
    texts = [
        f'<{GUIDS[n]}> a dcat:Dataset; dct:title "{title_of(n)}"; dct:description "About {n}.";'
        f' dcat:distribution [ dcat:downloadURL <{file_of(n)}>; dct:title "Table {n}" ] .\n'
        for n in numbers
    ]
    publisher.serve(
        "/catalog.ttl", TURTLE + "".join(texts), headers={"Content-Type": "text/turtle"}
    )


def region(publisher: Publisher, numbers: Any = range(3)) -> None:
    """Serve the portal of a region that hands the records on under ids of its own."""
    packages = []
    for n in numbers:
        made = package(n, title=title_of(n))
        made["resources"] = [{**made["resources"][1], "url": file_of(n), "name": f"Table {n}"}]
        named = [{"key": "guid", "value": GUIDS[n]}, {"key": "import_source", "value": "harvest"}]
        packages.append({**made, "extras": [*made["extras"], *named]})
    serve(publisher, packages)


SERVE = {"data_json": data_json, "dcat_rdf": turtle, "ckan": region}
PATHS = {"data_json": "/data.json", "dcat_rdf": "/catalog.ttl", "ckan": ""}
ORDERS = [
    ("data_json", "ckan"),
    ("ckan", "data_json"),
    ("data_json", "dcat_rdf"),
    ("dcat_rdf", "data_json"),
]


class TwoRoutes:
    """Two sources, each with a publisher of its own, that list the same three datasets."""

    def __init__(self, portal: Portal, publishers: tuple[Publisher, Publisher]) -> None:
        self.portal, self.publishers = portal, publishers
        self.types: tuple[str, str] = ("", "")
        self.sources: list[str] = []
        self.hosts = ("127.0.0.1", "127.0.0.1")

    def start(self, *types: str, **second: Any) -> None:
        """Make the sources and run both, the first one first."""
        self.make(*types, **second)
        assert figures(self.run(0)) == {"added": 3}
        assert figures(self.run(1)) == {"not modified": 3}

    def make(self, *types: str, **second: Any) -> None:
        self.types = types
        for number, type_ in enumerate(types):
            SERVE[type_](self.publishers[number])
            url = self.publishers[number].url(PATHS[type_], host=self.hosts[number])
            self.sources.append(self.portal.source(url, type_, **(second if number else {})))

    def run(self, number: int, **how: Any) -> dict[str, Any]:
        return self.portal.run(self.sources[number], **how)

    def switch_off(self, number: int) -> None:
        act("harvest_source_delete", id=self.sources[number])

    def switch_on(self, number: int) -> None:
        act("harvest_source_patch", id=self.sources[number], state="active")

    def list_only(self, number: int, numbers: Any) -> None:
        SERVE[self.types[number]](self.publishers[number], numbers)

    def holders(self) -> list[int]:
        """Return for each dataset, by title, which of the sources has it."""
        model.Session.remove()
        query = (
            model.Session.query(Record.source_id)
            .join(model.Package, model.Package.id == Record.package_id)
            .filter(model.Package.state == "active")
            .order_by(model.Package.title)
        )
        holders = [self.sources.index(source_id) for (source_id,) in query]
        model.Session.remove()
        return holders
