"""``source edit`` sets options as the form does; ``schedule`` and ``unschedule`` set its times."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ckan import model
from ckan.tests import factories
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest.sources.decision_log import confirmed_options
from tests.ckan.harvesting import Portal

pytestmark = pytest.mark.in_process

URL = "https://data.example.gov.uk"


def edit(cli: Any, *pairs: str, name: str = "somewhere") -> Any:
    words = [word for pair in pairs for word in ("--option", pair)]
    return cli.invoke(ukharvest, ["source", "edit", name, *words])


def stored(source_id: str) -> dict[str, Any]:
    model.Session.remove()
    return dict(json.loads(HarvestSource.get(source_id).config or "{}"))


def test_options_are_set_from_texts_and_json(portal: Portal, cli: Any) -> None:
    source_id = portal.source(URL, type_="ckan", name="somewhere", config={"rows": 50})
    done = edit(
        cli,
        "tags_filter_include=roads, rivers",
        'default_tags=["open data"]',
        "full_check_days=0",
        'fields={"theme": "theme-primary"}',
    )
    assert done.exit_code == 0, done.output
    expected = {
        "rows": 50,
        "tags_filter_include": ["roads", "rivers"],
        "default_tags": ["open data"],
        "full_check_days": 0,
        "fields": {"theme": "theme-primary"},
    }
    assert stored(source_id) == expected
    assert json.loads(done.output) == expected
    done = edit(cli, "rows=100", "tags_filter_include=", "default_tags=", "fields=")
    assert (done.exit_code, stored(source_id)) == (0, {"full_check_days": 0})
    done = edit(cli, "full_check_days=")
    assert (done.exit_code, stored(source_id)) == (0, {})
    assert "All options have their defaults." in done.output


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        ("rowz=5", "did you mean rows?"),
        ("rows=many", "expected a whole number"),
        ("rows", "expected NAME=VALUE"),
        ("default_groups=nowhere", "there is no group"),
        ("fields=[", "expected a JSON object"),
    ],
)
def test_wrong_option_changes_nothing(portal: Portal, cli: Any, pair: str, message: str) -> None:
    source_id = portal.source(URL, type_="ckan", name="somewhere", config={"rows": 50})
    done = edit(cli, "full_check_days=3", pair)
    assert done.exit_code == 2
    assert message in done.output
    assert stored(source_id) == {"rows": 50}


def test_sysadmin_option_of_the_command_is_confirmed(portal: Portal, cli: Any) -> None:
    source_id = portal.source(URL, type_="ckan", name="somewhere")
    factories.Group(name="transport")
    assert edit(cli, "default_groups=transport").exit_code == 0
    assert stored(source_id) == confirmed_options(source_id) == {"default_groups": ["transport"]}


def test_source_of_another_harvester_is_edited_in_its_form(portal: Portal, cli: Any) -> None:
    assert edit(cli, "rows=5", name="nowhere").exit_code == 2
    source_id = portal.source(URL, type_="ckan", name="somewhere")
    model.Session.query(HarvestSource).filter_by(id=source_id).update({"type": "other"})
    model.Session.commit()
    done = edit(cli, "rows=5")
    assert (done.exit_code, stored(source_id)) == (2, {})
    assert "change it in its form" in done.output


def test_command_schedules_and_unschedules_a_source(portal: Portal, cli: Any) -> None:
    portal.source(URL, type_="ckan", name="somewhere", frequency="MANUAL")

    def run(*words: str) -> tuple[int, str]:
        done = cli.invoke(ukharvest, [words[0], "somewhere", *words[1:]])
        return done.exit_code, done.output

    code, output = run("schedule", "--cron", "30 6,18 * * 1-5", "--zone", "Europe/London")
    assert (code, output.count(" UTC\n")) == (0, 5)
    assert "somewhere: By a cron expression (30 6,18 * * 1-5), Europe/London\n" in output
    assert "Scheduled to start within 10 minutes after 20" in output
    daily = ("--frequency", "daily", "--time", "02:30", "--day", "mon", "--day", "fri")
    assert "somewhere: Daily (02:30, mon, fri), " in run("schedule", *daily)[1]
    assert "Daily (02:30, mon, fri)" in run("schedule")[1]  # shows it, and changes nothing
    assert "Daily (03:30), " in run("schedule", "--time", "03:30")[1]
    assert "somewhere: Hourly (@hourly), " in run("schedule", "--frequency", "HOURLY")[1]
    kept = run("schedule", "--zone", "Europe/Paris")[1]
    assert "somewhere: Hourly (@hourly), Europe/Paris\n" in kept
    assert run("unschedule") == (0, "somewhere: runs only when someone starts it.\n")
    assert "Manual, " in run("schedule")[1]
    for words, message in (
        (("--time", "02:30"), "not scheduled yet; give --frequency or --cron too"),
        (("--cron", "0 3 * *"), "Enter five fields"),
        (("--frequency", "weekly", "--cron", "0 3 * * *"), "not both"),
        (("--frequency", "yearly"), "is not one of"),
    ):
        code, output = run("schedule", *words)
        assert (code, message in output) == (2, True), output
