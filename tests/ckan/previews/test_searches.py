"""A failing source is looked for near its URL, and moved there with one click."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.lib import jobs
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestSource
from lxml import html

from ckanext.ukharvest.core.errors import Unreachable
from ckanext.ukharvest.harvest.background import PERSON
from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.lib.slots import facts_of
from ckanext.ukharvest.previews import jobs as preview_jobs
from ckanext.ukharvest.reading.source_preview import failed
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, act, work_off
from tests.ckan.previews.previewing import work
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

OLD, NEW = "/feeds/all.json", "/data.json"
PAGE = "/harvest/parking"


@pytest.fixture
def publisher(clean: None) -> Iterator[Publisher]:
    with Publisher() as serving:
        yield serving


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    """A source with five datasets whose URL answers 404 since its last run."""
    publisher.serve(OLD, catalogue(5))
    source_id = portal.source(publisher.url(OLD), name="parking")
    portal.run(source_id)
    publisher.serve(OLD, "", status=404)
    call_action("job_clear")
    return source_id


@pytest.fixture
def headers(editor: Any) -> dict[str, str]:
    return dict(editor["headers"])


def searches() -> int:
    return len([job for job in jobs.get_queue().jobs if job.func is preview_jobs.search])


def form_of(app: CKANTestApp, headers: dict[str, str]) -> Any:
    """Return the form about the search on the source's page, None without one."""
    found = html.fromstring(app.get(PAGE, headers=headers).body).xpath("//*[@id='ukharvest-near']")
    return found[0] if found else None


def text_of(form: Any) -> str:
    return " ".join(form.text_content().split())


def test_a_failing_source_heals_with_one_click(
    portal: Portal, publisher: Publisher, source: str, app: CKANTestApp, headers: Any
) -> None:
    names = {each["name"] for each in portal.datasets()}
    publisher.serve(NEW, catalogue(5))
    portal.run(source)
    assert searches() == 1
    form = form_of(app, headers)
    assert text_of(form) == "Looking for a source at this URL and near it"
    assert form.get("hx-post") == f"{PAGE}/near"
    work()
    found = f"Found at {publisher.url(NEW)}: 5 of 5 datasets."
    assert facts_of("failure_mail", source) == [found]
    form = form_of(app, headers)
    assert text_of(form) == f"{found} Use it and run"
    (button,) = form.iterfind(".//button")
    sent = {button.get("name"): button.get("value")}
    app.post(form.get("action"), data=sent, headers=headers)
    assert act("ukharvest_source_show", source_id=source)["state"] == "queued"
    assert form_of(app, headers) is None
    model.Session.remove()
    assert HarvestSource.get(source).url == publisher.url(NEW)
    work_off()
    assert act("ukharvest_source_show", source_id=source)["health"] == "healthy"
    assert {each["name"] for each in portal.datasets()} == names


def test_options_saved_after_a_search_stay(
    portal: Portal, publisher: Publisher, source: str, app: CKANTestApp, headers: Any
) -> None:
    publisher.serve(NEW, catalogue(5))
    portal.run(source)
    work()
    url = form_of(app, headers).get("action")
    private = '{"visibility": "private"}'
    act("harvest_source_patch", id=source, config=private)
    assert text_of(form_of(app, headers)) == "Search near this URL"
    page = app.post(url, data={"then": "run"}, headers=headers).body
    assert "The source has changed since." in page
    kept = HarvestSource.get(source)
    assert (kept.url, json.loads(kept.config)) == (publisher.url(OLD), json.loads(private))
    app.post(form_of(app, headers).get("action"), headers=headers)
    work()
    assert text_of(form_of(app, headers)).endswith("5 of 5 datasets. Use it and run")


def test_other_datasets_near_the_url_lead_to_the_comparison(
    portal: Portal, publisher: Publisher, source: str, app: CKANTestApp, headers: Any
) -> None:
    publisher.serve(NEW, catalogue(4))
    portal.run(source)
    work()
    form = form_of(app, headers)
    assert text_of(form).endswith(": 4 of 5 datasets. Compare the datasets")
    assert form.get("method") == "get"
    page = app.get(form.get("action"), headers=headers).body
    assert "4 of the 5 datasets of this source are at the new URL." in page
    assert app.get(form.get("action")).status_code != 200, "they may be private"


