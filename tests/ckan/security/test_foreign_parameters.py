"""A parameter that a user may use opens nothing that another parameter names."""

from __future__ import annotations

import json
from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan import model
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest.harvest.gather import previews as source_previews
from ckanext.ukharvest.harvest.model import Record
from tests.ckan.access import ALL, NOBODY, ROLES, Headers, stored_state
from tests.ckan.access_rows import TABLE, Row, call, filled
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

Session = model.Session
REFUSALS = (tk.NotAuthorized, tk.ObjectNotFound, tk.ValidationError)
# An invalid token counts as none (test_access_table.py).
ASKING = [role for role in ROLES if role not in NOBODY[1:]]
# Both are filters, and the answer has only what passes both.
BOTH_FILTER = {("ukharvest_broken_link_list", name) for name in ("source", "source_id")}


@pytest.fixture
def own(
    portal: Portal, publisher: Publisher, place: dict[str, str], people: dict[str, Headers]
) -> dict[str, str]:
    """Return parameter → value: what the administrator of another organisation may use."""
    listed = act("organization_list_for_user", id="other-admin")
    (organization,) = (other for other in listed if other["id"] != place["organization"])
    publisher.serve("/own.json", catalogue(1))
    url = publisher.url("/own.json")
    source = portal.source(url, name="own", owner_org=organization["id"])
    run = portal.run(source)["id"]
    record = Session.query(Record).filter_by(source_id=source).one()
    tested = {"source_type": "data_json", "url": publisher.url("/moved.json"), "config": ""}
    return {
        "id": source,
        "source_id": source,
        "source": source,
        "job_id": run,
        "record_id": str(record.id),
        "dataset_id": str(record.package_id),
        "organization": organization["name"],
        "organization_id": organization["id"],
        "owner_org": organization["id"],
        "dry_run_id": source_previews.add_preview("nobody", source_id=source, **tested).id,
        "url": url,
        "guid": record.guid,
    }


def names_thing(value: Any) -> bool:
    return str(value).startswith("@") and "url" not in value and value != "@guid"


def additions(row: Row, name: str, value: str) -> list[dict[str, Any]]:
    """Return a row's parameters with one more; of the same name: before, behind, in its place."""
    if name not in row.given:
        return [{**row.given, name: value}]
    foreign, replaced = row.given[name], {**row.given, name: value}
    is_still_foreign = any(map(names_thing, replaced.values()))
    doubled = [{**row.given, name: [value, foreign]}, {**row.given, name: [foreign, value]}]
    return [*doubled, *([replaced] if is_still_foreign else [])]


def outcome(user: str, action: str, given: dict[str, Any]) -> str:
    """Return what an action ends with for a user: "" for a result, else the error."""
    try:
        tk.get_action(action)({"user": user}, given)
    except REFUSALS:
        return "refused"
    except Exception as exc:  # noqa: BLE001 - the test lists what is none of the three
        return type(exc).__name__
    finally:
        Session.rollback()
    return ""


def test_own_things_do_not_open_those_of_others(
    place: dict[str, str], people: dict[str, Headers], own: dict[str, str]
) -> None:
    wrong = []
    before = stored_state()
    for row in TABLE:
        if not any(map(names_thing, row.given.values())):
            continue  # names nothing of another user
        for role in (role for role in ASKING if role not in row.who):
            user = "" if role in NOBODY else role.replace(" ", "-")
            for name, value in own.items():
                for given in additions(row, name, value):
                    ended = outcome(user, row.action, prepared(given, place))
                    if ended != "refused" and (row.action, name) not in BOTH_FILTER:
                        wrong.append((row.action, row.given, role, name, ended))
        after = stored_state()
        changed = [name for name in {*after, *before} if after.get(name) != before.get(name)]
        wrong += [(row.action, "changed", changed)] if changed else []
        before = after
    assert not wrong, "\n".join(map(str, wrong))


def prepared(given: dict[str, Any], place: dict[str, str]) -> dict[str, Any]:
    """Return parameters with the ids that they name, also within lists."""
    place.setdefault("last run", place["run"])
    return {
        key: [filled({key: part}, place)[key] for part in value]
        if isinstance(value, list)
        else value
        for key, value in filled(given, place).items()
    }


def test_unknown_parameters_are_refused_by_name(place: dict[str, str]) -> None:
    place["last run"] = place["run"]
    for row in TABLE:
        if row.action.startswith("ukharvest_"):
            with pytest.raises(tk.ValidationError) as caught:
                act(row.action, **filled(row.given, place), sourceid=place["source"])
            assert list(caught.value.error_dict) == ["sourceid"], row.action
            assert "This action takes" in str(caught.value.error_dict["sourceid"])


def test_source_and_source_id_mean_the_same(place: dict[str, str], own: dict[str, str]) -> None:
    """A list asked with the other name does not answer for all sources."""
    for action in ("ukharvest_run_list", "ukharvest_decision_list", "ukharvest_broken_link_list"):
        listed = act(action, source=place["source"])
        assert act(action, source_id=place["source"]) == listed
        with pytest.raises(tk.ValidationError):
            act(action, source=place["source"], source_id=own["source"])
    assert act("ukharvest_run_list", source_id=place["source"])["count"] == 1
    assert act("ukharvest_run_list")["count"] == 2
    assert act("ukharvest_mail_show", source=own["source"])["source_id"] == own["source"]


def test_public_answers_name_nothing_private(
    app: CKANTestApp,
    portal: Portal,
    publisher: Publisher,
    place: dict[str, str],
    people: dict[str, Headers],
) -> None:
    """Not its title, id, name or URL, in any answer that everybody may have.

    A public dataset names the private source that it comes from (docs/security.md).
    """
    source, publicly = place["private source"], "Public dataset of it"
    act("package_patch", id=place["private dataset"], title="A dataset nobody knows")
    url = publisher.url("/private.json")
    act("harvest_source_patch", id=source, title="A source nobody knows", url=url)
    publisher.serve("/private.json", catalogue([dataset(7, title=publicly)]))
    portal.run(source)
    of_dataset = {"A source nobody knows", source}
    hidden = {
        *of_dataset,
        "A dataset nobody knows",
        place["private dataset"],
        place["private resource"],
        url,
    }
    rows = [row for row in TABLE if row.who == ALL and not row.action.endswith("preview_show")]
    place["of private"] = act("package_search", fq=f'title:"{publicly}"')["results"][0]["id"]
    assert place["of private"]
    of_ckan = (
        ("package_search", {"q": "*:*", "facet.field": ["harvest_source_title"], "rows": 50}),
        ("package_search", {"fq": "dataset_type:harvest"}),
        ("package_show", {"id": "@of private"}),
        ("current_package_list_with_resources", {}),
        ("package_list", {}),
        ("resource_search", {"query": "name:a"}),
        ("organization_show", {"id": "@organization", "include_datasets": True}),
        ("ukharvest_dataset_show", {"id": "@of private"}),
    )
    leaks = []
    for row in (*rows, *(Row(name, ALL, given) for name, given in of_ckan)):
        names_source = row.action.startswith(("package_", "current_", "organ", "ukharvest_dataset"))
        for role in ("anonymous", "outsider", "other admin"):
            answer = call(app, row, place, people[role])
            text = json.dumps(answer.json, ensure_ascii=False)
            secrets = hidden - of_dataset if names_source else hidden
            leaks += [(row.action, row.given, role, secret) for secret in secrets if secret in text]
            assert answer.status_code == 200, (row, text)
    assert not leaks, "\n".join(map(str, leaks))
