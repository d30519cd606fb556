"""The command ``ukharvest check`` as publishers run it, in a process of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from ckanext.ukharvest.check_command import command as check_command
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from tests.contract import SERVERS
from tests.iso_spelling import text
from tests.parsers.gemini.rules.documents import dataset
from tests.publisher import SOURCES, Publisher, recorded
from tests.publishing.csw import Catalogue
from tests.publishing.sparql import Endpoint
from tests.readers.ckan_api.test_reader import Site
from tests.readers.dkan_api.test_reader import serve_list, serve_names
from tests.readers.xml_document.test_reader import document

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


EMPTY = {
    "data_json": {"/data.json": {"dataset": []}},
    "inventory": {"/data.json": document("")},
    "gemini-waf": {"/data.json": "<html><body><h1>Index of /</h1></body></html>"},
    "dcat_rdf": {"/data.json": {"@type": "http://www.w3.org/ns/dcat#Catalog", "@id": "http://a/"}},
}


def empty(type_: str, publisher: Publisher) -> str:
    """Serve a source of a type without records; return its URL."""
    if type_ == "gemini-csw":
        return Catalogue([]).serve(publisher)
    if type_ == "ckan":
        publisher.routes = Site(0)
        return publisher.url("/")
    if type_ == "dkan":
        serve_list(publisher)
        serve_names(publisher)
        publisher.serve("/data.json", {"dataset": []})
        return publisher.url("/")
    if type_ == "oaipmh":
        SERVERS["oaipmh"](publisher, ())
        return publisher.url("/oai")
    if type_ == "sparql":
        return Endpoint().serve(publisher)
    if type_ == "ods":
        SERVERS["ods"](publisher, ())
        return publisher.url("/")
    if type_ == "opensearch":
        return publisher.url(SERVERS["opensearch"](publisher, ()).path)
    for path, body in EMPTY[type_].items():
        publisher.serve(path, body)
    return publisher.url("/data.json")


@pytest.mark.parametrize(
    "type_", [*EMPTY, "gemini-csw", "ckan", "dkan", "oaipmh", "ods", "opensearch", "sparql"]
)
def test_a_source_without_records_exits_2_and_says_so(type_: str) -> None:
    with Publisher() as publisher:
        url = empty(type_, publisher)
        out, err = io.StringIO(), io.StringIO()
        code = check_command.run(type_, url, allow_private=True, out=out, err=err)
    assert code == 2
    assert len(err.getvalue().splitlines()) == 1
    if type_ == "gemini-waf":  # a folder without links is refused by its reader
        assert "links" in err.getvalue()
        return
    assert err.getvalue().strip() == f"ukharvest check: {url}: the source lists no records"
    assert "0 records" in out.getvalue()


def test_the_json_of_a_source_without_records_says_so(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    path.write_text('{"dataset": []}')
    code, found = _json("data_json", str(path))
    assert code == 2
    assert [(each["code"], each["message"]) for each in found["errors"]] == [
        ("no-records", f"{path}: the source lists no records")
    ]
    assert _json("data_json", str(path), "--limit", "1")[0] == 2


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
    said = " ".join(done.stdout.split())
    assert said.startswith(
        "13 records: 9 would be imported (9 with a problem), 3 would fail, 1 would be skipped."
    )
    assert "Date not understood (modified): 1 record" in said
    assert "How to fix it: " in said
    assert "modified: 'last Tuesday'" in said
    # A URL is never cut, so that it can be copied.
    assert [line for line in lines if len(line) > columns and "http" not in line] == []


def test_the_types_are_listed_with_their_options() -> None:
    done = _run("types")
    assert done.returncode == 0
    assert "data_json: data.json" in done.stdout
    assert "paging (default auto)" in done.stdout
    assert "include_non_public (default false)" in done.stdout


def test_no_ckan_is_loaded() -> None:
    script = (
        "import sys; from ckanext.ukharvest.check_command.command import main;"
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
    # The line is the file's, though a record is stored without the text before it.
    line = codes["gemini-04-short"]["line"]
    assert "<gmd:abstract>" in document.splitlines()[line - 1]
    shown = _run("check", *given, "--records").stdout
    assert "1 record: 0 would be imported, 1 would fail, 0 would be skipped." in shown
    assert all(f"[{each}]" in shown for each in codes)


def test_records_are_printed_where_they_are_asked_for() -> None:
    given = ("check", "inventory", str(SOURCES / "inventory-0.3" / "inventory.xml"))
    short, whole = _run(*given).stdout, _run(*given, "--records").stdout
    assert "--records prints each record" in short
    assert "1. " not in short
    summary = short.splitlines()[0]
    assert whole.splitlines()[0] == summary
    assert "\n1. " in whole
    assert "  function " in whole
    assert "  service " in whole


@pytest.mark.parametrize(
    ("type_", "value", "words"),
    [
        ("data_json", "9" * 500_000, "number of more than 1,000 characters"),
        ("data_json", "1." + "9" * 500_000, "number of more than 1,000 characters"),
        ("data_json", "1e" + "9" * 30, "too large an exponent"),
        ("data_json", "[" * 100_000, "more than 100 levels deep"),
        ("data_json", '"' + "x" * 20_000_001 + '"', "text of more than 20,000,000 bytes"),
        ("ckan", "9" * 500_000, "number of more than 1,000 characters"),
        ("ckan", "[" * 100_000, "more than 100 levels deep"),
        ("dkan", "9" * 500_000, "number of more than 1,000 characters"),
        ("dcat_rdf", "9" * 500_000, "number of more than 1,000 characters"),
        ("dcat_rdf", "[" * 100_000, "more than 100 levels deep"),
        ("dcat_rdf", '"' + "x" * 17_000_000 + '"', "text of more than 16 MB"),
    ],
    ids=lambda value: value[:12],
)
def test_a_document_that_would_end_the_process_is_refused_in_words(
    tmp_path: Path, type_: str, value: str, words: str
) -> None:
    context = '"@context": {"x": "http://x.test/"}, ' if type_ == "dcat_rdf" else ""
    document = tmp_path / "data.json"
    document.write_text(
        f'{{{context}"dataset": [{{"x:a": 1, "identifier": {value}}}], "x:b": {value}}}'
    )
    done = _run("check", type_, str(document))
    assert done.returncode == 2, done.stdout + done.stderr
    said = done.stdout + done.stderr
    assert words in " ".join(said.split())
    assert str(document) in said


def test_a_bug_in_a_parser_costs_one_record_and_names_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kind = check_command.TYPES["data_json"]
    real = kind.parser.parse

    def parse(raw: RawRecord, options: Any) -> DatasetRecord:
        if raw.guid.endswith("/air"):
            raise ZeroDivisionError("a bug")
        return real(raw, options)

    monkeypatch.setattr(kind.parser, "parse", parse)
    path = _file("pod-1.1-full")
    code = check_command.run(
        "data_json", path, [], limit=0, as_json=False, with_records=False, allow_private=False
    )
    said = " ".join(capsys.readouterr().out.split())
    assert code == 1
    assert "1 would fail" in said
    assert "http://publisher.test/id/air" in said
    assert "internal error (ZeroDivisionError: a bug); this is a fault of ukharvest" in said


def test_problems_of_a_failed_record_are_not_those_of_imported_ones(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    records = [{"title": "No identifier"}, {"identifier": "b", "title": "Imported"}]
    path.write_text(json.dumps({"dataset": records}))
    said = _run("check", "data_json", str(path)).stdout
    imported = said[said.index("Would be imported with a problem") :]
    assert "1 with a problem" in said
    assert ": 2 records" not in imported
    assert "No identifier" not in imported


def _piped(content: bytes, *arguments: str) -> subprocess.CompletedProcess[str]:
    return _with_input(content, "-", *arguments)


def _with_input(content: bytes, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [COMMAND, "check", *arguments],
        input=content,
        capture_output=True,
        timeout=60,
        env={"COLUMNS": "100", "PATH": "", "PYTHONUTF8": "1"},
    )
    texts = done.stdout.decode(), done.stderr.decode()
    return subprocess.CompletedProcess(done.args, done.returncode, *texts)


def test_standard_input_is_read(tmp_path: Path) -> None:
    content = Path(_file("pod-1.1-full")).read_bytes()
    for arguments in ((), ("--type", "data_json")):
        done = _piped(content, *arguments, "--format", "json")
        found = json.loads(done.stdout)
        assert (done.returncode, found["type"]) == (0, "data_json")
        assert found["location"] == "standard input"
        assert found["records"][0]["title"] == "Air quality"
    unknown = _piped(b"once upon a time")
    assert unknown.returncode == 2
    assert "give --type or --schema" in unknown.stderr
    schema = tmp_path / "schema.json"
    schema.write_text('{"fields": [{"name": "a", "type": "integer"}]}', "utf-8")
    table = _piped(b"a\n1\nx\n", "--schema", str(schema))
    assert (table.returncode, table.stdout.splitlines()[0]) == (1, "-: 1 error in 2 rows")
    wrong = _run("check", "data_json", "a.json", "--type", "data_json")
    assert "--type is for standard input" in " ".join(wrong.stderr.split())


@pytest.mark.parametrize("location", ["-", "/dev/stdin"])
def test_check_reads_a_pipe_of_a_given_type(location: str) -> None:
    content = json.dumps({"dataset": [{"identifier": "1", "title": "One"}]}).encode()
    done = _with_input(content, "data_json", location)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 record" in done.stdout


def test_check_reads_a_named_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = json.dumps({"dataset": [{"identifier": "1", "title": "One"}]})
    writer = threading.Thread(target=pipe.write_text, args=(content,))
    writer.start()
    done = _run("check", "data_json", str(pipe))
    writer.join()
    assert (done.returncode, done.stderr) == (0, "")