def test_nothing_near_the_url_is_said(
    portal: Portal, source: str, app: CKANTestApp, headers: Any
) -> None:
    portal.run(source)
    work()
    nothing = "Nothing that has these datasets was found near this URL."
    assert text_of(form_of(app, headers)) == nothing
    assert facts_of("failure_mail", source) == []
    assert act("ukharvest_source_show", source_id=source)["actions"][0] == "settings"
    portal.run(source)
    assert searches() == 0, "once a streak"


@pytest.mark.parametrize(
    "values",
    [
        {"state": "stopped"},
        {"result": failed(None, over="time")},
        {"result": failed(Unreachable("no answer"))},
    ],
)
def test_search_that_was_broken_off_can_be_repeated(
    portal: Portal, source: str, app: CKANTestApp, headers: Any, values: Any
) -> None:
    portal.run(source)
    work()
    model.Session.query(SourcePreview).update(values)
    model.Session.commit()
    form = form_of(app, headers)
    assert (text_of(form), form.get("hx-trigger")) == ("Search near this URL", None)
    app.post(form.get("action"), headers=headers)
    assert (searches(), text_of(form_of(app, headers))[:11]) == (1, "Looking for")


def test_sources_of_other_harvesters_are_not_searched_for(
    portal: Portal, source: str, app: CKANTestApp, headers: Any
) -> None:
    portal.run(source)
    call_action("job_clear")
    model.Session.query(SourcePreview).delete()
    model.Session.query(HarvestSource).update({"type": "ckan_stock"})
    model.Session.commit()
    assert act("ukharvest_source_show", source_id=source)["health"] == "failing"
    assert form_of(app, headers) is None
    with pytest.raises(tk.ValidationError, match="cannot be tested"):
        act("ukharvest_source_preview_create", source_id=source, near=True)
    assert searches() == 0


def test_an_open_page_begins_one_search(
    portal: Portal, source: str, app: CKANTestApp, headers: Any
) -> None:
    portal.run(source)
    model.Session.query(SourcePreview).delete()
    model.Session.commit()
    call_action("job_clear")
    form = form_of(app, headers)
    assert (form.get("hx-trigger"), text_of(form)) == ("load", "Search near this URL")
    for _ in range(2):
        part = app.post(form.get("action"), headers={**headers, "HX-Request": "true"}).body
        assert "Looking for a source" in part
        assert "<h1" not in part
    assert (searches(), model.Session.query(SourcePreview).count()) == (1, 1)
    shown = act("ukharvest_source_show", source_id=source)
    assert (shown["state"], shown["health"]) == ("idle", "failing")


def test_search_goes_before_other_jobs_once_a_person_waits_for_it(
    portal: Portal, source: str, app: CKANTestApp, headers: Any
) -> None:
    jobs.enqueue(print)
    portal.run(source)
    assert [job.func for job in jobs.get_queue().jobs][0] is print
    url = form_of(app, headers).get("hx-post")
    for _ in range(2):
        app.post(url, headers={**headers, "HX-Request": "true"})
    first, *others = jobs.get_queue().jobs
    assert (first.id.startswith(PERSON), first.func) == (True, preview_jobs.search)
    assert not [job for job in others if job.id.startswith(PERSON)]
    work()
    assert model.Session.query(SourcePreview.state).all() == [("done",)]


def test_a_search_ends_for_a_person_and_goes_on_later(
    portal: Portal, publisher: Publisher, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    portal.run(source)
    [search] = [job for job in jobs.get_queue().jobs if job.func is preview_jobs.search]
    call_action("job_clear")
    jobs.enqueue(print, rq_kwargs={"job_id": f"{PERSON}1"})
    publisher.serve(OLD, "x" * 60, pause=0.5)
    search.func(*search.args)
    assert searches() == 1
    call_action("job_clear")
    publisher.serve(OLD, "", status=404)
    publisher.serve(NEW, catalogue(5))
    search.func(*search.args)
    assert facts_of("failure_mail", source) == [f"Found at {publisher.url(NEW)}: 5 of 5 datasets."]
