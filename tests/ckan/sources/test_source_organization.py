"""A source that is given to another organisation: its datasets go with it, changed or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from click.testing import CliRunner
from lxml import html

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest.model import Record
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, figures, statements
from tests.ckan.portal_copies import SourceMaker
from tests.ckan.remote_site import THERE, RemoteSite, package
from tests.publisher import Publisher, Response

pytestmark = pytest.mark.in_process

PATH = "/data.json"
Page = Callable[..., str]


@pytest.fixture
def elsewhere() -> str:
    """Another organisation's id."""
    return str(factories.Organization(name="elsewhere", title="Elsewhere Council")["id"])


@pytest.fixture
def source(ready_source: SourceMaker) -> str:
    """A source of four datasets that a run has imported."""
    return ready_source(PATH, catalogue(4), name="parking")


def give(source_id: str, organization_id: str) -> None:
    act("harvest_source_patch", id=source_id, owner_org=organization_id)


def owners(portal: Portal) -> list[str]:
    return [each["owner_org"] for each in portal.datasets()]


def test_unchanged_datasets_go_with_their_source(
    portal: Portal, source: str, elsewhere: str
) -> None:
    own = portal.organization_id
    give(source, elsewhere)
    assert figures(portal.run(source)) == {"updated": 4}
    assert owners(portal) == [elsewhere] * 4
    assert figures(portal.run(source)) == {"not modified": 4}
    act("harvest_source_patch", id=source, owner_org=own, config='{"paging": "none"}')
    assert figures(portal.run(source)) == {"updated": 4}, "options change too"
    assert owners(portal) == [own] * 4
    act("package_delete", id=portal.datasets()[0]["id"])
    give(source, elsewhere)
    assert figures(portal.run(source)) == {"updated": 3, "not modified": 1}
    assert owners(portal) == [elsewhere] * 3, "deleted datasets stay deleted"
    model.Session.query(Record).update({"owner_org": ""})
    model.Session.commit()
    assert figures(portal.run(source)) == {"not modified": 4}, "unknown is no difference"


def test_datasets_go_though_the_source_is_not_modified(
    portal: Portal, publisher: Publisher, elsewhere: str
) -> None:
    publisher.serve(PATH, catalogue(4))
    route = publisher.routes[PATH]
    assert isinstance(route, Response)
    publisher.routes[PATH] = Response(route.body, headers=route.headers, etag='"1"')
    source = portal.source(publisher.url(PATH))
    portal.run(source)
    assert figures(portal.run(source)) == {"not modified": 4}
    give(source, elsewhere)
    assert figures(portal.run(source)) == {"updated": 4}
    assert owners(portal) == [elsewhere] * 4
    assert figures(portal.run(source)) == {"not modified": 4}


def test_datasets_go_though_only_changes_are_read(
    portal: Portal, publisher: Publisher, elsewhere: str
) -> None:
    publisher.routes = RemoteSite([package(n) for n in range(3)])  # type: ignore[assignment]
    source = portal.source(publisher.base, "ckan")
    portal.run(source)
    portal.run(source)
    give(source, elsewhere)
    assert figures(portal.run(source)) == {"updated": 3}
    assert owners(portal) == [elsewhere] * 3
    portal.run(source)
    assert owners(portal) == [elsewhere] * 3


def test_a_dry_run_counts_datasets_that_go(portal: Portal, source: str, elsewhere: str) -> None:
    give(source, elsewhere)
    done = CliRunner().invoke(ukharvest, ["run", "parking", "--dry-run"])
    assert "In a run: Updated: 4" in done.output


def test_a_dataset_moved_by_hand_stays_until_its_record_changes(
    portal: Portal, publisher: Publisher, source: str, elsewhere: str
) -> None:
    own = portal.organization_id
    act("package_patch", id=portal.datasets()[0]["id"], owner_org=elsewhere)
    assert figures(portal.run(source)) == {"not modified": 4}
    assert owners(portal) == [elsewhere, own, own, own]
    publisher.serve(PATH, catalogue([dataset(0, description="Changed."), *map(dataset, (1, 2, 3))]))
    assert figures(portal.run(source)) == {"updated": 1, "not modified": 3}
    assert owners(portal) == [own] * 4


