"""Who may change tables of values, what they refuse, and their files, page and command."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests import factories
from ckan.tests.helpers import CKANTestApp

from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act
from tests.ckan.people import member
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

SKOS = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<https://terms.example/wheels> a skos:Concept ; skos:prefLabel "Transport"@en, "Trafnidiaeth"@cy ;
    skos:altLabel "Wheels"@en, "Räder"@de .
"""


def row(field: str, value: str, ours: str) -> dict[str, str]:
    return {"field": field, "value": value, "ours": ours}


def table(source: str | None = None) -> dict[str, str]:
    """Return the publishers' values of a table and what they become."""
    listed = act("ukharvest_value_list", **({"source": source} if source else {}))
    return {each["value"]: each["ours"] for each in listed["results"] if each["ours"]}


def save_as(user: dict[str, Any], **data: Any) -> Any:
    context = {"user": user["name"], "model": model, "session": model.Session}
    return tk.get_action("ukharvest_value_update")(context, data)


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve("/data.json", catalogue([dataset(0, theme=["Wheels"]), dataset(1)]))
    source = portal.source(publisher.url("/data.json"), name="parking")
    portal.run(source)
    return source


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


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([row("licence", "A", "no-such")], "This portal has no licence no-such."),
        ([row("organisation", "A", "no-such")], "This portal has no organisation no-such."),
        ([row("theme", "A", "Wheels")], "This portal has no theme Wheels."),
        ([row("frequency", "A", "now and then")], "This portal has no frequency"),
        ([row("harvest_source_id", "A", "b")], "Expected a field of organisation"),
        ([row("owner_org", "A", "b")], "Expected a field of organisation"),
        ([row("theme", "", "Transport")], "Expected a value of 1 to 500 characters."),
        ([row("note", "A", "b" * 501)], "Expected a value of 1 to 500 characters."),
        ([row(f"f-{n}", "A", "b") for n in range(101)], "At most 100 extra fields in a table."),
        (["theme"], "Expected a list of objects"),
        (None, "Expected a list of objects"),
    ],
)
def test_a_wrong_row_is_refused_and_nothing_saved(source: str, values: Any, text: str) -> None:
    rows = [row("theme", "Boats", "Transport"), *values] if values else values
    with pytest.raises(tk.ValidationError) as refused:
        act("ukharvest_value_update", source=source, values=rows)
    assert text in str(refused.value.error_dict["values"])
    assert table(source) == {}


def test_the_page_saves_changed_rows_and_files(
    source: str, app: CKANTestApp, sysadmin: Any
) -> None:
    url = "/harvest/parking/values"
    sent = {"field": ["theme", "note"], "value": ["Wheels", "A"], "ours": ["Transport", "=1"]}
    sent |= {"before": ["", ""]}
    app.post(url, data=sent, headers=sysadmin["headers"], follow_redirects=False)
    assert table(source) == {"Wheels": "Transport", "A": "=1"}
    downloaded = app.get(f"{url}.csv", headers=sysadmin["headers"]).text
    assert "note,A,'=1,source,0" in downloaded
    file = (io.BytesIO(downloaded.replace("'=1", "'=2").encode()), "values.csv")
    app.post(url, data={"upload": file}, headers=sysadmin["headers"], follow_redirects=False)
    assert table(source)["A"] == "=2"
    file = (io.BytesIO(b"<html>"), "values.ttl")
    page = app.post(url, data={"upload": file}, headers=sysadmin["headers"])
    assert "There is a problem" in page.text


def test_an_editors_csv_goes_out_and_in(
    portal: Portal, source: str, organization: dict[str, str], app: CKANTestApp
) -> None:
    other, editor = factories.Organization(), member(organization)
    council = row("organisation", "Somewhere Council", other["name"])
    act("ukharvest_value_update", values=[council])
    rows = [row("theme", "Wheels", "Transport"), row("organisation", "Roads", other["name"])]
    act("ukharvest_value_update", source=source, values=rows)
    portal.run(source)
    url = "/harvest/parking/values"
    downloaded = app.get(f"{url}.csv", headers=editor["headers"]).text
    assert f"organisation,Somewhere Council,{other['name']},portal,2" in downloaded
    file = (io.BytesIO(downloaded.replace("Transport", "Education").encode()), "values.csv")
    app.post(url, data={"upload": file}, headers=editor["headers"], follow_redirects=False)
    listed = act("ukharvest_value_list", source=source)["results"]
    assert {each["value"]: each["scope"] for each in listed if each["ours"]} == {
        "Wheels": "source",
        "Roads": "source",
        "Somewhere Council": "portal",
    }
    assert table(source)["Wheels"] == "Education"


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


def test_broken_csv_is_refused(
    source: str, app: CKANTestApp, sysadmin: Any, ckan: Any, tmp_path: Any
) -> None:
    broken = b'field,value,ours\n"' + b"x" * 1_100_000
    file = (io.BytesIO(broken), "values.csv")
    page = app.post("/harvest/parking/values", data={"upload": file}, headers=sysadmin["headers"])
    assert "There is a problem" in page.text
    (tmp_path / "values.csv").write_bytes(broken)
    refused = ckan("ukharvest", "values", "--read", str(tmp_path / "values.csv"), check=False)
    assert (refused.returncode, "field limit" in refused.stderr) == (2, True)


def test_labels_of_skos_in_all_languages_become_ours(source: str, ckan: Any, tmp_path: Any) -> None:
    (tmp_path / "themes.ttl").write_text(SKOS)
    ckan("ukharvest", "values", "--read", str(tmp_path / "themes.ttl"))
    model.Session.remove()
    texts = ("https://terms.example/wheels", "Transport", "Trafnidiaeth", "Wheels", "Räder")
    assert table() == dict.fromkeys(texts, "Transport")
    assert (
        "theme,Wheels,Transport,portal,1" in ckan("ukharvest", "values", "--format", "csv").stdout
    )
    refused = ckan("ukharvest", "values", "--read", __file__, check=False)
    assert refused.returncode == 2
