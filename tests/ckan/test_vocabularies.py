"""Lists of values: for everybody by action, for sysadmins by command, and newer ones in use."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ckan.plugins as p
import ckan.plugins.toolkit as tk
import pytest
from ckan.tests.helpers import CKANTestApp, call_action

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.core import vocabulary
from ckanext.ukharvest.doctor import vocabularies
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

ESD = "http://id.esd.org.uk"


@pytest.fixture
def run(cli: Any) -> Callable[..., Any]:
    def invoke(*words: str) -> Any:
        return cli.invoke(ukharvest, ["vocabulary", *words])

    return invoke


def published(*numbers: int) -> str:
    """Services as the esd-toolkit hands them out."""
    lines = [f"{number},Service {number},2020-01-01\n" for number in numbers]
    return "Identifier,Label,Modified\n" + "".join(lines)


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


def test_what_is_asked_wrongly() -> None:
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


def test_a_newer_list_from_its_publisher(
    lists_folder: Path, run: Callable[..., Any], publisher: Publisher
) -> None:
    publisher.serve("/services.csv", published(579, 9999).encode())
    source = publisher.url("/services.csv")
    secret = f"{source}?token=hush"
    publisher.serve("/services.csv?token=hush", published(579, 9999).encode())
    refused = run("update", "services", source)
    assert refused.exit_code == 1
    assert "1 are new, 1,126 of before are gone. That is more than half" in refused.output
    assert not list(lists_folder.iterdir())
    done = run("update", "services", secret, "--force")
    assert done.exit_code == 0, done.output
    assert "2 entries" in done.output
    assert vocabulary.label("services", f"{ESD}/service/9999") == "Service 9999"
    (row,) = call_action("ukharvest_vocabulary_show", name="services", search="579")["results"]
    assert row["parents"] == ["Environmental protection", "Street care and cleaning"]
    listed = {each["name"]: each for each in call_action("ukharvest_vocabulary_list")}
    assert listed["services"]["replaced"]
    assert "hush" not in listed["services"]["source"]
    assert listed["services"]["source"].startswith(source)
    back = run("update", "services", "--bundled")
    assert "came with this extension again" in back.output
    assert vocabulary.label("services", f"{ESD}/service/9999") == ""
    assert "already" in run("update", "services", "--bundled").output


def test_an_update_that_fails_changes_nothing(
    lists_folder: Path, run: Callable[..., Any], publisher: Publisher, tmp_path_factory: Any
) -> None:
    publisher.serve("/page", b"<html>Not here any more</html>")
    file = tmp_path_factory.mktemp("lists") / "themes.csv"
    file.write_text("name\nCrime\n", encoding="utf-8")
    for words, told in (
        (("services", publisher.url("/page")), "the columns are neither"),
        (("services", publisher.url("/gone")), "404"),
        (("services", "http://169.254.169.254/services.csv"), "nothing was changed"),
        (("services", "/no/such/file.csv"), "No such file"),
        (("themes", str(file)), "the column title is missing"),
        (("themes",), "name a file or an address"),
        (("themes", str(file), "--bundled"), "not both"),
        (("nothing", str(file)), "there is no list of this name"),
    ):
        done = run("update", *words)
        assert done.exit_code
        assert told in done.output
    assert not list(lists_folder.iterdir())


def test_without_a_folder_the_setting_is_named(run: Callable[..., Any]) -> None:
    done = run("update", "services", "services.csv")
    assert done.exit_code == 1
    assert "set ckanext.ukharvest.vocabularies" in done.output


def test_a_folder_that_may_not_be_written(lists_folder: Path, run: Callable[..., Any]) -> None:
    (lists_folder / "new.csv").write_text(published(*range(1, 4)), encoding="utf-8")
    vocabulary.use(lists_folder / "new.csv")
    done = run("update", "services", str(lists_folder / "new.csv"), "--force")
    assert done.exit_code == 1
    assert "cannot be written" in done.output


def test_the_doctor_tells_of_a_faulty_list_and_a_run_goes_on(
    lists_folder: Path, portal: Portal, publisher: Publisher
) -> None:
    assert not list(vocabularies.own_lists())
    for name in vocabulary.names():
        (lists_folder / f"{name}.csv").write_text("nonsense\n1\n", encoding="utf-8")
    findings = list(vocabularies.own_lists())
    assert len(findings) == len(vocabulary.names())
    assert {finding.level for finding in findings} == {"error"}
    assert "ckan ukharvest vocabulary update codelists --bundled" in findings[0].what_to_do
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
    p.get_plugin("ukharvest").update_config(tk.config)
    assert vocabulary.folder() == lists_folder


def test_other_processes_use_the_newer_list(
    ckan: Callable[..., subprocess.CompletedProcess[str]],
    ini: str,
    lists_folder: Path,
    tmp_path: Path,
) -> None:
    own = Path(ini).read_text(encoding="utf-8")
    other = tmp_path / "own.ini"
    setting = f"[app:main]\nckanext.ukharvest.vocabularies = {lists_folder}\n"
    other.write_text(own.replace("[app:main]\n", setting), encoding="utf-8")
    newer = lists_folder / "new.txt"
    newer.write_text(published(579), encoding="utf-8")
    ckan("-c", str(other), "ukharvest", "vocabulary", "update", "services", str(newer), "--force")
    assert vocabulary.label("services", f"{ESD}/service/579") == "Service 579"
    assert vocabulary.load("services").about["source"] == "new.txt"
