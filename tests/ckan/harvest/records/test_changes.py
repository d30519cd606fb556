"""The last versions of a record, and the differences between two of them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from ckan import model
from ckan.tests.helpers import call_action

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest.model import RecordVersion
from ckanext.ukharvest.harvest.records.record_history import Version, content_lines, diff_versions
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher

PATH = "/data.json"
GUID = "https://data.example/id/00000"


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(2))
    source_id = portal.source(publisher.url(PATH))
    portal.run(source_id)
    return source_id


def change(publisher: Publisher, description: str) -> None:
    publisher.serve(PATH, catalogue([dataset(0, description=description), dataset(1)]))


def test_the_last_five_contents_that_differ_are_kept(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    jobs = []
    for number in range(7):
        change(publisher, f"Text {number}.")
        jobs.append(portal.run(source)["id"])
    kept = call_action("ukharvest_record_version_list", source_id=source, guid=GUID)
    assert [each["version"] for each in kept] == [1, 2, 3, 4, 5]
    assert [each["job_id"] for each in kept] == jobs[-5:]
    assert all(each["size"] > 100 for each in kept)
    assert kept[0]["created"] < kept[4]["created"] or kept[0]["created"] == kept[4]["created"]
    other = call_action("ukharvest_record_version_list", source_id="source-1", guid=GUID[:-1] + "1")
    assert len(other) == 1
    assert model.Session.query(RecordVersion).count() == 6


def test_unchanged_record_makes_no_version(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    portal.run(source)
    portal.run(source, force=True)
    publisher.serve(PATH, catalogue([dict(reversed(dataset(n).items())) for n in range(2)]))
    portal.run(source, force=True)
    assert len(call_action("ukharvest_record_version_list", source_id=source, guid=GUID)) == 1


def test_a_record_that_ckan_refuses_makes_no_version(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    publisher.serve(PATH, catalogue([dataset(0, title=""), dataset(1)]))
    portal.run(source)
    assert len(call_action("ukharvest_record_version_list", source_id=source, guid=GUID)) == 1


def test_the_command_shows_what_changed(
    portal: Portal,
    publisher: Publisher,
    source: str,
    ckan: Callable[..., subprocess.CompletedProcess[str]],
    cli: Any,
) -> None:
    alone = cli.invoke(ukharvest, ["diff", "source-1", GUID])
    assert "Version 1 of 1" in alone.output
    change(publisher, "Second.")
    portal.run(source)
    change(publisher, "Third.")
    job = portal.run(source)
    output = ckan("ukharvest", "diff", "source-1", GUID).stdout
    assert '-  "description": "Second.",' in output
    assert '+  "description": "Third.",' in output
    assert job["id"] in output
    assert "\x1b[" not in output
    older = cli.invoke(ukharvest, ["diff", "source-1", GUID, "--from", "1", "--to", "2"])
    assert '-  "description": "What is known about number 0.",' in older.output
    wrong = cli.invoke(ukharvest, ["diff", "source-1", GUID, "--from", "9"])
    assert wrong.exit_code == 2
    assert "from 1 to 3" in wrong.output
    assert "no record" in cli.invoke(ukharvest, ["diff", "source-1", "x"]).output


def version(number: int, content: str) -> Version:
    return Version(number, datetime(2026, 11, 21, 9, 0), None, content)  # noqa: DTZ001


def test_xml_is_compared_by_its_lines_whatever_its_layout() -> None:
    old = "<a><b>1</b><c x='2'/></a>"
    new = "<?xml version='1.0' encoding='UTF-16'?>\n<a>\n <b>1</b>\n <c x='3'/></a>"
    lines = diff_versions(version(1, old), version(2, new))
    assert lines[0] == "--- version 1, 2026-11-21 09:00 UTC, job no longer kept"
    assert [line for line in lines[3:] if line[0] in "+-"] == ['-  <c x="2"/>', '+  <c x="3"/>']
    assert diff_versions(version(1, old), version(2, old.replace("><", ">\n  <"))) == []


def test_other_text_is_compared_line_by_line() -> None:
    assert content_lines("<broken\nline") == ["<broken", "line"]
