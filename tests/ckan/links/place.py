"""A publisher of one dataset with a link to check, and a jobs worker's part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from ckan import model
from ckan.tests.helpers import call_action

from ckanext.ukharvest.harvest import background
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.links import check as link_check
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, figures
from tests.publisher import Publisher

PATH = "/data.json"
RIVERS = "/rivers"
WMS = """<?xml version="1.0" encoding="UTF-8"?>
<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms"
    xmlns:xlink="http://www.w3.org/1999/xlink">
  <Service><Name>WMS</Name><Title>Rivers of Somewhere</Title></Service>
  <Capability>
    <Request><GetMap><Format>image/png</Format><DCPType><HTTP><Get>
      <OnlineResource xlink:type="simple" xlink:href="{address}?"/>
    </Get></HTTP></DCPType></GetMap></Request>
    <Layer><Title>All</Title>{layers}</Layer>
  </Capability>
</WMS_Capabilities>
"""
LAYER = "<Layer><Name>{0}</Name><Title>{0}</Title><CRS>EPSG:27700</CRS></Layer>"


class Routes(dict[str, Any]):
    """Routes that answer a path with any query."""

    def get(self, key: str, default: Any = None) -> Any:
        path = key if key.startswith(PATH) else key.partition("?")[0]
        return super().get(key, super().get(path, default))


class Place:
    """A publisher whose one dataset links RIVERS without naming its format."""

    def __init__(self, portal: Portal, publisher: Publisher) -> None:
        self.portal = portal
        self.publisher = publisher
        publisher.routes = Routes()
        self.serve_wms("rivers", "lakes")
        self.publish(RIVERS)
        self.source = portal.source(publisher.url(PATH), name="rivers")

    def serve_wms(self, *layers: str) -> None:
        address = self.publisher.url(RIVERS)
        text = WMS.format(address=address, layers="".join(map(LAYER.format, layers)))
        self.publisher.serve(RIVERS, text, headers={"Content-Type": "text/xml"})

    def publish(self, *addresses: str, **fields: Any) -> None:
        urls = [self.publisher.url(each) if each[0] == "/" else each for each in addresses]
        distribution = [{"title": f"Link {n}", "accessURL": url} for n, url in enumerate(urls)]
        given = dataset(1, distribution=distribution, **fields)
        self.publisher.serve(PATH, catalogue([given]))

    def add(self, *urls: str) -> None:
        """Add resources by hand."""
        resources = [*self.dataset["resources"], *({"url": url} for url in urls)]
        act("package_patch", id=self.dataset["id"], resources=resources)

    def harvest(self) -> dict[str, int]:
        return figures(self.portal.run(self.source))

    @property
    def dataset(self) -> dict[str, Any]:
        [shown] = self.portal.datasets()
        return shown

    @property
    def resource(self) -> dict[str, Any]:
        return dict(self.dataset["resources"][0])

    @property
    def formats(self) -> list[str]:
        return [each["format"] for each in self.dataset["resources"]]

    def new_requests(self) -> list[str]:
        """Return the requests since the last call, without the catalogue's."""
        paths = [path for path in self.publisher.paths if not path.startswith(PATH)]
        self.publisher.requests.clear()
        return paths

    def link(self, **context: Any) -> dict[str, Any]:
        return dict(call_action("ukharvest_link_show", context, id=self.resource["id"]))


def queued() -> list[str]:
    """Return the titles of the queued background jobs."""
    return [job["title"] for job in call_action("job_list")]


def work() -> None:
    """Run the queued job as a jobs worker does, or run one if none is queued."""
    call_action("job_clear")
    background.work_for_minutes()
    model.Session.remove()


@pytest.fixture
def place(portal: Portal, publisher: Publisher) -> Place:
    return Place(portal, publisher)


@pytest.fixture(autouse=True)
def no_pauses(clean: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check links without pauses between the requests to a host, and no job waiting."""
    monkeypatch.setattr(link_check, "LIMITS", replace(link_check.LIMITS, delay=0.0))
    call_action("job_clear")


@pytest.fixture
def move(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Move the clock on by this many days."""
    now, moved = tables.utcnow, [timedelta(0)]

    def later() -> datetime:
        return now() + moved[0]

    def move_on(days: float) -> None:
        moved[0] += timedelta(days=days)

    monkeypatch.setattr(tables, "utcnow", later)
    return move_on
