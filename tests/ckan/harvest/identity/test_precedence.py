"""Which of two sources has a dataset: a publisher's records, and what others hand on of them."""

from __future__ import annotations

import datetime
import itertools
import random
from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import call_action

from ckanext.ukharvest.harvest.batch.dataset_writer import DatasetWriter
from ckanext.ukharvest.harvest.identity import routes
from ckanext.ukharvest.harvest.identity.precedence import Contest
from ckanext.ukharvest.harvest.model import JobReport, Record
from ckanext.ukharvest.harvest.records.conflicts import Rejected
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvest.identity import two_routes
from tests.ckan.harvest.identity.two_routes import (
    ORDERS,
    PATHS,
    TwoRoutes,
    data_json,
    title_of,
    turtle,
)
from tests.ckan.harvest.moved_datasets import ids, serve
from tests.ckan.harvesting import Portal, act, figures
from tests.ckan.remote_site import package
from tests.publisher import Publisher
from tests.publishing.dcat import TURTLE

pytestmark = pytest.mark.in_process


@pytest.mark.parametrize("types", ORDERS)
def test_second_route_is_the_same_dataset(two: TwoRoutes, types: tuple[str, str]) -> None:
    two.start(*types)
    before = ids(two.portal)
    for id_ in before:
        shown = call_action("ukharvest_dataset_show", id=id_)
        assert [each["id"] for each in shown["also_in"]] == [two.sources[1]]
    for number in (0, 1, 0, 1):
        assert figures(two.run(number)) == {"not modified": 3}
    assert (ids(two.portal), two.holders()) == (before, [0, 0, 0])


@pytest.mark.parametrize("types", ORDERS[:2])
def test_dropped_dataset_goes_on_from_the_other_route(
    two: TwoRoutes, types: tuple[str, str]
) -> None:
    two.start(*types)
    before = ids(two.portal)
    act("package_patch", id=next(iter(before)), author="A person")
    two.list_only(0, [0, 1])
    for _ in range(2):
        two.run(0, force=True)  # else a portal is asked for changes only
    assert figures(two.run(1)) == {"updated": 1, "not modified": 2}
    assert (ids(two.portal), two.holders()) == (before, [0, 0, 1])
    # The first lists it again: that changes nothing.
    two.list_only(0, range(3))
    two.run(0, force=True)
    assert figures(two.run(1)) == {"not modified": 3}
    assert (ids(two.portal), two.holders()) == (before, [0, 0, 1])


@pytest.mark.parametrize("end", ["waits", "is stopped", "fails"])
def test_record_that_its_source_lists_is_a_route_before_its_import(
    two: TwoRoutes, end: str
) -> None:
    two.start("data_json", "data_json")
    before = ids(two.portal)
    changed = {"title": ""} if end == "fails" else {"description": "Another one."}
    data_json(two.publishers[1], **changed)
    job_id = two.portal.create_job(two.sources[1])
    waiting = two.portal.gather(job_id)
    if end == "is stopped":
        assert act("ukharvest_run_stop", id=job_id)["ended"]
    elif end == "fails":
        for object_id in waiting:
            two.portal.deliver(object_id)
        assert figures(two.portal.finish(job_id)) == {"errored": 3}
    two.list_only(0, [0, 1])
    for _ in range(2):
        two.run(0)
    if end == "waits":
        for object_id in waiting:
            two.portal.deliver(object_id)
        two.portal.finish(job_id)
    two.list_only(1, range(3))
    two.run(1)
    assert (ids(two.portal), two.holders()) == (before, [0, 0, 1])


def test_hand_over_deletes_nothing_once_the_other_route_is_gone(two: TwoRoutes) -> None:
    """Its deletion is another question, which the next run asks."""
    two.start("data_json", "data_json")
    before = ids(two.portal)
    two.list_only(0, [0])
    two.run(0)
    job_id = two.portal.create_job(two.sources[0])
    waiting = two.portal.gather(job_id)
    two.switch_off(1)
    for object_id in waiting:
        two.portal.deliver(object_id)
    assert figures(two.portal.finish(job_id)) == {"not modified": 3}
    assert (ids(two.portal), two.holders()) == (before, [0, 0, 0])
    assert two.run(0)["ukharvest"]["counts"]["held"] == 2


