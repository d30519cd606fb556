"""Sources that wait for a sysadmin: what does, what goes on meanwhile, and that nothing starts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.logic import HarvestJobExists
from ckanext.harvest.model import HarvestJob, HarvestSource

from ckanext.ukharvest.core.http.urls import is_same_server
from ckanext.ukharvest.harvest.model import utcnow
from tests.ckan.catalogues import catalogue
from tests.ckan.commands import invoke
from tests.ckan.harvesting import Portal, act, tick
from tests.ckan.people import member
from tests.ckan.previews.previewing import as_, work
from tests.publisher import Publisher

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckanext.ukharvest.approval", "true"),
]

PATH = "/data.json"
Session = model.Session
User = dict[str, Any]


@pytest.fixture
def other() -> Iterator[Publisher]:
    """A publisher at another port, which makes it another server."""
    with Publisher() as serving:
        serving.serve(PATH, catalogue(3))
        yield serving


@pytest.fixture
def new(publisher: Publisher, portal: Portal, editor: User) -> str:
    """A source that an editor adds."""
    publisher.serve("/new.json", catalogue(3))
    made = {"url": publisher.url("/new.json"), "source_type": "data_json", "name": "parking"}
    made |= {"title": "Parking", "owner_org": portal.organization_id, "frequency": "DAILY"}
    id_ = as_(editor, "harvest_source_create", **made)["id"]
    Session.remove()
    return str(id_)


@pytest.fixture
def old(source: str) -> str:
    """A source that a sysadmin added."""
    return source


def approval(source: str) -> Any:
    Session.remove()
    return call_action("ukharvest_source_show", source_id=source)["approval"]


def place(source: str) -> tuple[str, str, str]:
    """Return URL and type of a source where runs read them, and the URL of its package."""
    Session.remove()
    stored = HarvestSource.get(source)
    return stored.url, stored.type, call_action("package_show", id=source)["url"]


def by_source_update(user: User, id_: str, **changed: Any) -> Any:
    shown = as_(user, "harvest_source_show", id=id_)
    return as_(user, "harvest_source_update", **{**shown, **changed})


def by_package_update(user: User, id_: str, **changed: Any) -> Any:
    return as_(user, "package_update", **{**as_(user, "package_show", id=id_), **changed})


def by_source_patch(user: User, id_: str, **changed: Any) -> Any:
    return as_(user, "harvest_source_patch", id=id_, **changed)


def by_package_patch(user: User, id_: str, **changed: Any) -> Any:
    return as_(user, "package_patch", id=id_, **changed)


def by_package_revise(user: User, id_: str, **changed: Any) -> Any:
    return as_(user, "package_revise", match={"id": id_}, update=changed)


SAVES = (
    *(by_source_update, by_package_update, by_source_patch, by_package_patch),
    by_package_revise,
)
Save = Callable[..., Any]


@pytest.mark.parametrize("save", SAVES)
def test_another_server_waits_however_it_is_saved(
    old: str, publisher: Publisher, other: Publisher, editor: User, save: Save
) -> None:
    before = place(old)
    save(editor, old, url=other.url(PATH), title="Roads")
    assert place(old) == before
    assert HarvestSource.get(old).title == "Roads"
    asked = approval(old)
    assert (asked["state"], asked["url"], asked["is_new"]) == ("waiting", other.url(PATH), False)
    assert (asked["source_type"], asked["asked_by"]) == ("data_json", editor["name"])
    save(editor, old, url=other.url("/b.json"))  # and nothing else
    assert (place(old), approval(old)["url"]) == (before, other.url("/b.json"))


@pytest.mark.parametrize("save", SAVES)
def test_no_editor_lets_a_source_run_always_however_it_is_saved(
    old: str, editor: User, sysadmin: User, save: Save
) -> None:
    for value in ("ALWAYS", "always"):
        assert "sysadmins" in refused(lambda: save(editor, old, frequency=value))  # noqa: B023
    save(sysadmin, old, frequency="ALWAYS")
    save(editor, old, title="Roads")  # it has it already
    assert (HarvestSource.get(old).frequency, HarvestSource.get(old).title) == ("ALWAYS", "Roads")


def test_a_source_without_stored_options_waits(old: str, other: Publisher, editor: User) -> None:
    HarvestSource.get(old).config = None
    Session.commit()
    by_source_update(editor, old, url=other.url(PATH), config="")
    assert (approval(old)["url"], approval(old)["config"]) == (other.url(PATH), "")


def test_whoever_saves_another_url_of_the_server_asks_no_more(
    old: str, publisher: Publisher, other: Publisher, editor: User
) -> None:
    by_source_patch(editor, old, url=other.url(PATH))
    by_source_patch(editor, old, url=publisher.url("/b.json"))
    assert (place(old)[0], approval(old)) == (publisher.url("/b.json"), None)


def test_another_type_waits_with_its_options(old: str, publisher: Publisher, editor: User) -> None:
    before, options = place(old), '{"default_tags": ["roads"]}'
    by_source_patch(editor, old, source_type="dcat_rdf", config=options)
    assert place(old) == before
    assert not HarvestSource.get(old).config
    asked = approval(old)
    assert (asked["source_type"], json.loads(asked["config"])) == ("dcat_rdf", json.loads(options))


def test_the_old_url_goes_on_while_the_new_one_waits(
    old: str, portal: Portal, publisher: Publisher, other: Publisher, editor: User
) -> None:
    by_source_patch(editor, old, url=other.url(PATH))
    assert portal.run(old)["stats"]["added"] == 3
    assert (other.paths, len(publisher.paths) > 0) == ([], True)


def test_what_stays_on_its_server_is_saved_at_once(
    old: str, publisher: Publisher, editor: User
) -> None:
    by_source_patch(editor, old, url=publisher.url("/b.json"), config='{"default_tags": ["a"]}')
    assert (place(old)[0], approval(old)) == (publisher.url("/b.json"), None)


@pytest.mark.parametrize(
    ("url", "other", "is_same"),
    [
        ("https://a.example/x", "http://A.example:80/y", True),
        ("https://a.example/x", "https://a.example:8443/x", False),
        ("https://a.example/x", "https://b.a.example/x", False),
        ("https://a.example/x", "https://a.example@b.example/x", False),
        ("https://a.example/x", "file:///x", False),
    ],
)
def test_a_server_is_a_host_and_a_port(url: str, other: str, is_same: bool) -> None:
    assert is_same_server(url, other) is is_same


def test_what_a_sysadmin_saves_is_accepted_at_once(
    new: str, old: str, other: Publisher, sysadmin: User, editor: User
) -> None:
    by_source_patch(editor, old, url=other.url(PATH))
    by_source_patch(sysadmin, old, title="Roads")
    by_source_patch(sysadmin, new, title="Cars")
    assert approval(old)["state"] == approval(new)["state"] == "waiting"
    by_source_patch(sysadmin, old, url=other.url("/c.json"))
    by_source_patch(sysadmin, new, url=other.url("/d.json"))
    assert (approval(old), approval(new)) == (None, None)
    assert (place(old)[0], place(new)[0]) == (other.url("/c.json"), other.url("/d.json"))


def test_a_new_source_is_saved_and_waits(
    new: str, publisher: Publisher, other: Publisher, editor: User
) -> None:
    asked = approval(new)
    assert (asked["is_new"], asked["url"]) == (True, publisher.url("/new.json"))
    by_source_patch(editor, new, url=other.url(PATH))
    assert (place(new)[0], approval(new)["url"]) == (other.url(PATH), other.url(PATH))
    assert approval(new)["is_new"]
    assert call_action("ukharvest_source_show", source_id=new)["schedule"]["next_starts"] == []


def jobs() -> int:
    Session.remove()
    return Session.query(HarvestJob).count()


def refused(call: Callable[[], Any]) -> str:
    with pytest.raises((tk.ValidationError, HarvestJobExists)) as raised:
        call()
    Session.rollback()
    return str(raised.value.error_dict)


def test_nothing_starts_a_source_that_waits(
    app: CKANTestApp, new: str, publisher: Publisher, editor: User, sysadmin: User
) -> None:
    for user in (editor, sysadmin):
        assert "sysadmin" in refused(lambda: as_(user, "harvest_job_create", source_id=new))  # noqa: B023
        assert "sysadmin" in refused(lambda: as_(user, "ukharvest_run_create", source_id=new))  # noqa: B023
    assert act("harvest_job_create_all") == []
    HarvestSource.get(new).next_run = utcnow()
    Session.commit()
    tick()
    for words in ("harvester run-test", "ukharvest run", "harvester job"):
        result = invoke(app, *words.split(), "parking")
        assert (result.exit_code != 0, "Traceback" in result.output) == (True, False), words
    url = "/api/3/action/harvest_job_create"
    app.post(url, json={"source_id": new}, headers=editor["headers"], status=409)
    page = app.post("/harvest/refresh/parking", headers=editor["headers"]).body
    assert "A sysadmin has to accept the source before it runs." in page
    assert (jobs(), publisher.paths) == (0, [])


def test_a_source_that_waits_can_be_tested(new: str, publisher: Publisher, editor: User) -> None:
    as_(editor, "ukharvest_source_preview_create", source_id=new)
    work()
    assert publisher.paths[0] == "/new.json"
    assert jobs() == 0


@pytest.mark.parametrize("state", ["draft", "active", "deleted"])
def test_no_state_of_a_package_accepts_its_source(
    new: str, publisher: Publisher, editor: User, state: str
) -> None:
    forged = {"state": state, "approval": None, "extras": [{"key": "approval", "value": "yes"}]}
    by_package_patch(editor, new, **forged)
    by_package_patch(editor, new, state="active", extras=[])
    assert approval(new)["is_new"]
    assert "sysadmin" in refused(lambda: act("ukharvest_run_create", source_id=new))


def test_clearing_accepts_nothing(
    new: str, old: str, other: Publisher, organization: dict[str, str], editor: User
) -> None:
    admin = member(organization, "admin")
    by_source_patch(editor, old, url=other.url(PATH))
    for source in (new, old):
        as_(admin, "harvest_source_clear", id=source)
        assert approval(source)["state"] == "waiting"
    assert "sysadmin" in refused(lambda: act("harvest_job_create", source_id=new))


def test_adoption_accepts_a_source(new: str) -> None:
    HarvestSource.get(new).type = "datajson"  # as another harvester names it
    Session.commit()
    assert "sysadmin" in refused(lambda: act("harvest_job_create", source_id=new))
    act("ukharvest_source_adopt", source_id=new)
    assert (place(new)[1], approval(new)) == ("data_json", None)
    by_undo = act("ukharvest_source_adopt", source_id=new, undo=True)
    assert (by_undo["changes"] != [], approval(new)) == (True, None)


def test_an_url_that_cannot_be_saved_is_not_asked_for(
    old: str, new: str, publisher: Publisher, editor: User
) -> None:
    for url in ("ftp://data.example/x", publisher.url(PATH).replace("127.0.0.1", "10.9.9.9")):
        assert "url" in refused(lambda: by_source_patch(editor, old, url=url))  # noqa: B023
    assert approval(old) is None


def test_sources_of_before_are_accepted(
    new: str, other: Publisher, portal: Portal, editor: User, monkeypatch: Any, ckan_config: Any
) -> None:
    """Also one that waited when the portal stopped approving."""
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.approval", False)
    assert approval(new) is None
    tick()
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.approval", True)
    assert portal.run(new)["stats"]["added"] == 3
    by_source_patch(editor, new, url=other.url(PATH))
    assert approval(new)["state"] == "waiting"


def test_without_the_setting_nothing_waits(
    new: str, other: Publisher, editor: User, monkeypatch: Any, ckan_config: Any
) -> None:
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.approval", False)
    by_source_patch(editor, new, url=other.url(PATH))
    assert place(new)[0] == other.url(PATH)
    assert act("ukharvest_run_create", source_id=new)["queued"]
