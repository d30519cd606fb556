"""Links that die, recover or whose server is away, and what that does to stars."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.harvest.model import Link
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.rendering.values import INDEXED
from ckanext.ukharvest.stars import jobs as stars_jobs
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import act
from tests.ckan.links.place import PATH, RIVERS, Place, work

pytestmark = pytest.mark.in_process

TABLE = "/rivers.csv"
PLAIN = "/table"  # of a file with an extension CKAN guesses the media type when it is first changed
Move = Callable[[float], None]


def stars(place: Place) -> dict[str, Any]:
    return dict(call_action("ukharvest_stars_show", id=place.dataset["id"]))


def facet() -> dict[str, int]:
    """Return the numbers of the facet of stars."""
    found = act("package_search", **{"facet.field": [INDEXED["stars"]]})
    return dict(found["facets"][INDEXED["stars"]])


def pages(place: Place, app: CKANTestApp) -> tuple[str, str]:
    """Return the pages of dataset and resource."""
    page = f"/dataset/{place.dataset['name']}"
    return app.get(page).body, app.get(f"{page}/resource/{place.resource['id']}").body


def die(place: Place, move: Move) -> str:
    """Let the dataset's link work and then die; return the day of its first failure."""
    place.publisher.serve(TABLE, "a,b\n1,2\n", headers={"Content-Type": "text/csv"})
    place.publish(TABLE)
    place.harvest()
    work()
    place.publisher.serve(TABLE, "", status=404)
    move(31)
    for days in (1.1, 2.1, 4.1):
        work()
        assert stars(place)["stars"] == 3
        assert place.link()["state"] == "failing"
        move(days)
    day = str(place.link()["failed_since"])[:10]
    work()
    return day


def test_a_link_dies_and_everything_says_so(place: Place, move: Move, app: CKANTestApp) -> None:
    day = die(place, move)
    link = place.link()
    assert (link["state"], link["fault"], link["status"]) == ("dead", "not-found", 404)
    assert link["dead_since"][:10] == day
    assert "Dead link since" in link["text"]
    found = stars(place)
    assert (found["stars"], found["code"], found["dead_since"]) == (0, "dead-link", day)
    assert "nothing at this URL (404)" in found["reason"]
    assert [each["code"] for each in found["resources"]] == ["dead-link"]
    assert facet() == {"0": 1}
    of_dataset, of_resource = pages(place, app)
    assert "0 out of 5: Dead link (" in of_dataset
    assert "Dead link since" in of_resource
    assert "Dead link" in app.get("/harvest/stars").body
    name = call_action("organization_list")[0]
    (row,) = csv.DictReader(io.StringIO(app.get(f"/harvest/stars.csv?organization={name}").body))
    assert (row["stars"], row["code"], row["dead_since"]) == ("0", "dead-link", day)
    # An import of the same link finds it dead.
    place.publish(TABLE, title="Rivers and lakes")
    assert place.harvest() == {"updated": 1}
    assert stars(place)["code"] == "dead-link"
    assert stars_jobs.score_one(place.dataset["id"]) == []
    place.publisher.serve("/lakes.csv", "a,b\n1,2\n")
    place.publish("/lakes.csv")
    place.harvest()
    assert (stars(place)["stars"], facet()) == (3, {"3": 1}), "another URL is another link"


def test_a_mistyped_link_is_dead_at_the_second_check(place: Place, move: Move) -> None:
    place.publish(TABLE)
    place.harvest()
    work()
    assert (place.link()["state"], stars(place)["stars"]) == ("failing", 3)
    move(1.1)
    work()
    assert (place.link()["state"], stars(place)["stars"]) == ("dead", 0)


def test_a_link_recovers(place: Place, move: Move, app: CKANTestApp) -> None:
    die(place, move)
    move(29)
    assert not link_results.is_link_due()  # a dead link is checked as often as one that works
    place.publisher.serve(TABLE, "a,b\n1,2\n")
    move(2)
    work()
    assert place.link()["state"] == "works"
    assert (stars(place)["stars"], facet()) == (3, {"3": 1})
    assert "Works. Checked on" in pages(place, app)[1]


def test_a_server_that_is_away_leaves_its_links_alive(
    place: Place, move: Move, app: CKANTestApp
) -> None:
    place.publish(*(f"http://127.0.0.3:1/{number}.csv" for number in range(5)))
    place.harvest()
    for _ in range(6):
        work()
        move(31)
    links = model.Session.query(Link).filter(Link.host == "127.0.0.3")
    assert {link.state for link in links} == {"away"}
    assert stars(place)["stars"] == 3
    assert "Server not answering since" in pages(place, app)[1]


def test_a_fault_takes_nothing_away_that_was_found(place: Place, move: Move) -> None:
    place.harvest()
    work()
    place.publisher.serve(RIVERS, "gone", status=404)
    move(31)
    work()
    link = place.link()
    assert (link["state"], link["format"], len(link["layers"])) == ("failing", "WMS", 2)
    assert link["worked"] < link["failed_since"]


def test_a_resource_that_changed_is_checked_again_once(place: Place) -> None:
    place.publisher.serve(PLAIN, "a,b\n1,2\n")
    place.publish(PLAIN)
    place.harvest()
    work()
    place.publish(PLAIN, title="Rivers and lakes")  # of the dataset, not of the resource
    place.harvest()
    assert not link_results.is_link_due()
    place.new_requests()
    distribution = [{"title": "Another title", "accessURL": place.publisher.url(PLAIN)}]
    place.publisher.serve(PATH, catalogue([dataset(1, distribution=distribution)]))
    place.harvest()
    assert link_results.is_link_due()
    work()
    assert place.new_requests() == [PLAIN]
    assert not link_results.is_link_due()
    act("resource_patch", id=place.resource["id"], description="By a person")
    assert link_results.is_link_due()
    work()
    assert place.new_requests() == [PLAIN]
    assert not link_results.is_link_due()


def test_datasets_of_people_are_checked_and_keep_their_formats(place: Place) -> None:
    made = act(
        "package_create",
        name="lakes",
        owner_org=factories.Organization()["id"],
        license_id="uk-ogl",
        resources=[{"url": place.publisher.url(RIVERS)}],
    )
    work()
    (resource,) = call_action("package_show", id=made["id"])["resources"]
    assert resource["format"] == ""
    link = call_action("ukharvest_link_show", id=resource["id"])
    assert (link["state"], link["format"]) == ("works", "WMS")
    assert call_action("ukharvest_stars_show", id=made["id"])["stars"] == 3
    assert facet() == {"3": 1}


def test_format_that_contradicts_the_metadata_is_reported(place: Place, app: CKANTestApp) -> None:
    place.publisher.serve(TABLE, b"%PDF-1.4\n", headers={"Content-Type": "text/csv"})
    place.publish(TABLE)
    place.harvest()
    assert place.resource["format"] == "CSV"
    work()
    link = place.link()
    assert (link["format"], link["differs"], link["media_type"]) == ("PDF", True, "text/csv")
    assert (link["size"], len(link["checksum"])) == (9, 64)
    assert "The metadata says CSV, but the link leads to PDF." in pages(place, app)[1]
    assert place.resource["format"] == "CSV"
    assert (stars(place)["stars"], facet()) == (1, {"1": 1})
