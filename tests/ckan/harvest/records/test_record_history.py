"""Differences between two versions of a record."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from datetime import datetime
from typing import Any

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.harvest.records.record_history import Version, content_lines, diff_versions
from tests.ckan.harvest.records.record_versions import GUID, change
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher


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
