"""The command ``ukharvest check`` as publishers run it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.source_types import TYPES
from tests.check_command.support import loaded_ckan, run, run_json, sample_file
from tests.contract import SERVERS
from tests.iso_spelling import text
from tests.parsers.gemini.rules.documents import dataset
from tests.publisher import SOURCES, Publisher, recorded

COMMAND = Path(sys.executable).with_name("ukharvest")
ONE = json.dumps({"dataset": [{"identifier": "1", "title": "One"}]})


def test_a_file_without_faults_exits_0() -> None:
    code, found = run_json("data_json", sample_file("pod-1.1-full"))
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


def test_failed_records_exit_1_with_their_reasons() -> None:
    code, found = run_json("data_json", sample_file("wild"))
    assert code == 1
    lost = [record for record in found["records"] if "error" in record]
    assert [record["error"]["code"] for record in lost] == [
        "missing-identifier",
        "missing-title",
        "parse",
    ]
    assert lost[0]["title"] == "No identifier"
    problem = found["records"][0]["problems"][0]
    assert set(problem) == {"code", "field", "message", "line", "text"}


@pytest.mark.parametrize(
    ("location", "message"),
    [
        (sample_file("truncated"), "cut off in line 3"),
        (str(SOURCES / "html-instead" / "page.html"), "title 'Sign in & continue'"),
        ("no-such-file.json", "No such file or directory"),
        (str(SOURCES), "Is a directory"),
        ("ftp://example.org/data.json", "only http and https"),
        ("file:///etc/passwd", "only http and https"),
        ("http://127.0.0.1:1/data.json", "--allow-private"),
    ],
)
def test_an_unusable_source_exits_2_with_a_sentence(location: str, message: str) -> None:
    result = run("check", "data_json", location)
    assert result.code == 2
    assert message in result.err
    code, found = run_json("data_json", location)
    assert code == 2
    assert (found["complete"], len(found["errors"])) == (False, 1)


@pytest.mark.parametrize("type_", sorted(TYPES))
def test_a_source_without_records_exits_2_and_says_so(type_: str) -> None:
    with Publisher() as publisher:
        url = publisher.url(SERVERS[type_](publisher, ()).path)
        result = run("check", type_, url, "--allow-private")
    assert result.code == 2
    assert len(result.err.splitlines()) == 1
    if type_ == "gemini-waf":  # a folder without links is refused by its reader
        assert "links" in result.err
        return
    words = f"{url}: the source lists no records"
    if type_ == "sparql":  # which says where it looked
        words = f"{url} lists no dataset in its default graph"
    assert result.err.startswith(f"ukharvest check: {words}")
    assert "0 records" in result.out


def test_json_of_a_source_without_records_has_an_error(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    path.write_text('{"dataset": []}')
    code, found = run_json("data_json", str(path))
    assert code == 2
    assert [(each["code"], each["message"]) for each in found["errors"]] == [
        ("no-records", f"{path}: the source lists no records")
    ]
    assert run_json("data_json", str(path), "--limit", "1")[0] == 2


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
    result = run("check", *arguments)
    assert result.code == 2
    assert message in result.err


def test_a_url_is_read_with_all_its_pages() -> None:
    with recorded("paged") as publisher:
        code, found = run_json("datajson", publisher.url("/data.json"), "--allow-private")
    assert code == 0
    assert found["complete"]
    assert [record["guid"] for record in found["records"]] == ["a", "b", "c"]


def test_a_page_that_fails_exits_2() -> None:
    with Publisher() as publisher:
        publisher.serve("/data.json", [{"identifier": "a", "title": "A"}])
        publisher.serve("/data.json?page=2", "", status=501)
        code, found = run_json("data_json", publisher.url("/data.json"), "--allow-private")
    assert code == 2
    assert not found["complete"]
    assert len(found["records"]) == 1


def test_options_and_limit_are_applied() -> None:
    code, found = run_json(
        "data_json", sample_file("collection"), "--option", "include_non_public=yes", "--limit", "3"
    )
    assert code == 0
    assert [record["guid"] for record in found["records"]][-1] == "survey-2024"
    assert "skipped" not in found["records"][-1]
    assert not found["complete"]
    assert "stopped after 3" in found["reason"]


def test_the_types_are_listed_with_their_options() -> None:
    result = run("types")
    assert result.code == 0
    assert "data_json: data.json" in result.out
    assert "paging (default auto)" in result.out
    assert "include_non_public (default false)" in result.out


def test_check_loads_no_ckan() -> None:
    assert loaded_ckan("check", "data_json", sample_file("pod-1.0")) == ([], 0)


def test_a_rejected_record_fails_with_all_its_problems(tmp_path: Path) -> None:
    record = tmp_path / "land.xml"
    document = dataset(abstract=text("gmd:abstract", "Fields."), topic="")
    document = '<?xml version="1.0"?>\n\n<!-- -->\n' + document.replace(" xmlns:", "\n  xmlns:")
    record.write_text(document, "utf-8")
    given = ("gemini-single", str(record), "--option", "validation=reject")
    code, found = run_json(*given)
    assert code == 1
    [lost] = found["records"]
    assert lost["error"]["code"] == "not-valid"
    codes = {problem["code"]: problem for problem in lost["problems"]}
    assert {"gemini-04-short", "gemini-05-needed"} <= codes.keys()
    # The line is the file's, though a record is stored without the text before it.
    line = codes["gemini-04-short"]["line"]
    assert "<gmd:abstract>" in document.splitlines()[line - 1]
    shown = run("check", *given, "--records").out
    assert "1 record: 0 would be imported, 1 would fail, 0 would be skipped." in shown
    assert all(f"[{each}]" in shown for each in codes)


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
def test_documents_beyond_a_limit_of_parsers_are_refused(
    tmp_path: Path, type_: str, value: str, words: str
) -> None:
    context = '"@context": {"x": "http://x.test/"}, ' if type_ == "dcat_rdf" else ""
    document = tmp_path / "data.json"
    document.write_text(
        f'{{{context}"dataset": [{{"x:a": 1, "identifier": {value}}}], "x:b": {value}}}'
    )
    result = run("check", type_, str(document))
    assert result.code == 2, result.out + result.err
    printed = result.out + result.err
    assert words in " ".join(printed.split())
    assert str(document) in printed


def test_a_parser_bug_fails_one_record_and_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = TYPES["data_json"].parser
    real = parser.parse

    def parse(raw: RawRecord, options: Any) -> DatasetRecord:
        if raw.guid.endswith("/air"):
            raise ZeroDivisionError("a bug")
        return real(raw, options)

    monkeypatch.setattr(parser, "parse", parse)
    result = run("check", "data_json", sample_file("pod-1.1-full"))
    printed = " ".join(result.out.split())
    assert result.code == 1
    assert "1 would fail" in printed
    assert "http://publisher.test/id/air" in printed
    assert "internal error (ZeroDivisionError: a bug); this is a fault of ukharvest" in printed


def test_standard_input_is_read(tmp_path: Path) -> None:
    content = Path(sample_file("pod-1.1-full")).read_bytes()
    for arguments in ((), ("--type", "data_json")):
        code, found = run_json("-", *arguments, content=content)
        assert (code, found["type"]) == (0, "data_json")
        assert found["location"] == "standard input"
        assert found["records"][0]["title"] == "Air quality"
    unknown = run("check", "-", content=b"once upon a time")
    assert unknown.code == 2
    assert "give --type or --schema" in unknown.err
    schema = tmp_path / "schema.json"
    schema.write_text('{"fields": [{"name": "a", "type": "integer"}]}', "utf-8")
    table = run("check", "-", "--schema", str(schema), content=b"a\n1\nx\n")
    assert (table.code, table.out.splitlines()[0]) == (1, "-: 1 error in 2 rows")
    typed = run("check", "data_json", "-", content=ONE.encode())
    assert (typed.code, typed.err) == (0, "")
    wrong = run("check", "data_json", "a.json", "--type", "data_json")
    assert "--type is for standard input" in " ".join(wrong.err.split())


def test_a_file_alone_shows_its_type(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    one = {"@context": "https://schema.org", "@type": "Dataset", "@id": "http://a.example/1"}
    script = f'<script type="application/ld+json">{json.dumps({**one, "name": "Bees"})}</script>'
    page.write_text(f"<title>Bees</title>{'<p>.</p>' * 20_000}{script}", "utf-8")
    for path, kind in ((sample_file("pod-1.1-full"), "data_json"), (str(page), "dcat_rdf")):
        code, found = run_json(path)
        assert (code, found["type"], found["location"]) == (0, kind, path)
    page.write_text("once upon a time", "utf-8")
    assert "has no known format: it is text" in run("check", str(page)).err
    assert "LOCATION" in run("check", str(tmp_path / "none.json")).err


def test_a_url_alone_leads_to_the_source_of_its_site() -> None:
    with Publisher() as publisher:
        publisher.serve("/", "<title>Our council</title>")
        publisher.serve("/data.json", '{"dataset": [{"identifier": "a", "title": "A"}]}')
        publisher.serve("/none", "<title>Nothing</title>")
        code, found = run_json(publisher.url("/"), "--allow-private")
        assert (code, found["type"]) == (0, "data_json")
        assert found["location"] == publisher.url("/data.json")
    with Publisher() as publisher:
        publisher.serve("/none", "<title>Nothing</title>")
        result = run("check", publisher.url("/none"), "--allow-private")
        assert (result.code, "title 'Nothing'" in result.err) == (2, True)


def test_installed_command_reads_a_pipe() -> None:
    done = subprocess.run(
        [COMMAND, "check", "data_json", "/dev/stdin"],
        input=ONE,
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": "", "PYTHONUTF8": "1"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 record" in done.stdout


def test_a_named_pipe_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(ONE,))
    writer.start()
    result = run("check", "data_json", str(pipe))
    writer.join()
    assert (result.code, result.err) == (0, "")


def test_check_tells_records_that_a_file_only_names(tmp_path: Path) -> None:
    names = tmp_path / "package_list.json"
    names.write_text('{"help": "", "success": true, "result": ["weirs", "locks"]}', "utf-8")
    code, found = run_json("dkan", str(names))
    assert code == 1
    assert [record["elsewhere"] for record in found["records"]] == [True, True]
    shown = " ".join(run("check", "dkan", str(names)).out.split())
    assert "2 records: 0 would be imported, 0 would fail, 0 would be skipped." in shown
    assert "not read completely: the file only names 2 records; their content is" in shown
    assert "give the source's URL instead" in shown


def test_full_disk_is_told_with_what_to_do(publisher: Publisher, tmp_path: Path) -> None:
    publisher.serve("/data.json", b'{"dataset": [' + b" " * 20_000_000 + b"]}")
    arguments = ["check", "data_json", publisher.url("/data.json"), "--allow-private"]
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20));"
        "from ckanext.ukharvest.check_command.command import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert f"there is no space left in {tmp_path}, the folder for temporary files" in done.stderr
    assert "set TMPDIR to another folder" in done.stderr