@pytest.mark.parametrize("change", [{"same_as": None, "outcome": "updated"}, None])
def test_route_that_has_just_ceased_gets_no_dataset(
    two: TwoRoutes, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any] | None
) -> None:
    two.start("data_json", "ckan")
    before = ids(two.portal)
    two.list_only(0, [0, 1])
    two.run(0)
    find, asked = routes.find_others, itertools.count()

    def find_and_part(package_ids: list[str]) -> dict[str, routes.OtherRoute]:
        others = find(package_ids)
        if others and next(asked):  # by the gather, then by the batch
            rows = model.Session.query(Record).filter_by(source_id=two.sources[1])
            rows.update(change, synchronize_session=False) if change else rows.delete()
        return others

    monkeypatch.setattr(routes, "find_others", find_and_part)
    job = two.run(0)
    assert (ids(two.portal), two.holders()) == (before, [0, 0, 0])
    assert figures(job) == {"not modified": 3}


@pytest.mark.parametrize("types", ORDERS[2:])
def test_source_that_is_switched_off_gives_its_datasets(
    two: TwoRoutes, types: tuple[str, str]
) -> None:
    two.start(*types)
    before = ids(two.portal)
    person = next(iter(before))
    act("package_patch", id=person, author="A person")
    two.switch_off(0)
    assert figures(two.run(1)) == {"updated": 3}
    assert (ids(two.portal), two.holders()) == (before, [1, 1, 1])
    assert call_action("package_show", id=person)["author"] == "A person"
    texts = {
        source: [
            each["text"] for each in act("ukharvest_decision_list", source_id=source)["results"]
        ]
        for source in two.sources
    }
    assert "Datasets handed over to Source 2: 3" in texts[two.sources[0]]
    assert texts[two.sources[1]] == ["Datasets taken over from Source 1: 3"]
    assert figures(two.run(1)) == {"not modified": 3}


def _failed(source_id: str, days: int) -> None:
    """Let a source's last run be one that failed so many days ago."""
    then = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
    then -= datetime.timedelta(days=days)
    model.Session.add(JobReport(source_id=source_id, outcome="failed", finished=then))
    model.Session.commit()


def test_source_that_fails_for_two_weeks_gives_its_datasets(two: TwoRoutes) -> None:
    two.start("data_json", "ckan")
    before = ids(two.portal)
    for days in (40, 13):  # one run of long ago is no two weeks
        _failed(two.sources[0], days)
        assert figures(two.run(1)) == {"not modified": 3}
        assert figures(two.run(0)) == {"not modified": 3}
    for days in (15, 1):
        _failed(two.sources[0], days)
    assert figures(two.run(1)) == {"updated": 3}
    assert (ids(two.portal), two.holders()) == (before, [1, 1, 1])
    # It works again: it is the second route now.
    assert figures(two.run(0)) == {"not modified": 3}
    assert figures(two.run(1)) == {"not modified": 3}
    assert (ids(two.portal), two.holders()) == (before, [1, 1, 1])


@pytest.mark.parametrize("is_on", [True, False])
def test_nothing_changes_hands_between_organisations(two: TwoRoutes, is_on: bool) -> None:
    two.start("ckan", "data_json", owner_org=factories.Organization(image_url="")["id"])
    before = ids(two.portal)
    if not is_on:
        two.switch_off(0)
    data_json(two.publishers[1], modified="2026-06-01")
    assert figures(two.run(1)) == {"not modified": 3}
    assert (ids(two.portal), two.holders()) == (before, [0, 0, 0])