@pytest.mark.ckan_config("ckan.auth.create_unowned_dataset", "true")
def test_datasets_go_from_and_to_no_organisation(
    portal: Portal, source: str, elsewhere: str
) -> None:
    give(source, "")
    assert figures(portal.run(source)) == {"updated": 4}
    assert owners(portal) == [None] * 4
    assert figures(portal.run(source)) == {"not modified": 4}
    give(source, elsewhere)
    assert figures(portal.run(source)) == {"updated": 4}
    assert owners(portal) == [elsewhere] * 4


def test_unchanged_records_cost_the_same_however_many(portal: Portal, publisher: Publisher) -> None:
    counts = []
    for number, size in enumerate((2, 12)):
        publisher.serve(
            f"/{number}.json", catalogue([dataset(100 * number + n) for n in range(size)])
        )
        source = portal.source(publisher.url(f"/{number}.json"))
        portal.run(source)
        job_id = portal.create_job(source)
        with statements() as sent:
            assert portal.gather(job_id) == []
        counts.append(len(sent))
    assert counts[0] == counts[1]


def organisations(portal: Portal) -> list[str]:
    return [each["organization"]["name"] for each in portal.datasets()]


@pytest.fixture
def remote(portal: Portal, publisher: Publisher) -> str:
    """A CKAN source that has run; the first of its datasets belongs to Far Council there."""
    far = {"organization": THERE, "owner_org": THERE["id"]}
    site = RemoteSite([package(0, **far), package(1)])
    publisher.routes = site  # type: ignore[assignment]
    options = {"remote_orgs": "only_local", "force_all": True}
    return portal.source(publisher.base, "ckan", config=options)


def test_datasets_of_a_remote_organisation_stay_with_it(
    portal: Portal, remote: str, elsewhere: str
) -> None:
    factories.Organization(name="far-council")
    portal.run(remote)
    assert organisations(portal) == ["far-council", "somewhere-council"]
    give(remote, elsewhere)
    assert figures(portal.run(remote)) == {"updated": 1, "not modified": 1}
    assert organisations(portal) == ["far-council", "elsewhere"]
    assert figures(portal.run(remote)) == {"not modified": 2}


def test_added_remote_organisation_gets_its_datasets(portal: Portal, remote: str) -> None:
    portal.run(remote)
    assert organisations(portal) == ["somewhere-council"] * 2
    factories.Organization(name="far-council")
    assert figures(portal.run(remote)) == {"updated": 1, "not modified": 1}
    assert organisations(portal) == ["far-council", "somewhere-council"]
    assert figures(portal.run(remote)) == {"not modified": 2}


# The form.


@pytest.fixture
def page(app: CKANTestApp) -> Page:
    headers = {"Authorization": factories.SysadminWithToken()["token"]}

    def text(path: str = "/harvest/edit/parking") -> str:
        answer = app.get(path, headers=headers)
        (main,) = html.fromstring(answer.body).xpath("//main | //*[@role='main']")[:1]
        return " ".join(main.text_content().split())

    text.headers = headers  # type: ignore[attr-defined]
    return text


def test_the_form_says_how_many_datasets_go(source: str, page: Page) -> None:
    assert "If you choose another organisation, 4 datasets move to it with the next run." in page()


def test_the_next_page_says_how_many_datasets_go(
    app: CKANTestApp, portal: Portal, publisher: Publisher, source: str, elsewhere: str, page: Page
) -> None:
    act("package_delete", id=portal.datasets()[0]["id"])
    form = {"id": source, "title": "Parking", "url": publisher.url(PATH), "save": "only"}
    headers: Any = page.headers  # type: ignore[attr-defined]
    sent = {**form, "frequency": "MANUAL", "owner_org": elsewhere}
    wrong = app.post("/harvest/edit/parking", data={**sent, "title": ""}, headers=headers)
    assert "3 datasets move to Elsewhere Council with the next run." in wrong.body
    answer = app.post("/harvest/edit/parking", data=sent, headers=headers, follow_redirects=True)
    assert "Saved. 3 datasets move to Elsewhere Council with the next run." in answer.body
    assert "3 datasets move to Elsewhere Council with the next run." in page()
    portal.run(source)
    assert "3 datasets move to Elsewhere Council" not in page()
    again = app.post("/harvest/edit/parking", data=sent, headers=headers, follow_redirects=True)
    assert "Saved." in again.body
    assert "move to" not in again.body
