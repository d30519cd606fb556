"""Accept and refuse sources: what a sysadmin saw is what is accepted."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.harvest import database
from tests.ckan.harvesting import Portal, act, until
from tests.ckan.previews.previewing import as_, work
from tests.publisher import Publisher

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckanext.ukharvest.approval", "true"),
]

PATH = "/data.json"
Session = model.Session
User = dict[str, Any]


def approval(source: str) -> Any:
    Session.remove()
    return call_action("ukharvest_source_show", source_id=source)["approval"]


def seen(source: str) -> dict[str, str]:
    asked = approval(source)
    return {"source_id": source, "url": asked["url"], "source_type": asked["source_type"]}


def decisions(source: str) -> list[tuple[str, str]]:
    listed = act("ukharvest_decision_list", source=source)["results"]
    return [(row["decision"], row["reason"]) for row in listed]


def test_an_accepted_url_is_saved_and_read(
    changed: str, portal: Portal, other: Publisher, sysadmin: User
) -> None:
    as_(sysadmin, "ukharvest_source_approve", **seen(changed))
    assert (HarvestSource.get(changed).url, approval(changed)) == (other.url(PATH), None)
    assert ("source accepted", "") in decisions(changed)
    portal.run(changed)
    assert other.paths[0] == PATH


def test_datasets_move_with_a_tested_url(
    changed: str, other: Publisher, publisher: Publisher, portal: Portal, editor: User
) -> None:
    ids = {each["id"] for each in portal.datasets()}
    place = {"source_id": changed, "url": other.url(PATH)}
    test = as_(editor, "ukharvest_source_preview_create", **place)["id"]
    work()
    before = HarvestSource.get(changed).url
    done = as_(editor, "ukharvest_source_move", source_id=changed, dry_run_id=test)
    assert (done["is_asked"], HarvestSource.get(changed).url) == (True, before)
    act("ukharvest_source_approve", **seen(changed), run=True)
    assert HarvestSource.get(changed).url == other.url(PATH)
    assert {each["id"] for each in portal.datasets()} == ids
    job = act("ukharvest_run_list", source=changed)["results"][0]
    assert (job["outcome"], job["asked_by"] != "") == ("queued", False)


OPTIONS = '{"default_tags": ["a"], "organisations": {"Parks": "parks"}}'


def test_options_saved_since_are_kept(changed: str, other: Publisher, sysadmin: User) -> None:
    as_(sysadmin, "harvest_source_patch", id=changed, config=OPTIONS)
    assert json.loads(approval(changed)["config"]) == json.loads(OPTIONS)
    as_(sysadmin, "ukharvest_source_approve", **seen(changed))
    source = HarvestSource.get(changed)
    assert (source.url, json.loads(source.config)) == (other.url(PATH), json.loads(OPTIONS))


def test_options_that_were_asked_for_keep_those_of_sysadmins(
    old: str, other: Publisher, sysadmin: User, editor: User
) -> None:
    as_(sysadmin, "harvest_source_patch", id=old, config='{"organisations": {"Roads": "roads"}}')
    asked = {"url": other.url(PATH), "config": '{"default_tags": ["b"]}'}
    as_(editor, "harvest_source_patch", id=old, **asked)
    as_(sysadmin, "harvest_source_patch", id=old, config=OPTIONS)
    as_(sysadmin, "ukharvest_source_approve", **seen(old))
    kept = {"default_tags": ["b"], "organisations": {"Parks": "parks"}}
    assert json.loads(HarvestSource.get(old).config) == kept
    as_(editor, "harvest_source_patch", id=old, url="http://127.0.0.2/x", config=OPTIONS)
    as_(sysadmin, "harvest_source_patch", id=old, config="")
    assert json.loads(approval(old)["config"]) == {"default_tags": ["a"]}


def test_options_taken_back_under_an_old_name_stay_taken_back(
    old: str, other: Publisher, sysadmin: User, editor: User
) -> None:
    stored = {"organization_mapping": {"Parks": "parks"}}
    HarvestSource.get(old).config = json.dumps(stored)  # as another harvester left it
    Session.commit()
    asked = json.dumps({**stored, "default_tags": ["b"]})
    as_(editor, "harvest_source_patch", id=old, url=other.url(PATH), config=asked)
    assert "parks" in approval(old)["config"]
    as_(sysadmin, "harvest_source_patch", id=old, config="")
    as_(sysadmin, "ukharvest_source_approve", **seen(old))
    assert json.loads(HarvestSource.get(old).config) == {"default_tags": ["b"]}


def test_the_package_of_a_locked_source_is_locked_too(old: str) -> None:
    database.lock_source(old)
    query = sa.text("SELECT 1 FROM package WHERE id = :id FOR NO KEY UPDATE SKIP LOCKED")
    with model.meta.engine.connect() as another:
        assert another.execute(query, {"id": old}).all() == []
        Session.rollback()
        assert another.execute(query, {"id": old}).all() == [(1,)]


def test_a_refused_url_is_not_read_and_can_be_asked_for_again(
    changed: str, other: Publisher, editor: User
) -> None:
    given = seen(changed)
    with pytest.raises(tk.ValidationError, match="reason"):
        act("ukharvest_source_refuse", **given, reason=" ")
    act("ukharvest_source_refuse", **given, reason="No agreement")
    asked = approval(changed)
    assert (asked["state"], asked["reason"]) == ("refused", "No agreement")
    assert HarvestSource.get(changed).url != other.url(PATH)
    assert ("source refused", "No agreement") in decisions(changed)
    as_(editor, "harvest_source_patch", id=changed, url=other.url(PATH))
    assert approval(changed)["state"] == "waiting"
    act("ukharvest_source_refuse", **given, reason="Still none")
    as_(editor, "harvest_source_patch", id=changed, title="Given up")
    assert approval(changed) is None


def test_a_refused_new_source_does_not_run(
    publisher: Publisher, portal: Portal, editor: User
) -> None:
    made = {
        "url": publisher.url(PATH),
        "source_type": "data_json",
        "name": "weirs",
        "title": "Weirs",
    }
    source = as_(editor, "harvest_source_create", **made, owner_org=portal.organization_id)["id"]
    act("ukharvest_source_refuse", **seen(source), reason="Not ours")
    with pytest.raises(tk.ValidationError, match="sysadmin"):
        act("ukharvest_run_create", source_id=source)
    as_(editor, "harvest_source_patch", id=source, title="Please")
    assert approval(source)["state"] == "waiting"
    HarvestSource.get(source).active = False
    Session.commit()
    accepted = act("ukharvest_source_approve", **seen(source), run=True)
    assert (accepted["run"], approval(source)) == (None, None)


def test_only_what_was_seen_is_accepted(changed: str, other: Publisher, editor: User) -> None:
    given = seen(changed)
    as_(editor, "harvest_source_patch", id=changed, url=other.url("/b.json"))
    for verb, more in (("approve", {}), ("refuse", {"reason": "No"})):
        for forged in ({}, {"source_type": "dcat_rdf", "url": other.url("/b.json")}):
            with pytest.raises(tk.ValidationError, match="changed since"):
                act(f"ukharvest_source_{verb}", **{**given, **forged}, **more)
    assert approval(changed)["url"] == other.url("/b.json")
    act("ukharvest_source_approve", **seen(changed))
    with pytest.raises(tk.ValidationError, match="Nothing is waiting"):
        act("ukharvest_source_approve", **given)


def blocked() -> bool:
    query = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    return bool(Session.scalar(sa.text(query)))


def test_an_edit_and_a_decision_wait_for_each_other(
    changed: str, other: Publisher, editor: User
) -> None:
    """Whichever comes second sees what the first has done."""
    given, answers = seen(changed), []

    def call(work_of: Callable[[], Any]) -> None:
        try:
            answers.append(work_of())
        except tk.ValidationError as exc:
            answers.append(str(exc.error_dict))
        finally:
            Session.remove()

    def approve() -> Any:
        return act("ukharvest_source_approve", **given)

    def edit() -> Any:
        return as_(editor, "harvest_source_patch", id=changed, url=other.url("/d.json"))

    lock = sa.text("SELECT FROM harvest_source WHERE id = :id FOR UPDATE")
    put = sa.text(
        "UPDATE ukharvest_pending SET asked = jsonb_set(asked, '{url}', to_jsonb(:url ::text))"
        " WHERE source_id = :id"
    )
    for work_of, url in ((approve, other.url("/c.json")), (edit, other.url("/e.json"))):
        with model.meta.engine.begin() as connection:
            connection.execute(lock, {"id": changed})
            thread = threading.Thread(target=call, args=(work_of,))
            thread.start()
            until(blocked)
            connection.execute(put, {"id": changed, "url": url})
        thread.join(60)
    assert "changed since" in answers[0]
    assert (len(answers), approval(changed)["url"]) == (2, other.url("/d.json"))
