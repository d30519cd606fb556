"""The table of forged requests against the features that need CKAN: runs, jobs and the form."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Callable, Iterator
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.lib import jobs
from ckan.tests import factories
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.engine.jobs import link_check
from ckanext.ukharvest.model import SourcePreview
from ckanext.ukharvest.source_types import TYPES
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act
from tests.contract import SERVERS
from tests.publishing.records import items
from tests.security.attacks import ATTACKS
from tests.security.canary import SECRET, Canary
from tests.security.features import WITH_CKAN
from tests.security.forged_urls import SOURCE_URLS
from tests.security.stage import NAME, PUBLISHER, Attack, Hostile, Stage

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckanext.ukharvest.http.allow_private", f"{PUBLISHER}/32"),
    pytest.mark.ckan_config("ckanext.ukharvest.http.retries", "0"),
]

# Those that differ in what reaches CKAN; the whole table is run against the readers themselves.
PLAYED = [
    each
    for each in ATTACKS
    if each.name
    in {
        "source URL: 127.0.0.1",
        "redirect: 127.0.0.1",
        "redirect: request 2",
        "redirect: request 3",
        "DNS: inside",
        "DNS: changes after the first look-up",
        "document: every address",
        "document: @context",
        "document: external entity",
    }
]
Session = model.Session


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with Canary() as canary, Hostile(canary.port) as publisher:
        found = Stage(publisher, canary)
        look_up = socket.getaddrinfo

        def resolve(host: Any, port: Any, *args: Any, **how: Any) -> Any:
            if host == NAME and "type" in how:  # not whether it is an address
                return found.resolve(host, port, **how)
            return look_up(host, port, *args, **how)

        monkeypatch.setattr(socket, "getaddrinfo", resolve)
        yield found


def make_source(portal: Portal, stage: Stage, type_: str, attack: Attack) -> str:
    """Make a source whose URL passes the form, then begin the attack."""
    path = SERVERS[type_](stage.publisher, items(3)).path
    source = portal.source(stage.publisher.url(path), type_)
    stage.answers = attack.answers
    change = attack.change
    if change:
        stage.publisher.change = lambda *answer: change(stage, *answer)
    # As an older version, or SQL, may have stored it.
    Session.get(HarvestSource, source).url = attack.start(stage, path)
    Session.commit()
    return source


def harvest(portal: Portal, source: str) -> str:
    return json.dumps(portal.run(source), default=str)


def work() -> None:
    for job in jobs.get_queue().jobs:
        job.func(*job.args)
    call_action("job_clear")
    Session.remove()


def preview(_portal: Portal, source: str) -> str:
    found = Session.get(HarvestSource, source)
    given = {"source_type": found.type, "url": found.url}
    # A URL that the form refuses starts no job.
    with contextlib.suppress(tk.ValidationError):
        act("ukharvest_source_preview_create", **given)
    work()
    return str([each.result for each in Session.query(SourcePreview)])


def dry_run(_portal: Portal, source: str) -> str:
    act("ukharvest_dry_run_create", source_id=source)
    work()
    return str([each.result for each in Session.query(SourcePreview)])


def check(_portal: Portal, source: str) -> str:
    """Check the URL as a source, and data with the URL as their schema."""
    found = Session.get(HarvestSource, source)
    type_, url = found.type, found.url
    for given in ({"source_type": type_, "url": url}, {"text": "a,b\n", "schema_url": url}):
        with contextlib.suppress(tk.ValidationError):
            act("ukharvest_check_create", **given)
    work()
    return str([each.result for each in Session.query(SourcePreview)])


def move(_portal: Portal, source: str) -> str:
    found = Session.get(HarvestSource, source)
    url, found.url = found.url, "https://old.example/catalogue.ttl"
    Session.commit()
    # A URL that the form refuses starts no job.
    with contextlib.suppress(tk.ValidationError):
        act("ukharvest_source_move_dry_run_create", source_id=source, url=url)
    work()
    return str([each.result for each in Session.query(SourcePreview)])


def adopt(portal: Portal, source: str) -> str:
    guid = {"key": "guid", "value": "https://publisher.example/rivers"}
    factories.Dataset(owner_org=portal.organization_id, extras=[guid])
    # A source that cannot be read to its end adopts nothing.
    with contextlib.suppress(tk.ValidationError):
        return str(act("ukharvest_source_adopt", source_id=source, by_guid=True))
    return ""


FEATURES: dict[str, Callable[[Portal, str], str]] = {
    "harvest": harvest,
    "preview job": preview,
    "dry run": dry_run,
    "check job": check,
    "move": move,
    "adopt": adopt,
}


def assert_unharmed(portal: Portal, stage: Stage, found: str) -> None:
    assert stage.canary.hits == 0
    assert SECRET.decode() not in found
    assert SECRET.decode() not in json.dumps(portal.datasets(), default=str)


# Of the other types the documents that name URLs are read without CKAN.
_ALL = ("dcat_rdf", "gemini-waf")
_FIRST = ("redirect: 127.0.0.1", "redirect: request 2", "DNS: changes after the first look-up")
RUNS = [
    pytest.param(type_, each, id=f"{type_}-{each.name}")
    for type_ in sorted(TYPES)
    for each in PLAYED
    if type_ in _ALL or each.name in _FIRST
]


@pytest.mark.parametrize(("type_", "attack"), RUNS)
def test_no_run_contacts_the_inside(
    portal: Portal, stage: Stage, type_: str, attack: Attack
) -> None:
    source = make_source(portal, stage, type_, attack)
    assert_unharmed(portal, stage, harvest(portal, source))


@pytest.mark.parametrize("attack", PLAYED, ids=lambda each: each.name)
@pytest.mark.parametrize("name", ["preview job", "dry run", "check job", "move", "adopt"])
def test_no_preview_contacts_the_inside(
    portal: Portal, stage: Stage, name: str, attack: Attack
) -> None:
    call_action("job_clear")
    source = make_source(portal, stage, "dcat_rdf", attack)
    assert_unharmed(portal, stage, FEATURES[name](portal, source))


@pytest.mark.parametrize("attack", PLAYED, ids=lambda each: each.name)
def test_no_link_check_contacts_the_inside(portal: Portal, stage: Stage, attack: Attack) -> None:
    call_action("job_clear")
    stage.publisher.serve("/rivers", "river,length\nCam,69\n")
    link = attack.start(stage, "/rivers")
    files = [{"title": "Rivers", "accessURL": link}]
    stage.publisher.serve("/data.json", catalogue([dataset(1, distribution=files)]))
    portal.run(portal.source(stage.publisher.url("/data.json")))
    [shown] = portal.datasets()
    assert [each["url"] for each in shown["resources"]] == [link]
    stage.answers = attack.answers
    change = attack.change
    stage.publisher.requests.clear()
    if change:
        stage.publisher.change = lambda *answer: change(stage, *answer)
    link_check.look_at_due()
    Session.remove()
    found = call_action("ukharvest_link_show", {}, id=shown["resources"][0]["id"])
    assert found["checked"]
    assert_unharmed(portal, stage, json.dumps(found, default=str))


@pytest.mark.parametrize("attack", SOURCE_URLS, ids=lambda each: each.name)
def test_the_form_refuses_what_needs_no_look_up(
    portal: Portal, stage: Stage, attack: Attack
) -> None:
    url = attack.start(stage, "/")
    is_name = "localhost" in url.lower()
    refused = contextlib.nullcontext() if is_name else pytest.raises(tk.ValidationError)
    with refused:
        portal.source(url)
    assert stage.canary.hits == 0


def test_the_features_of_the_table_are_here() -> None:
    assert {*FEATURES, "link check job"} == set(WITH_CKAN)


def test_without_an_attack_the_publisher_is_read(portal: Portal, stage: Stage) -> None:
    source = make_source(portal, stage, "data_json", Attack("none"))
    harvest(portal, source)
    assert len(portal.datasets()) == 3


def test_adoption_reads_the_listing(portal: Portal, stage: Stage) -> None:
    source = make_source(portal, stage, "data_json", Attack("none"))
    stage.publisher.requests.clear()
    adopt(portal, source)
    assert stage.publisher.requests
