"""Who may change tables of values, what they refuse, and their files, page and command."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests import factories

from tests.ckan.harvesting import act
from tests.ckan.people import member
from tests.ckan.value_tables.value_rows import row, table

pytestmark = pytest.mark.in_process


def save_as(user: dict[str, Any], **data: Any) -> Any:
    context = {"user": user["name"], "model": model, "session": model.Session}
    return tk.get_action("ukharvest_value_update")(context, data)


def test_editors_map_only_to_what_they_administer(
    source: str, organization: dict[str, str]
) -> None:
    own, other = factories.Organization(name="own"), factories.Organization(name="other")
    group, editor = factories.Group(name="others-group"), member(organization)
    role = {"username": editor["name"], "role": "admin"}
    act("organization_member_create", id=own["id"], **role)
    values = [row("organisation", "Roads", "own")]
    assert save_as(editor, source=source, values=values)["results"][0]["ours"] == "own"
    for field, name in (("organisation", other["name"]), ("group", group["name"])):
        with pytest.raises(tk.ValidationError, match="You do not administer"):
            save_as(editor, source=source, values=[row(field, "Parks", name)])
    with pytest.raises(tk.NotAuthorized):
        save_as(editor, values=values)
    choices = act("ukharvest_value_list", source=source)["choices"]["organisation"]
    assert {"own", "other"} <= {each["value"] for each in choices}


@pytest.mark.parametrize("ours", ["", "own"])
def test_editors_take_datasets_only_from_what_they_administer(
    source: str, organization: dict[str, str], ours: str
) -> None:
    own, other = factories.Organization(name="own"), factories.Organization(name="other")
    editor = member(organization)
    role = {"username": editor["name"], "role": "admin"}
    act("organization_member_create", id=own["id"], **role)
    values = [row("organisation", "Roads", "other"), row("theme", "Wheels", "Transport")]
    act("ukharvest_value_update", source=source, values=values)
    assert save_as(editor, source=source, values=[row("theme", "Wheels", "")])
    taken = [row("organisation", "ROADS", ours)]
    with pytest.raises(tk.ValidationError, match="You do not administer other"):
        save_as(editor, source=source, values=taken)
    act("organization_member_create", id=other["id"], **role)
    save_as(editor, source=source, values=taken)
    assert table(source) == ({"ROADS": ours} if ours else {})


@pytest.mark.parametrize("by", ["portal", "option", "remote_orgs"])
def test_editors_take_no_datasets_that_no_row_of_theirs_gave(
    source: str, organization: dict[str, str], by: str
) -> None:
    own, other = factories.Organization(name="own"), factories.Organization(name="other")
    editor, value = member(organization), other["title"] if by == "remote_orgs" else "Roads"
    role = {"username": editor["name"], "role": "admin"}
    act("organization_member_create", id=own["id"], **role)
    options = {"option": {"organisations": {value: "other"}}, "remote_orgs": {by: "only_local"}}
    act("harvest_source_patch", id=source, config=json.dumps(options.get(by, {})))
    if by == "portal":
        act("ukharvest_value_update", values=[row("organisation", value, "other")])
    taken = [row("organisation", value, "own")]
    with pytest.raises(tk.ValidationError, match="You do not administer other"):
        save_as(editor, source=source, values=taken)
    act("ukharvest_value_update", source=source, values=taken)
    save_as(editor, source=source, values=[row("organisation", value, "")])
    act("organization_member_create", id=other["id"], **role)
    assert save_as(editor, source=source, values=taken)["results"][0]["ours"] == "own"