@pytest.mark.parametrize(
    ("is_other", "expected"), [(True, {"added": 3}), (False, {"not modified": 3})]
)
def test_private_dataset_stands_for_its_own_organisation_only(
    two: TwoRoutes, expected: dict[str, int], *, is_other: bool
) -> None:
    other = {"owner_org": factories.Organization(image_url="")["id"]} if is_other else {}
    two.make("data_json", "dcat_rdf", **other)
    two.run(0)
    for id_ in ids(two.portal):
        act("package_patch", id=id_, private=True)
    assert figures(two.run(1)) == expected


@pytest.mark.parametrize(("host", "number"), [("localhost", 1), ("127.0.0.1", 0)])
def test_identifiers_at_the_own_host_prove_whose_datasets_they_are(
    two: TwoRoutes, monkeypatch: pytest.MonkeyPatch, host: str, number: int
) -> None:
    """If no other organisation has a source on that host."""
    own = [two.publishers[1].url(f"/id/{n}") for n in range(3)]
    monkeypatch.setattr(two_routes, "GUIDS", own)
    two.hosts = (host, "127.0.0.1")
    council = factories.Organization(image_url="")["id"]
    two.start("ckan", "data_json", owner_org=council)
    before = ids(two.portal)
    two.switch_off(0)
    two.run(1)
    assert (ids(two.portal), two.holders()) == (before, [number] * 3)
    owners = {each["owner_org"] for each in two.portal.datasets()}
    assert owners == {council if number else two.portal.organization_id}


def test_record_of_a_copy_is_refused(two: TwoRoutes) -> None:
    two.types = ("data_json", "dcat_rdf")
    data_json(two.publishers[0], title="Another one")
    turtle(two.publishers[1])
    first = two.portal.source(two.publishers[0].url("/data.json"))
    second = two.portal.source(two.publishers[1].url("/catalog.ttl"), "dcat_rdf")
    assert figures(two.portal.run(first)) == {"added": 3}
    assert figures(two.portal.run(second)) == {"errored": 3}
    assert len(two.portal.datasets()) == 3


def test_title_that_changes_later_does_not_part_the_routes(two: TwoRoutes) -> None:
    two.start("data_json", "dcat_rdf")
    data_json(two.publishers[0], title="A better title")
    assert figures(two.run(0)) == {"updated": 3}
    assert figures(two.run(1, force=True)) == {"not modified": 3}


def test_two_filters_of_one_url_share_local_numbers(two: TwoRoutes) -> None:
    """What moves from one filter to the other keeps its page."""
    rows = [dataset(n, identifier=str(n), theme=["environment"]) for n in range(4)]
    two.publishers[0].serve("/data.json", catalogue(rows))
    url = two.publishers[0].url("/data.json")
    everything = two.portal.source(url)
    assert figures(two.portal.run(everything)) == {"added": 4}
    other = two.portal.source(f"{url}/".rstrip("/"), config={"default_tags": ["other"]})
    assert figures(two.portal.run(other)) == {"not modified": 4}
    assert len(two.portal.datasets()) == 4


def test_local_numbers_of_two_urls_are_two_datasets(two: TwoRoutes) -> None:
    for each in two.publishers:
        each.serve("/data.json", catalogue([dataset(1, identifier="1")]))
        assert figures(two.portal.run(two.portal.source(each.url("/data.json")))) == {"added": 1}


