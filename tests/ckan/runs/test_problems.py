"""Problems of a run and of a source: by kind, and one by one."""

from __future__ import annotations

import pytest
from ckan.tests.helpers import call_action

from tests.ckan.runs.faulty_run import codes

pytestmark = pytest.mark.in_process


def test_problems_by_kind(run: str) -> None:
    groups = call_action("ukharvest_problem_group_list", job_id=run)
    assert codes(groups) == {
        "duplicate-guid": ("lost", 1),
        "missing-title": ("lost", 1),
        "bad-email": ("problem", 2),
        "bad-date": ("problem", 1),
    }
    assert groups[0]["severity"] == "lost"
    email = next(group for group in groups if group["code"] == "bad-email")
    assert email["title"] == "Email address cannot be used (contactPoint.hasEmail)"
    assert email["tip"].startswith("Write one email address")
    assert [each["title"] for each in email["examples"]] == ["Dataset 00003", "Dataset 00004"]
    assert "nobody at all" in email["examples"][0]["message"]
    assert codes(call_action("ukharvest_problem_group_list", source_id="somewhere")) == codes(
        groups
    )


def test_every_problem_one_by_one(run: str) -> None:
    found = call_action("ukharvest_problem_list", job_id=run)
    assert found["count"] == len(found["results"]) == 5
    assert [each["outcome"] for each in found["results"]] == ["lost"] * 2 + ["problem"] * 3
    some = call_action("ukharvest_problem_list", job_id=run, code="bad-email", limit=1)
    assert (some["count"], len(some["results"])) == (2, 1)
