"""Links that do not work: who is told, where, and from when on."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.harvest.sources import source_status
from ckanext.ukharvest.notifications import mails
from ckanext.ukharvest.notifications import model as notification_model
from tests.ckan.browser import Visitor
from tests.ckan.harvesting import act
from tests.ckan.links.place import Place, work
from tests.ckan.people import Person

pytestmark = pytest.mark.in_process

GOOD, BAD = "/good.csv", "/bad.csv"
TABLE = "name,place\nOuse,York\nFoss,York\n"


@pytest.fixture
def broken(place: Place, move: Callable[[float], None]) -> Place:
    """A dataset with two files that were checked once, and of which one then went away."""
    for path in (GOOD, BAD):
        place.publisher.serve(path, TABLE, headers={"Content-Type": "text/csv"})
    place.publish(GOOD, BAD, license="https://creativecommons.org/licenses/by/4.0/")
    place.harvest()
    work()
    place.publisher.serve(BAD, "", status=404)
    move(31)
    work()
    return place


def url_of(place: Place, path: str) -> str:
    return place.publisher.url(path)


def pages_of(place: Place) -> list[str]:
    dataset = place.dataset
    bad = next(each for each in dataset["resources"] if each["url"].endswith(BAD))
    return [f"/dataset/{dataset['name']}", f"/dataset/{dataset['name']}/resource/{bad['id']}"]


def test_pages_of_a_dataset_say_what_links_and_stars_rest_on(
    broken: Place, app: CKANTestApp, move: Callable[[float], None]
) -> None:
    dataset, resource = (app.get(page).body for page in pages_of(broken))
    assert "1 of 2 links has not worked since" in dataset, "from the first failed check on"
    assert "Not reachable since" in dataset
    assert 'alert-warning">Not reachable since' in resource
    assert "It last worked on" in resource
    assert "btn btn-secondary resource-url-analytics" in resource
    assert "btn-primary" not in resource
    assert "resource-view" not in resource, "a preview would load for ever"
    (first, second) = call_action("ukharvest_stars_show", id=broken.dataset["id"])["resources"]
    assert (first["stars"], second["stars"]) == (3, 3)
    assert "Checked on" in first["basis"]
    assert second["basis"] == "If the link comes back."
    assert dataset.count("ukharvest-star-icons text-muted") == 1
    assert "Checked on" in dataset
    for days in (2, 4, 8):
        move(days)
        work()
    (first, second) = call_action("ukharvest_stars_show", id=broken.dataset["id"])["resources"]
    assert (first["stars"], second["stars"], second["basis"]) == (3, 0, "")


def test_stars_of_an_unchecked_file_rest_on_its_name(place: Place, app: CKANTestApp) -> None:
    place.publish(GOOD, license="https://creativecommons.org/licenses/by/4.0/")
    place.harvest()
    found = call_action("ukharvest_stars_show", id=place.dataset["id"])
    assert found["stars"] == 3
    assert "Judged from the metadata alone" in found["basis"]
    body = app.get(f"/dataset/{place.dataset['name']}").body
    assert "Judged from the metadata alone" in body
    assert "Checked" not in body


def test_problems_of_a_source_have_its_broken_links(
    broken: Place, app: CKANTestApp, editor: Person
) -> None:
    headers = editor["headers"]
    (group,) = call_action("ukharvest_problem_group_list", source_id="rivers")
    assert (group["code"], group["records"], group["occurrences"]) == ("broken-link", 1, 1)
    assert url_of(broken, BAD) in group["examples"][0]["message"]
    for page in ("/harvest/rivers/problems", "/harvest/rivers"):
        body = app.get(page, headers=headers).body
        assert "Links that do not work" in body
        assert "/harvest/links?source=rivers" in body
    assert "1 link does not work" in body
    body = app.get("/harvest/links?source=rivers", headers=headers).body
    assert url_of(broken, BAD) in body
    assert url_of(broken, GOOD) not in body
    answer = app.get("/harvest/links.csv?source=rivers", headers=headers)
    (row,) = csv.DictReader(io.StringIO(answer.body))
    assert (row["url"], row["state"], row["source"]) == (url_of(broken, BAD), "failing", "rivers")


def test_list_is_for_people_who_may_see_the_datasets(
    broken: Place, app: CKANTestApp, editor: Person
) -> None:
    stranger = {"Authorization": factories.UserWithToken()["token"]}
    name = broken.dataset["organization"]["name"]
    for asked in ("", "?source=rivers", f"?organization={name}", "?source=nowhere"):
        for page in ("/harvest/links", "/harvest/links.csv"):
            assert app.get(page + asked, headers=stranger, status=None).status_code in (403, 404)
    other = factories.Organization()
    act("package_patch", id=broken.dataset["id"], owner_org=other["id"], private=True)
    context = {"user": editor["name"], "ignore_auth": False}
    found = tk.get_action("ukharvest_broken_link_list")(context, {"source": "rivers"})
    assert found == {"count": 0, "results": []}, "a private dataset of others"
    assert call_action("ukharvest_broken_link_list", source="rivers")["count"] == 1


def test_broken_links_are_filtered_and_counted(broken: Place) -> None:
    for asked, count in (
        ({}, 1),
        ({"source": "rivers"}, 1),
        ({"state": "failing"}, 1),
        ({"state": "dead"}, 0),
        ({"host": "127.0.0.1"}, 1),
        ({"host": "council.example"}, 0),
    ):
        assert call_action("ukharvest_broken_link_list", **asked)["count"] == count, asked
    report = call_action("ukharvest_broken_link_list", group_by=["source", "organization", "host"])
    figures = {"links": 1, "failing": 1, "away": 0, "dead": 0}
    assert report["total"] == figures
    names = {"sources": "rivers", "hosts": "127.0.0.1"}
    names["organizations"] = broken.dataset["organization"]["name"]
    for by, name in names.items():
        (row,) = report[by]
        assert {key: row[key] for key in ("name", *figures)} == {"name": name, **figures}


def test_dashboard_and_weekly_summary_lead_to_the_list(
    broken: Place, app: CKANTestApp, sysadmin: Person, move: Callable[[float], None]
) -> None:
    body = app.get("/ckan-admin/ukharvest/diagnostics", headers=sysadmin["headers"]).body
    assert "/harvest/links?state=failing" in body
    body = app.get("/harvest/links?state=failing", headers=sysadmin["headers"]).body
    for part in ("Source</caption>", "Organisation</caption>", "Host</caption>", "127.0.0.1"):
        assert part in body
    assert mails.notes_of([broken.source]) == {}, "it may come back"
    for days in (2, 4, 8):
        move(days)
        work()
    (task,) = call_action("ukharvest_to_do_list")["results"][-1:]
    assert task["text"] == "Dead link: 1"
    address = "editor@council.example"
    act("ukharvest_mail_update", source_id=broken.source, addresses=[address], weekly="needed")
    (told,) = notification_model.sources()
    state = source_status.load_statuses([broken.source])[broken.source]
    letter = mails.compose_weekly([(told, state)], mails.notes_of([broken.source]))
    assert letter.subject.endswith("Needs your attention: 1, Fine: 0")
    line = flat(letter.lines)[-1]
    assert line.text.endswith(task["text"])
    assert line.url == tk.config["ckan.site_url"] + task["url"]
    model.Session.remove()


def test_problems_lead_to_the_links_that_do_not_work(
    broken: Place, visitor: Visitor, editor: Person
) -> None:
    visitor.page.context.set_extra_http_headers(editor["headers"])
    visitor.page.goto("/harvest/rivers/problems")
    visitor.page.locator("a[href$='/harvest/links?source=rivers']").first.click()
    visitor.page.get_by_text(url_of(broken, BAD)).wait_for()


def flat(lines: Any) -> list[mails.Line]:
    found = []
    for each in lines:
        found += [each] if isinstance(each, mails.Line) else list(each)
    return found
