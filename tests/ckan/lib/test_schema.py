"""Input of actions: what is converted, left out and refused, by their schemas."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
import pytest
from ckan.tests.helpers import CKANTestApp

from ckanext.ukharvest import features
from ckanext.ukharvest.harvest_actions import schema as harvest_schema
from ckanext.ukharvest.lib import schema
from tests.ckan.harvesting import Portal, act

pytestmark = pytest.mark.in_process


@pytest.fixture
def source(portal: Portal) -> str:
    return portal.source("https://data.example.gov.uk/data.json", name="parking")


def errors(action: str, **given: Any) -> dict[str, list[str]]:
    with pytest.raises(tk.ValidationError) as caught:
        act(action, **given)
    return {key: value for key, value in caught.value.error_dict.items() if key != "__type"}


def test_pages_have_defaults_bounds_and_whole_numbers() -> None:
    assert schema.validate({}, harvest_schema.run_list_schema()) == {
        "limit": 100,
        "offset": 0,
        "failed": False,
    }
    asked = {"limit": "2000", "offset": "3", "nothing": "of ours"}
    assert schema.validate(asked, harvest_schema.run_list_schema()) == {
        "limit": 1000,
        "offset": 3,
        "failed": False,
    }
    assert set(errors("ukharvest_run_list", limit="many", offset=-1)) == {"limit", "offset"}


def test_an_empty_limit_is_its_default(source: str) -> None:
    listed = act("ukharvest_record_list", source_id=source, limit="")
    assert listed["count"] == 0
    assert errors("ukharvest_record_list", source_id=source, outcome="gone") == {
        "outcome": [
            "Expected one of: lost, held, missing, deleted, added, updated, waiting, skipped, "
            "kept, deleted_here, unchanged, changed, problems."
        ]
    }


@pytest.mark.parametrize("name", ["dry_run", "undo", "by_guid"])
def test_a_flag_that_cannot_be_understood_changes_nothing(source: str, name: str) -> None:
    refused = errors("ukharvest_source_adopt", source_id=source, **{name: "perhaps"})
    assert refused == {name: ["Expected one of: true, false."]}
    act("ukharvest_source_adopt", source_id=source, dry_run="on")
    assert act("ukharvest_pending_list", source_id=source, limit=None)["results"] == []


def test_all_wrong_fields_are_reported_at_once(source: str) -> None:
    given = {"time": "25:00", "days": ["someday"], "zone": "Europe/Nowhere"}
    assert set(errors("ukharvest_schedule_update", source_id=source, **given)) == set(given)
    mail = {"people": ["nobody"], "addresses": "x", "events": ["y"], "weekly": "daily"}
    assert set(errors("ukharvest_mail_update", source_id=source, **mail)) == set(mail)
    shown = act("ukharvest_schedule_update", source_id=source, days="mon wed", time=None)
    assert (shown["days"], shown["time"]) == (["mon", "wed"], "")


def test_texts_are_cut_and_refused_as_before() -> None:
    assert errors("ukharvest_notice_update", text="x" * 1001) == {
        "text": ["Write at most 1000 characters."]
    }
    assert errors("ukharvest_record_show", id="first") == {"id": ["Expected a number."]}
    assert errors("ukharvest_record_show") == {"id": ["Missing value"]}


@pytest.mark.parametrize("name", sorted({*features.actions()} - features.OF_CKAN))
def test_the_help_of_each_action_is_its_own(app: CKANTestApp, name: str) -> None:
    text = app.get(f"/api/3/action/help_show?name={name}").json["result"]
    assert text == features.actions()[name].__doc__
