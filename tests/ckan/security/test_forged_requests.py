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

from ckanext.ukharvest.harvest import background
from ckanext.ukharvest.harvest.gather.previews import SourcePreview
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

# One of each sort, from the URL itself to what a document names. The whole table is played to the
# readers themselves (tests/security): here is what reaches them through CKAN.
SORTS = (
    "source URL: 127.0.0.1",
    "redirect: 127.0.0.1",
    "DNS: changes after the first look-up",
    "document: @context",
)
# A folder's files are requested by another stage than its page.
FILES = ("redirect: request 2", "DNS: changes after the first look-up")
BY_NAME = {attack.name: attack for attack in ATTACKS}
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


def begin(attack: Attack, stage: Stage) -> None:
    """Change DNS and the publisher's answers from now on."""
    stage.answers = attack.answers
    change = attack.change
    if change:
        stage.publisher.change = lambda *answer: change(stage, *answer)


def make_source(portal: Portal, stage: Stage, type_: str, attack: Attack) -> str:
    """Make a source whose URL passes the form, then begin the attack."""
    path = SERVERS[type_](stage.publisher, items(3)).path
    source = portal.source(stage.publisher.url(path), type_)
    begin(attack, stage)
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
    act("ukharvest_source_preview_create", source_id=source)
    work()
    return str([each.result for each in Session.query(SourcePreview)])


def check(_portal: Portal, source: str) -> str:
    """Check the URL as a source, and data with the URL as their schema."""
    found = Session.get(HarvestSource, source)
    type_, url = found.type, found.url
    for given in ({"source_type": type_, "url": url}, {"text": "a,b\n", "schema_url": url}):
        with contextlib.suppress(tk.ValidationError):
            act("ukharvest_source_preview_create", **given)
    work()
    return str([each.result for each in Session.query(SourcePreview)])


def move(_portal: Portal, source: str) -> str:
    found = Session.get(HarvestSource, source)
    url, found.url = found.url, "https://old.example/catalogue.ttl"
    Session.commit()
    # A URL that the form refuses starts no job.
    with contextlib.suppress(tk.ValidationError):
        act("ukharvest_source_preview_create", source_id=source, url=url)
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


CASES = [
    *((feature, "dcat_rdf", name) for feature in FEATURES for name in SORTS),
    *(("harvest", "gemini-waf", name) for name in FILES),
]


@pytest.mark.parametrize(("feature", "type_", "name"), CASES)
def test_attacks_contact_nothing_inside(
    portal: Portal, stage: Stage, feature: str, type_: str, name: str
) -> None:
    call_action("job_clear")
    source = make_source(portal, stage, type_, BY_NAME[name])
    assert_unharmed(portal, stage, FEATURES[feature](portal, source))


@pytest.mark.parametrize("name", SORTS)
def test_attacks_on_link_checks_contact_nothing_inside(
    portal: Portal, stage: Stage, name: str
) -> None:
    attack = BY_NAME[name]
    call_action("job_clear")
    stage.publisher.serve("/rivers", "river,length\nCam,69\n")
    link = attack.start(stage, "/rivers")
    files = [{"title": "Rivers", "accessURL": link}]
    stage.publisher.serve("/data.json", catalogue([dataset(1, distribution=files)]))
    portal.run(portal.source(stage.publisher.url("/data.json")))
    [shown] = portal.datasets()
    assert [each["url"] for each in shown["resources"]] == [link]
    stage.publisher.requests.clear()
    begin(attack, stage)
    background.work_for_minutes()
    Session.remove()
    result = call_action("ukharvest_link_show", {}, id=shown["resources"][0]["id"])
    assert result["checked"]
    assert_unharmed(portal, stage, json.dumps(result, default=str))


def test_form_refuses_urls_that_need_no_look_up(portal: Portal, stage: Stage) -> None:
    accepted = []
    for attack in SOURCE_URLS:
        url = attack.start(stage, "/")
        with contextlib.suppress(tk.ValidationError):
            portal.source(url)
            accepted.append(url)
    assert accepted == [stage.canary.url("/a", host) for host in ("localhost", "LOCALHOST.")]
    assert stage.canary.hits == 0


def test_every_feature_of_the_table_is_attacked() -> None:
    assert {*FEATURES, "link check job"} == set(WITH_CKAN)


def test_publisher_is_read_without_an_attack(portal: Portal, stage: Stage) -> None:
    source = make_source(portal, stage, "data_json", Attack("none"))
    harvest(portal, source)
    assert len(portal.datasets()) == 3


def test_adoption_reads_the_list_of_records(portal: Portal, stage: Stage) -> None:
    source = make_source(portal, stage, "data_json", Attack("none"))
    stage.publisher.requests.clear()
    adopt(portal, source)
    assert stage.publisher.requests
