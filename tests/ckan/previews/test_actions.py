"""Source preview and dry run: results and permissions."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.lib import jobs
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource
from lxml import html
from rq import SimpleWorker

from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.gather import previews as source_previews
from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.harvest.model import Record
from ckanext.ukharvest.harvest.run import sweeper
from ckanext.ukharvest.previews import jobs as preview_jobs
from tests.ckan.gemini_records import dataset as gemini_dataset
from tests.ckan.gemini_records import uuid
from tests.ckan.harvesting import Portal
from tests.ckan.previews.previewing import PATH, as_, count, start_preview, work
from tests.publisher import Publisher, recorded
from tests.reading.full_datasets import FULL, datasets

pytestmark = pytest.mark.in_process


def test_a_test_shows_the_first_records_and_leaves_nothing(
    editor: dict[str, str], publisher: Publisher
) -> None:
    written = (model.Package, HarvestObject, HarvestJob, Record, tables.SourceState)
    before = count(*written)
    begun = start_preview(editor, publisher)
    assert (begun["state"], begun["result"]) == ("waiting", None)
    assert begun["workers"] == 0
    work()
    found = as_(editor, "ukharvest_source_preview_show", id=begun["id"])
    assert (found["state"], found["heading"]) == ("done", "This works")
    assert found["text"][0].startswith("Read 20 of 25 records in ")
    assert found["result"]["sample"][0]["title"] == "D 0"
    assert count(*written) == before


def test_failed_preview_says_what_to_do(editor: dict[str, str], publisher: Publisher) -> None:
    publisher.serve("/page", "<!doctype html><title>Home</title>")
    publisher.serve("/empty", {"dataset": []})
    for path, type_, words in (
        ("/page", "data_json", "Web page instead of data"),
        ("/none", "data_json", "Source answered with an error"),
        (PATH, "inventory", ""),
        ("/empty", "data_json", ""),
    ):
        begun = start_preview(editor, publisher, url=publisher.url(path), source_type=type_)
        work()
        found = as_(editor, "ukharvest_source_preview_show", id=begun["id"])
        assert found["heading"] == "This does not work yet", path
        error = found["result"]["error"] or {}
        assert error.get("title", "").startswith(words), path
        assert bool(error.get("tip")) == (path != "/empty"), path
    assert found["text"] == ["No records found"]


def test_preview_refuses_an_invalid_source(editor: dict[str, str], publisher: Publisher) -> None:
    for fields, field in (
        ({"source_type": "", "config": '{"default_tags": ["a"]}'}, "source_type"),
        ({"source_type": "nonsense"}, "source_type"),
        ({"url": ""}, "url"),
        ({"url": "/etc/passwd"}, "url"),
        ({"url": "file:///etc/passwd"}, "url"),
        ({"url": "http://169.254.169.254/latest"}, "url"),
        ({"config": "{"}, "config"),
        ({"config": '{"nonsense": 1}'}, "config"),
        ({"config": '{"default_groups": ["transport"]}'}, "config"),
    ):
        with pytest.raises(tk.ValidationError) as refused:
            start_preview(editor, publisher, **fields)
        assert list(refused.value.error_dict) == [field], fields
        assert count(SourcePreview) == [0], fields


def test_nobody_reads_with_what_a_run_of_theirs_would_not_have(
    editor: dict[str, str],
    publisher: Publisher,
    portal: Portal,
    ckan_config: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url, with_key = publisher.url(PATH), '{"credential": "a-key"}'
    setting = "ckanext.ukharvest.credentials.a-key"
    monkeypatch.setitem(ckan_config, setting, f"{url.removesuffix(PATH)} X-Key: secret")
    own = portal.source(url, config={"credential": "a-key"})
    other = portal.source(url)
    for fields in (
        {"config": with_key},
        {"config": with_key, "id": other},
        {"config": with_key, "id": own, "url": "https://example.gov.uk/data.json"},
        {"config": '{"credential": "nobody"}', "id": own},
    ):
        with pytest.raises(tk.ValidationError) as refused:
            start_preview(editor, publisher, **fields)
        assert refused.value.error_dict["config"][0].startswith("credential: ")
    HarvestSource.get(other).config = '{"default_groups": ["transport"]}'
    factories.Group(name="transport")
    model.Session.commit()
    with pytest.raises(tk.ValidationError) as refused:
        start_preview(editor, publisher, id=other)
    assert "no sysadmin has confirmed" in refused.value.error_dict["config"][0]
    with pytest.raises(tk.ObjectNotFound):
        start_preview(editor, publisher, id=factories.Dataset()["id"])
    assert count(SourcePreview) == [0]
    start_preview(editor, publisher, config=with_key, id=own)
    start_preview(factories.Sysadmin(), publisher, config=with_key)
    work()
    assert publisher.paths.count(PATH) == 2


def test_one_at_a_time_and_ten_a_minute(
    editor: dict[str, str], publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_previews, "KEPT_TESTS", 5)
    ids = [start_preview(editor, publisher)["id"] for _ in range(10)]
    states = [as_(editor, "ukharvest_source_preview_show", id=each)["state"] for each in ids]
    assert states == ["stopped"] * 9 + ["waiting"]
    with pytest.raises(tk.ValidationError):
        start_preview(editor, publisher)
    work()
    assert len(publisher.paths) <= 2  # stopped runs were not checked
    old = {"created": tables.utcnow() - dt.timedelta(minutes=2)}
    model.Session.query(SourcePreview).update(old)
    model.Session.commit()
    start_preview(editor, publisher)
    assert count(SourcePreview) == [source_previews.KEPT_TESTS + 1]
    before = publisher.paths
    model.Session.query(SourcePreview).update(
        {"created": tables.utcnow() - source_previews.GIVEN_UP_AFTER}
    )
    model.Session.commit()
    work()
    assert publisher.paths == before  # it was given up


def test_checks_leave_room_in_the_queue(
    editor: dict[str, str], publisher: Publisher, portal: Portal
) -> None:
    sources = [portal.source(publisher.url(f"/{number}")) for number in range(4)]
    for number, user in enumerate((editor, factories.Sysadmin(), factories.Sysadmin())):
        as_(user, "ukharvest_source_preview_create", source_id=sources[number])
    for user, words in ((editor, "Another test"), (factories.Sysadmin(), "Try again in 10 min.")):
        with pytest.raises(tk.ValidationError) as refused:
            as_(user, "ukharvest_source_preview_create", source_id=sources[3])
        assert words in refused.value.error_dict["test"][0]
    tested = start_preview(editor, publisher)
    assert tested["before"] == 0
    assert count(SourcePreview) == [4]


def test_a_stopped_one_ends(editor: dict[str, str], publisher: Publisher) -> None:
    begun = start_preview(editor, publisher)
    source_previews.begin_preview(begun["id"])
    stopped = as_(editor, "ukharvest_source_preview_stop", id=begun["id"])
    assert (stopped["state"], stopped["heading"]) == ("stopped", "Stopped")
    assert not source_previews.save_progress(begun["id"], "reading", 3)
    assert stopped["text"] == []
    begun = start_preview(editor, publisher)
    start_preview(editor, publisher)
    replaced = as_(editor, "ukharvest_source_preview_show", id=begun["id"])
    assert replaced["text"] == ["It ended because another test was started."]


def test_steps_are_shown_as_they_are_done(
    editor: dict[str, str], publisher: Publisher, app: CKANTestApp
) -> None:
    begun = start_preview(editor, publisher)
    assert [step["state"] for step in begun["steps"]] == ["queued"]
    source_previews.begin_preview(begun["id"])
    for stage, done, states in (
        ("searching", 0, ["running", *["queued"] * 3]),
        ("reading", 12, ["finished", "finished", "running", "queued"]),
        ("comparing", 20, [*["finished"] * 3, "running"]),
    ):
        source_previews.save_progress(begun["id"], stage, done)
        shown = as_(editor, "ukharvest_source_preview_show", id=begun["id"])
        assert [step["state"] for step in shown["steps"]] == states
    headers = {"Authorization": editor["token"]}
    page = html.fromstring(app.get(f"/harvest/test/{begun['id']}", headers=headers).body)
    lines = page.xpath("//ol[@data-ukharvest-says]/li")
    steps = [" ".join(line.text_content().split()) for line in lines]
    assert steps == [
        "Connecting: Finished",
        "Reading the list: Finished",
        "20 records read: Finished",
        "Comparing with this site: Running",
    ]


def test_dead_worker_is_reported(editor: dict[str, str], publisher: Publisher) -> None:
    begun = start_preview(editor, publisher)
    source_previews.begin_preview(begun["id"])
    model.Session.query(SourcePreview).update(
        {"heartbeat": tables.utcnow() - dt.timedelta(minutes=9)}
    )
    model.Session.commit()
    found = as_(editor, "ukharvest_source_preview_show", id=begun["id"])
    assert (found["state"], found["heading"]) == ("done", "Stopped")
    assert "worker" in found["text"][0]


def test_a_fault_of_ours_is_not_the_sources(
    editor: dict[str, str], publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    begun = start_preview(editor, publisher)
    monkeypatch.setattr(preview_jobs, "Watched", fail)
    work()
    found = as_(editor, "ukharvest_source_preview_show", id=begun["id"])
    assert found["heading"] == "Stopped"
    assert "You do not need to change the source." in found["text"][0]


def test_they_are_forgotten_after_a_day(editor: dict[str, str], publisher: Publisher) -> None:
    start_preview(editor, publisher)
    begun = start_preview(editor, publisher)
    old = {"created": tables.utcnow() - dt.timedelta(days=2)}
    model.Session.query(SourcePreview).filter(SourcePreview.id != begun["id"]).update(old)
    model.Session.commit()
    assert "Forgot 1 tests and checks of sources" in sweeper.sweep()
    assert count(SourcePreview) == [1]


def test_a_real_worker_does_it(editor: dict[str, str]) -> None:
    with recorded("gemini-2.1") as publisher:
        url = publisher.url("/record.xml")
        begun = start_preview(editor, publisher, source_type="gemini-single", url=url)
        SimpleWorker([jobs.get_queue()]).work(burst=True)
    model.Session.remove()
    found = as_(editor, "ukharvest_source_preview_show", id=begun["id"])
    assert (found["state"], found["type_label"]) == ("done", "Single GEMINI file")
    problems = {each["code"]: each for each in found["result"]["problems"]}
    assert "Other problem" not in {each["title"] for each in problems.values()}
    assert problems["gemini-o06-category"]["severity"] == "note"
    assert problems["gemini-o06-category"]["tip"].startswith("The standard expects")


def test_a_check_says_what_a_run_would_do(
    editor: dict[str, str], publisher: Publisher, portal: Portal
) -> None:
    publisher.serve(PATH, datasets(6, **FULL))
    source = portal.source(publisher.url(PATH))
    portal.run(source)
    catalogue = datasets(7, **FULL)
    catalogue["dataset"][1]["title"] = "Another title"
    del catalogue["dataset"][2]["title"]
    del catalogue["dataset"][3]
    publisher.serve(PATH, catalogue)
    begun = as_(editor, "ukharvest_source_preview_create", source_id=source)
    again = as_(editor, "ukharvest_source_preview_create", source_id=source)
    assert again["id"] == begun["id"]
    before = [each["metadata_modified"] for each in portal.datasets()]
    work()
    found = as_(editor, "ukharvest_source_preview_show", source_id=source)
    assert found["result"]["changes"] == {"unchanged": 3, "updated": 1, "added": 1, "missing": 1}
    assert found["result"]["fates"]["lost"] == 1
    assert found["heading"] == "Some records failed"
    assert re.fullmatch(r"Read 6 of 6 records in \d+ s\. Failed: 1", found["text"][0])
    assert any(text.startswith("In a run: ") for text in found["text"])
    missing = "1 dataset here is no longer in the source, or the settings leave it out."
    assert missing in found["text"]
    assert [each["metadata_modified"] for each in portal.datasets()] == before
    model.Session.query(Record).delete()  # as if another harvester had filled the source
    model.Session.commit()
    as_(editor, "ukharvest_source_preview_create", source_id=source)
    work()
    found = as_(editor, "ukharvest_source_preview_show", source_id=source)
    assert found["result"]["changes"] == {"updated": 4, "added": 1}
    assert any("It adopts 6 datasets that are here already." in text for text in found["text"])
    assert count(SourcePreview, Record) == [2, 0]


def test_a_filter_that_leaves_no_record_is_warned_of(
    editor: dict[str, str], publisher: Publisher
) -> None:
    warning = "All are skipped: a run would import nothing. The records below say why."
    publisher.serve(PATH, datasets(3, **{**FULL, "keyword": ["rivers"]}))
    for keyword, is_warned in (("roads", True), ("rivers", False)):
        config = f'{{"include_values": "keyword:{keyword}"}}'
        begun = start_preview(editor, publisher, config=config)
        work()
        found = as_(editor, "ukharvest_source_preview_show", id=begun["id"])
        assert (warning in found["text"]) is is_warned, found


def test_source_whose_every_record_fails_says_so_once(
    editor: dict[str, str], publisher: Publisher
) -> None:
    publisher.serve(PATH, datasets(2, **{**FULL, "title": ""}))
    begun = start_preview(editor, publisher)
    work()
    text = as_(editor, "ukharvest_source_preview_show", id=begun["id"])["text"]
    assert "All fail: a run would import nothing. The problems below say why." in text
    assert "Failed: 2" not in text
    assert "A first run will take less than a minute." in text


def test_deletion_notice_needs_a_source_with_datasets(
    editor: dict[str, str], publisher: Publisher, portal: Portal
) -> None:
    publisher.serve("/waf/", '<a href="a.xml">a</a> <a href="b.xml">b</a>')
    publisher.serve("/waf/a.xml", gemini_dataset(uuid(1), "A").encode())
    fields = {"url": publisher.url("/waf/"), "source_type": "gemini-waf"}
    begun = start_preview(editor, publisher, **fields)
    work()
    found = as_(editor, "ukharvest_source_preview_show", id=begun["id"])
    [sentence] = [each for each in found["text"] if "could not be read completely" in each]
    assert sentence.startswith("The source could not be read completely: 1 file")
    source = portal.source(publisher.url("/waf/"), "gemini-waf")
    for expected in ("completely: 1 file", "completely, so nothing would be deleted: 1 file"):
        as_(editor, "ukharvest_source_preview_create", source_id=source)
        work()
        found = as_(editor, "ukharvest_source_preview_show", source_id=source)
        assert any(expected in each for each in found["text"])
        portal.run(source)
