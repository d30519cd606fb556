"""Lists of values: for everybody by action, for sysadmins by command, and a portal's own in use."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ckan.plugins as p
import ckan.plugins.toolkit as tk
import pytest
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.operations.doctor import vocabularies
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

ESD = "http://id.esd.org.uk"


@pytest.fixture
def run(cli: Any) -> Callable[..., Any]:
    def invoke(*words: str) -> Any:
        return cli.invoke(ukharvest, ["vocabulary", *words])

    return invoke


def test_everybody_may_read_them(app: CKANTestApp) -> None:
    listed = app.get("/api/3/action/ukharvest_vocabulary_list").json["result"]
    by_name = {each["name"]: each for each in listed}
    assert by_name["services"]["entries"] == 1127
    assert not by_name["services"]["replaced"]
    assert all(each["title"] and each["licence"] for each in listed)
    query = {"name": "services", "search": "public toil", "limit": 1}
    shown = app.get("/api/3/action/ukharvest_vocabulary_show", query_string=query).json["result"]
    assert shown["count"] == 2
    assert shown["title"] == "Local government services"
    (row,) = shown["results"]
    assert (row["id"], row["label"]) == (f"{ESD}/service/579", "Public toilets")
    assert row["parents"] == ["Environmental protection", "Street care and cleaning"]


def test_a_list_comes_in_pages() -> None:
    first = call_action("ukharvest_vocabulary_show", name="services")
    assert (first["count"], len(first["results"])) == (1127, 100)
    beyond = call_action("ukharvest_vocabulary_show", name="services", offset=10**30)
    assert beyond["results"] == []
    rest = call_action("ukharvest_vocabulary_show", name="services", limit=5000, offset=100)
    assert len(rest["results"]) == 1000
    by_number = call_action("ukharvest_vocabulary_show", name="services", search="579")
    assert by_number["results"][0]["label"] == "Public toilets"


def test_vocabulary_actions_refuse_wrong_parameters() -> None:
    with pytest.raises(tk.ObjectNotFound):
        call_action("ukharvest_vocabulary_show", name="../who")
    with pytest.raises(tk.ValidationError):
        call_action("ukharvest_vocabulary_show")
    with pytest.raises(tk.ValidationError):
        call_action("ukharvest_vocabulary_show", name="services", limit="many")


def test_commands_that_list_and_show(run: Callable[..., Any]) -> None:
    assert "Local government services" in run("list").output
    rows = json.loads(run("list", "--format", "json").output)
    assert {row["name"] for row in rows} == set(vocabulary.names())
    shown = run("show", "services", "--search", "public toilets", "--format", "csv").output
    above = "Environmental protection, Street care and cleaning"
    assert shown.splitlines()[:2] == [
        "uri,label,parent,theme,parents",
        f'{ESD}/service/579,Public toilets,{ESD}/function/40,Environment,"{above}"',
    ]
    assert len(run("show", "services", "--format", "csv").output.splitlines()) == 1128
    assert "Annually" in run("show", "frequencies").output
    unknown = run("show", "nothing")
    assert unknown.exit_code == 1
    assert "there is no list of this name, but codelists" in unknown.output


def test_the_portals_own_list_is_listed_and_shown(
    lists_folder: Path, run: Callable[..., Any]
) -> None:
    row = f"{ESD}/service/579,Conveniences,{ESD}/function/40,Environment"
    path = lists_folder / "services.csv"
    path.write_text(f"# source: ours\nuri,label,parent,theme\n{row}\n", encoding="utf-8")
    assert run("show", "services", "--format", "csv").output.splitlines()[1].startswith(row)
    (shown,) = call_action("ukharvest_vocabulary_show", name="services", search="579")["results"]
    assert shown["parents"] == ["Environmental protection", "Street care and cleaning"]
    listed = {each["name"]: each for each in call_action("ukharvest_vocabulary_list")}
    assert listed["services"]["replaced"]
    assert listed["services"]["entries"] == 1
    assert listed["services"]["source"] == "ours"
    assert listed["services"]["title"] == "Local government services"


def test_the_doctor_tells_of_a_faulty_list_and_a_run_goes_on(
    lists_folder: Path, portal: Portal, publisher: Publisher
) -> None:
    assert not list(vocabularies.own_lists())
    for name in vocabulary.names():
        (lists_folder / f"{name}.csv").write_text("nonsense\n1\n", encoding="utf-8")
    findings = list(vocabularies.own_lists())
    assert len(findings) == len(vocabulary.names())
    assert {finding.level for finding in findings} == {"error"}
    assert findings[0].what_to_do.startswith("Correct codelists.csv, or delete it")
    entry = {"identifier": "x", "title": "X", "license": "uk-ogl", "accrualPeriodicity": "yearly"}
    publisher.serve("/data.json", json.dumps({"dataset": [entry]}).encode())
    portal.run(portal.source(publisher.url("/data.json")))
    (package,) = call_action("package_search", q="title:X")["results"]
    assert package["license_id"] == "uk-ogl"


def test_the_doctor_tells_of_a_folder_that_is_not_there(lists_folder: Path) -> None:
    vocabulary.use(lists_folder / "missing")
    (finding,) = vocabularies.own_lists()
    assert finding.level == "warning"
    assert "ckanext.ukharvest.vocabularies" in finding.message


def test_the_setting_is_read_when_the_portal_starts(ckan_config: Any, lists_folder: Path) -> None:
    vocabulary.use(None)
    ckan_config["ckanext.ukharvest.vocabularies"] = str(lists_folder)
    p.get_plugin("ukharvest").configure(tk.config)
    assert vocabulary.folder() == lists_folder
