"""Rules for a harvest source on save, through form and API."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp, call_action
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import source_types
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, figures
from tests.publisher import Publisher

PATH = "/data.json"
URL = "https://data.example.gov.uk/csw?map=1&service=CSW"


def save(portal: Portal, user: dict[str, Any], action: str = "create", **fields: Any) -> Any:
    """Save a source as a user does through the API."""
    config = fields.pop("config", None)
    if config is not None:
        fields["config"] = json.dumps(config)
    if action == "create":
        portal.number += 1
        fields = {"name": f"by-user-{portal.number}", "title": "By user", **fields}
        fields = {"source_type": "data_json", "owner_org": portal.organization_id, **fields}
    context = {"user": user["name"], "ignore_auth": False, "model": model, "session": model.Session}
    return tk.get_action(f"harvest_source_{action}")(context, fields)


REFUSED = {
    "/etc/passwd": "http:// or https://",
    "file:///etc/passwd": "not file",
    "ftp://data.example.gov.uk/data.json": "not ftp",
    "http://169.254.169.254/latest/meta-data/": "not on the public internet",
    "http://10.0.0.8/data.json": "not on the public internet",
    "http://2852039166/data.json": "not on the public internet",
    "http://user:pass@data.example.gov.uk/": "user name or password",
}


def test_forbidden_url_is_refused_beside_the_field(
    portal: Portal, editor: dict[str, Any], monkeypatch: Any
) -> None:
    # ckanext-harvest accepts all of these
    for types in (source_types.TYPES, {}):  # then as if the type were another package's
        monkeypatch.setattr(source_types, "TYPES", types)
        for url, reason in REFUSED.items():
            with pytest.raises(tk.ValidationError) as refused:
                save(portal, editor, url=url)
            assert reason in refused.value.error_dict["url"][0], (url, types)
            assert not types or list(refused.value.error_dict) == ["url"], url


# To a terminal, and one that turns what follows. U+009B is meant as Windows' letter.
COMMANDS = "\x1b]0;hurt\x07\x9b31m\u202e"


@pytest.mark.parametrize("action", ["update", "patch"])
def test_texts_of_a_source_command_no_terminal(
    portal: Portal, editor: dict[str, Any], action: str
) -> None:
    texts = {"title": f"Rivers{COMMANDS} ", "notes": f"One{COMMANDS}\r\nTwo\tthree"}
    clean = {"title": "Rivers]0;hurt›31m", "notes": "One]0;hurt›31m\nTwo\tthree"}
    source = save(portal, editor, url=URL, **texts)
    assert {name: source[name] for name in texts} == clean
    again = {name: text.replace("Rivers", "Lakes") for name, text in texts.items()}
    saved = save(portal, editor, action, **{**source, **again})
    assert (saved["title"], saved["notes"]) == ("Lakes]0;hurt›31m", clean["notes"])
    assert HarvestSource.get(source["id"]).title == "Lakes]0;hurt›31m"


def test_title_of_nothing_but_commands_is_the_name(portal: Portal, editor: dict[str, Any]) -> None:
    assert save(portal, editor, url=URL, title="\x1b\x07")["title"] == "by-user-1"


def test_an_address_is_checked_when_it_is_changed(portal: Portal, editor: dict[str, Any]) -> None:
    source = save(portal, editor, url=URL)
    for action in ("update", "patch"):
        with pytest.raises(tk.ValidationError, match="cannot be read"):
            save(portal, editor, action, **{**source, "url": "file:///etc/passwd"})
    assert HarvestSource.get(source["id"]).url == URL
    save(portal, editor, "patch", id=source["id"], title="Renamed")


def test_two_addresses_that_differ_in_the_query_are_two_sources(
    portal: Portal, editor: dict[str, Any]
) -> None:
    source = save(portal, editor, url=URL)
    call_action("harvest_source_delete", {"ignore_auth": True}, id=source["id"])
    save(portal, editor, url=URL)  # a deleted source is no duplicate (ckanext-harvest#449)
    # ckanext-harvest drops the query
    save(portal, editor, url=URL.replace("map=1", "map=2"))
    save(portal, editor, url=URL, config={"default_tags": ["two"]})
    for same in (URL, URL.replace(".uk/", ".uk:443/"), URL.replace("https", "HTTPS"), URL + "#top"):
        with pytest.raises(tk.ValidationError, match="By user"):
            save(portal, editor, url=same)
    model.Session.query(model.Package).filter_by(type="harvest").update({"private": True})
    model.Session.commit()
    with pytest.raises(tk.ValidationError, match="Another harvest source already has") as caught:
        save(portal, editor, url=URL)
    assert "By user" not in str(caught.value.error_dict)


def test_options_are_refused_beside_the_configuration(
    portal: Portal, editor: dict[str, Any], ckan_config: Any, monkeypatch: Any
) -> None:
    secret = "https://other.example.gov.uk X-Key: 1"
    monkeypatch.setitem(ckan_config, "ckanext.ukharvest.credentials.theirs", secret)
    wrong = {
        "not_overwite is not an option": {"not_overwite": []},
        "no usable secret": {"credential": "unknown"},
        "is for https://other.example.gov.uk": {"credential": "theirs"},
    }
    for message, config in wrong.items():
        with pytest.raises(tk.ValidationError) as refused:
            save(portal, editor, url=URL, config=config)
        assert list(refused.value.error_dict) == ["config"]
        assert message in refused.value.error_dict["config"][0]
    save(portal, editor, url="https://other.example.gov.uk/", config={"credential": "theirs"})


def test_the_form_shows_each_error_beside_its_field(
    app: CKANTestApp, portal: Portal, editor: dict[str, Any]
) -> None:
    form = {
        "name": "by-form",
        "title": "By form",
        "url": "ftp://data.example.gov.uk/",
        "source_type": "data_json",
        "owner_org": portal.organization_id,
        "config": '{"not_overwite": []}',
        "save": "Save",
    }
    headers = editor["headers"]
    answer = app.post("/harvest/new", data=form, headers=headers)
    assert "only http and https addresses are, not ftp" in answer.body
    assert "not_overwite is not an option" in answer.body
    form.update(url=URL, config="")
    app.post("/harvest/new", data=form, headers=headers, follow_redirects=False)
    assert HarvestSource.get(model.Package.get("by-form").id).url == URL


@pytest.fixture
def groups() -> list[str]:
    return [factories.Group(name=name)["name"] for name in ("transport", "parking")]


def test_options_beyond_the_organisation_are_a_sysadmins(
    portal: Portal, editor: dict[str, Any], groups: list[str]
) -> None:
    wanted = {"default_groups": ["transport"]}
    with pytest.raises(tk.ValidationError, match="only a sysadmin"):
        save(portal, editor, url=URL, config=wanted)
    with pytest.raises(tk.ValidationError, match="no group 'nowhere'"):
        save(portal, factories.Sysadmin(), url=URL, config={"default_groups": ["nowhere"]})
    source = save(portal, factories.Sysadmin(), url=URL, config=wanted)
    changed = {"default_groups": groups}
    with pytest.raises(tk.ValidationError, match="only a sysadmin"):
        save(portal, editor, "patch", id=source["id"], config=changed)
    save(portal, editor, "patch", id=source["id"], config={**wanted, "default_tags": ["a"]})
    # If an editor omits them, they are kept.
    save(portal, editor, "patch", id=source["id"], config={"default_tags": ["b"]})
    stored = json.loads(HarvestSource.get(source["id"]).config)
    assert stored == {"default_tags": ["b"], "default_groups": ["transport"]}
    save(portal, editor, "patch", id=source["id"], config={})
    assert json.loads(HarvestSource.get(source["id"]).config) == wanted
    save(portal, factories.Sysadmin(), "patch", id=source["id"], config={})
    assert not HarvestSource.get(source["id"]).config


def test_datasets_go_into_the_default_groups_and_stay_in_others(
    portal: Portal, publisher: Publisher, groups: list[str]
) -> None:
    publisher.serve(PATH, catalogue(2))
    config = {"default_groups": ["transport"]}
    source = portal.source(publisher.url(PATH), config=config)
    assert figures(portal.run(source)) == {"added": 2}
    first = portal.datasets()[0]
    assert [group["name"] for group in first["groups"]] == ["transport"]
    by_hand = {"ignore_auth": True, "user": factories.Sysadmin()["name"]}
    both = [{"name": name} for name in groups]
    call_action("package_patch", by_hand, id=first["id"], groups=both)
    assert figures(portal.run(source, force=True)) == {"updated": 2}
    names = sorted(group["name"] for group in portal.datasets()[0]["groups"])
    assert names == ["parking", "transport"]


def test_the_run_asks_again_for_options_beyond_the_organisation(
    portal: Portal, publisher: Publisher, groups: list[str]
) -> None:
    publisher.serve(PATH, catalogue(2))
    source = portal.source(publisher.url(PATH))
    # As another harvester's form or SQL stored it: no sysadmin has seen it.
    HarvestSource.get(source).config = json.dumps({"default_groups": ["transport"]})
    model.Session.commit()
    job = portal.run(source)
    assert figures(job) == {"errored": 1}
    assert "no sysadmin has confirmed it" in job["gather_error_summary"][0]["message"]
    assert portal.datasets() == []
    config = {"default_groups": ["transport"]}
    save(portal, factories.Sysadmin(), "patch", id=source, config=config)
    assert figures(portal.run(source)) == {"added": 2}