def test_order_of_sources_decides_between_organisations(
    two: TwoRoutes, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the order changes, it changes back: by source, and by organisation."""
    council = factories.Organization(image_url="")
    two.start("ckan", "data_json", owner_org=council["id"])
    before = ids(two.portal)
    for order, number, taker in ((council["name"], 1, 1), ("source-1 source-2", 0, 0)):
        monkeypatch.setitem(ckan_config, "ckanext.ukharvest.same_dataset.order", order)
        two.run(taker)
        assert (ids(two.portal), two.holders()) == (before, [number] * 3)
        for each in (0, 1):
            assert figures(two.run(each)) == {"not modified": 3}
    assert {each["owner_org"] for each in two.portal.datasets()} == {two.portal.organization_id}


@pytest.mark.parametrize("name", ["leeds", "newest"])
def test_source_with_an_organisations_name_has_no_rank(
    two: TwoRoutes, ckan_config: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Nor one with the name of the rule: editors name their sources."""
    factories.Organization(image_url="", name="leeds")
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.same_dataset.order", "leeds newest")
    other = factories.Organization(image_url="")["id"]
    two.start("data_json", "ckan", owner_org=other, name=name)
    assert two.holders() == [0, 0, 0]


def test_newest_record_of_an_organisation_has_the_dataset(
    two: TwoRoutes, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.same_dataset.order", "newest")
    two.start("data_json", "data_json")
    before = ids(two.portal)
    for number, modified, holder in (
        (1, "2026-06-01", 1),
        (0, "2300-01-01", 1),
        (0, "2026-06-01T00:00:00Z", 1),
        (0, "2026-06-02", 0),
    ):
        data_json(two.publishers[number], modified=modified)
        two.run(number)
        assert (ids(two.portal), two.holders()) == (before, [holder] * 3), modified
        for each in (0, 1):
            assert figures(two.run(each)) == {"not modified": 3}


@pytest.mark.parametrize(
    ("org", "modified", "holder", "expected"),
    [
        ("a", "2026-05-02", "2026-05-01", True),
        ("a", "2026-05-01T10:00:00Z", "2026-05-01", True),
        ("a", "2026-05-01T00:00:00Z", "2026-05-01", False),
        ("b", "2026-05-02", "2026-05-01", False),
        ("a", "2300-01-01", "2026-05-01", False),
        ("a", "2026-05-02", "", False),
        ("a", "", "2026-05-01", False),
    ],
)
def test_newer_is_only_within_an_organisation(
    org: str, modified: str, holder: str, *, expected: bool
) -> None:
    assert Contest("1", org, (), "2", "a", modified, holder).is_newer is expected


def test_record_that_is_refused_leaves_the_dataset_to_the_first(
    two: TwoRoutes, monkeypatch: pytest.MonkeyPatch
) -> None:
    two.start("data_json", "dcat_rdf")
    before = ids(two.portal)
    two.switch_off(0)

    def refuse(*_args: Any, **_more: Any) -> None:
        raise Rejected({"title": ["no"]})

    with monkeypatch.context() as patch:
        patch.setattr(DatasetWriter, "write", refuse)
        assert figures(two.run(1)) == {"errored": 3}
        assert (ids(two.portal), two.holders()) == (before, [0, 0, 0])
    assert figures(two.run(1)) == {"updated": 3}
    assert (ids(two.portal), two.holders()) == (before, [1, 1, 1])


class ThreeSources:
    """A council, a department and a region, which list the same six datasets.

    From night to night files move, records go and come back, keywords change their order, a source
    cannot be read. One of the sources lists everything, another one each ten nights.
    """

    NUMBERS = range(6)
    FULL = (1, 2, 0)  # the source that lists everything
    OFF = ((0, range(4, 7)), (1, range(14, 17)), (2, range(24, 27)))

    def __init__(self, portal: Portal, publishers: Any, seed: int) -> None:
        self.random = random.Random(seed)
        self.portal, self.publishers = portal, publishers
        self.folders = dict.fromkeys(self.NUMBERS, "files")
        self.away: dict[tuple[int, int], int] = {}  # source and dataset → nights left
        self.sources = [
            portal.source(publisher.url(PATHS[type_]), type_)
            for publisher, type_ in zip(publishers, ("data_json", "dcat_rdf", "ckan"), strict=True)
        ]

    def serve(self, night: int) -> None:
        """Publish what each source lists this night; the second and third are a night behind."""
        before = dict(self.folders)
        for number in self.NUMBERS:
            if night and self.random.random() < 0.2:
                self.folders[number] = f"night-{night}"
        self.away = {key: left - 1 for key, left in self.away.items() if left > 1}
        full = {self.FULL[min(later // 10, 2)] for later in (night, night + 3)}
        for source, publisher in enumerate(self.publishers):
            if source not in full and night:
                gone = (n for n in self.NUMBERS if self.random.random() < 0.15)
                self.away |= {(source, number): 4 for number in gone}
            numbers = [n for n in self.NUMBERS if source in full or (source, n) not in self.away]
            self.publish(source, publisher, numbers, before if source else self.folders)
            if night and self.random.random() < 0.1:
                publisher.routes = {}

    def publish(
        self, source: int, publisher: Publisher, numbers: list[int], folders: dict[int, str]
    ) -> None:
        ids = {n: f"https://data.example/id/{n}" for n in numbers}
        urls = {n: f"https://data.example/{folders[n]}/{n}.geojson" for n in numbers}
        words = self.random.sample(["Parking", "roads", "Trees"], 3)
        if source == 0:
            rows = [
                dataset(
                    n,
                    identifier=ids[n],
                    keyword=words,
                    distribution=[
                        {"title": f"Map {n}", "downloadURL": urls[n], "format": "GeoJSON"}
                    ],
                )
                for n in numbers
            ]
            publisher.routes = {}
            publisher.serve("/data.json", catalogue(rows))
        elif source == 1:
            texts = (
                f'<{ids[n]}> a dcat:Dataset; dct:title "{title_of(n)}"; dcat:distribution'
                f' [ dcat:downloadURL <{urls[n]}>; dct:title "Map {n}"; dct:format "GeoJSON" ] .\n'
                for n in numbers
            )
            publisher.routes = {}
            publisher.serve(
                "/catalog.ttl", TURTLE + "".join(texts), headers={"Content-Type": "text/turtle"}
            )
        else:
            packages = []
            for n in numbers:
                made = package(n, title=title_of(n), tags=[{"name": word} for word in words])
                own = {"url": urls[n], "name": f"Map {n}", "format": "GeoJSON"}
                made["resources"] = [{**made["resources"][1], **own}]
                named = [{"key": "guid", "value": ids[n]}]
                packages.append({**made, "extras": [*made["extras"], *named]})
            serve(publisher, packages)

    def run(self, night: int) -> None:
        """Run the sources in any order, without those that are switched off this night."""
        for source, nights in self.OFF:
            if night == nights[0]:
                act("harvest_source_delete", id=self.sources[source])
            elif night == nights[-1] + 1:
                act("harvest_source_patch", id=self.sources[source], state="active")
        off = {source for source, nights in self.OFF if night in nights}
        for source in self.random.sample(range(3), 3):
            if source not in off:
                self.portal.run(self.sources[source])

    def views(self) -> dict[str, list[str]]:
        """Return id of each file → ids of its views."""
        files = [file for each in self.portal.datasets() for file in each["resources"]]
        shown = {file["id"]: call_action("resource_view_list", id=file["id"]) for file in files}
        return {id_: [view["id"] for view in views] for id_, views in shown.items()}


# The tests above show each of these events by itself.
@pytest.mark.giant
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.ckan_config("ckan.views.default_views", ["ukharvest_map_view"])
def test_thirty_nights_of_three_sources_lose_nothing(
    portal: Portal, publisher: Publisher, seed: int
) -> None:
    """No dataset is there twice or gone, no id changes, and no file loses its views."""
    with Publisher() as second, Publisher() as third:
        world = ThreeSources(portal, (publisher, second, third), seed)
        for night in range(30):
            world.serve(night)
            world.run(night)
            if night == 0:
                before, views = ids(portal), world.views()
                assert len(before) == len(world.NUMBERS)
                assert all(len(own) == 1 for own in views.values())
            assert ids(portal) == before, night
            assert world.views() == views, night
        changes = [
            act("ukharvest_decision_list", source_id=source)["count"] for source in world.sources
        ]
    assert all(changes), "each source has given and got datasets"
    assert model.Session.query(model.Package).filter_by(type="dataset").count() == len(before)
