"""The command that publishers use, in a process of its own, as it is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.iso_spelling import text
from tests.parsers.gemini_rules.documents import dataset
from tests.publisher import SOURCES, Publisher, recorded

COMMAND = Path(sys.executable).with_name("ukharvest")


def _run(*arguments: str, columns: int = 100) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [COMMAND, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={"COLUMNS": str(columns), "PATH": "", "PYTHONUTF8": "1"},
    )
    assert "Traceback" not in done.stderr + done.stdout
    return done


def _json(*arguments: str) -> tuple[int, dict[str, Any]]:
    done = _run("check", *arguments, "--format", "json")
    return done.returncode, json.loads(done.stdout)


def _file(case: str) -> str:
    return str(SOURCES / case / "data.json")


def test_a_file_without_faults_exits_0() -> None:
    code, found = _json("data_json", _file("pod-1.1-full"))
    assert code == 0
    assert set(found) >= {"type", "location", "complete", "records", "problems", "errors"}
    assert (found["type"], found["complete"], found["errors"]) == ("data_json", True, [])
    first = found["records"][0]
    assert (first["guid"], first["title"]) == ("http://publisher.test/id/air", "Air quality")
    assert (first["licence_id"], first["modified"]) == ("uk-ogl", "2024-03-01T09:30:00Z")
    assert first["tags"] == ["air", "nitrogen dioxide"]
    assert first["spatial"]["type"] == "Polygon"
    assert first["resources"][0]["url"] == "http://publisher.test/air.csv"
    assert first["resources"][0]["format"] == "CSV"
    assert first["problems"] == []
    assert "error" not in first


def test_lost_records_exit_1_and_say_why() -> None:
    code, found = _json("data_json", _file("wild"))
    assert code == 1
    lost = [record for record in found["records"] if "error" in record]
    assert [record["error"]["code"] for record in lost] == [
        "missing-identifier",
        "missing-title",
        "parse",
    ]
    assert lost[0]["title"] == "No identifier"
    problem = found["records"][0]["problems"][0]
    assert set(problem) == {"code", "field", "message", "line"}


@pytest.mark.parametrize(
    ("location", "message"),
    [
        (_file("truncated"), "cut off in line 3"),
        (str(SOURCES / "html-instead" / "page.html"), "title 'Sign in & continue'"),
        ("no-such-file.json", "No such file or directory"),
        (str(SOURCES), "Is a directory"),
        ("ftp://example.org/data.json", "only http and https"),
        ("file:///etc/passwd", "only http and https"),
        ("http://127.0.0.1:1/data.json", "--allow-private"),
    ],
)
def test_an_unusable_source_exits_2_with_a_sentence(location: str, message: str) -> None:
    done = _run("check", "data_json", location)
    assert done.returncode == 2
    assert message in done.stderr
    code, found = _json("data_json", location)
    assert code == 2
    assert (found["complete"], len(found["errors"])) == (False, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nothing", "x"), "there is no source type 'nothing'"),
        (("data_json", "x", "--option", "paging"), "expected key=value"),
        (("data_json", "x", "--option", "paging=maybe"), "expected one of: auto, none"),
        (("data_json", "x", "--option", "pageing=none"), "did you mean paging?"),
        (("data_json", "x", "--limit", "-1"), "--limit"),
    ],
)
def test_wrong_arguments_exit_2_with_a_sentence(arguments: tuple[str, ...], message: str) -> None:
    done = _run("check", *arguments)
    assert done.returncode == 2
    assert message in done.stderr


def test_an_address_is_read_with_all_its_pages() -> None:
    with recorded("paged") as publisher:
        code, found = _json("datajson", publisher.url("/data.json"), "--allow-private")
    assert code == 0
    assert found["complete"]
    assert [record["guid"] for record in found["records"]] == ["a", "b", "c"]


def test_a_page_that_fails_exits_2() -> None:
    with Publisher() as publisher:
        publisher.serve("/data.json", [{"identifier": "a", "title": "A"}])
        publisher.serve("/data.json?page=2", "", status=501)
        code, found = _json("data_json", publisher.url("/data.json"), "--allow-private")
    assert code == 2
    assert not found["complete"]
    assert len(found["records"]) == 1


def test_options_and_limit_count() -> None:
    code, found = _json(
        "data_json",
        _file("collection"),
        "--option",
        "include_non_public=yes",
        "--limit",
        "3",
    )
    assert code == 0
    assert [record["guid"] for record in found["records"]][-1] == "survey-2024"
    assert "skipped" not in found["records"][-1]
    assert not found["complete"]
    assert "stopped after 3" in found["reason"]


@pytest.mark.parametrize("columns", [60, 120])
def test_the_table_fits_the_terminal(columns: int) -> None:
    done = _run("check", "data_json", _file("wild"), columns=columns)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert "13 records: 9 fine, 3 lost, 1 skipped." in done.stdout
    assert "[bad-date] modified: 'last Tuesday'" in done.stdout
    # A web address is never cut, so that it can be copied.
    assert [line for line in lines if len(line) > columns and "http" not in line] == []


def test_the_types_are_listed_with_their_options() -> None:
    done = _run("types")
    assert done.returncode == 0
    assert "data_json: data.json" in done.stdout
    assert "paging (default auto)" in done.stdout
    assert "include_non_public (default false)" in done.stdout


def test_no_ckan_is_loaded() -> None:
    script = (
        "import sys; from ckanext.ukharvest.check import main;"
        f"code = main(['check', 'data_json', {_file('pod-1.0')!r}]);"
        "assert not [n for n in sys.modules if n == 'ckan' or n.startswith('ckan.')], 'ckan';"
        "sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_rejected_record_is_lost_and_shows_all_its_problems(tmp_path: Path) -> None:
    record = tmp_path / "land.xml"
    document = dataset(abstract=text("gmd:abstract", "Fields."), topic="")
    document = '<?xml version="1.0"?>\n\n<!-- -->\n' + document.replace(" xmlns:", "\n  xmlns:")
    record.write_text(document, "utf-8")
    given = ("gemini-single", str(record), "--option", "validation=reject")
    code, found = _json(*given)
    assert code == 1
    [lost] = found["records"]
    assert lost["error"]["code"] == "not-valid"
    codes = {problem["code"]: problem for problem in lost["problems"]}
    assert {"gemini-04-short", "gemini-05-needed"} <= codes.keys()
    # The line is that of the file, though a record is stored without what stands before it.
    line = codes["gemini-04-short"]["line"]
    assert "<gmd:abstract>" in document.splitlines()[line - 1]
    shown = _run("check", *given).stdout
    assert "1 records: 0 fine, 1 lost, 0 skipped." in shown
    assert all(f"[{each}]" in shown for each in codes)
