"""The command ``ckan ukharvest stars``."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

import pytest
import sqlalchemy as sa
from ckan import model
from click.testing import Result

from ckanext.ukharvest.stars import doctor as stars_checks
from ckanext.ukharvest.stars.model import StarRating

pytestmark = pytest.mark.in_process


def test_the_command(councils: dict[str, str], run: Callable[..., Result]) -> None:
    said = run("a-council-2").output.splitlines()
    assert said[0].startswith("1 out of 5: Unstructured data (PDF)")
    assert len(said) == 2
    assert "no dataset has this name or id" in run("nobody").output
    for words in ((), ("a-council-2", "--all"), ("--all", "--organization", "a-council")):
        assert run(*words).exit_code == 2
    assert json.loads(run("--report", "--format", "json").output)["total"]["datasets"] == 8
    assert list(stars_checks.unscored_datasets()) == []
    model.Session.execute(sa.delete(StarRating))
    [finding] = stars_checks.unscored_datasets()
    assert finding.message == "Datasets without stars of openness: 9."
    model.Session.rollback()
    table = run("--report").output
    assert "8 datasets, on average 1.63 out of 5" in table
    rows = list(csv.DictReader(io.StringIO(run("--report", "--format", "csv").output)))
    assert [row["3"] for row in rows] == ["2", "0", "0"]
    listed = run("--report", "--organization", "b-council", "--format", "csv").output
    assert [row["dataset"] for row in csv.DictReader(io.StringIO(listed))] == [
        "b-council-1",
        "b-council-0",
    ]
    assert "Nothing has this name" in run("--report", "--organization", "nobody").output
