"""``ukharvest check FILE --schema SCHEMA`` as publishers run it."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from ckanext.ukharvest.check_command import data_check
from ckanext.ukharvest.core.http import request
from tests.check_command.support import loaded_ckan, run, run_json
from tests.publisher import Publisher, Response
from tests.schema_check.support import lint

SCHEMA = json.dumps(lint(("Supplier", {"required": True}), ("Amount", {"type": "float"})))
DATA = "Supplier,Amount\nAcme,12.50\n,1\nRoads & Co,£3\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Return the paths of a file with two errors and of its schema."""
    (tmp_path / "spend.csv").write_text(DATA, "utf-8")
    (tmp_path / "spend.json").write_text(SCHEMA)
    return str(tmp_path / "spend.csv"), str(tmp_path / "spend.json")


def test_errors_exit_1_and_are_printed(files: tuple[str, str]) -> None:
    data, schema = files
    result = run("check", data, "--schema", schema, columns=200)
    assert result.code == 1
    assert result.out.splitlines() == [
        f"{data}: 2 errors in 3 rows",
        f"Schema: {schema}, a schema of the LGA (csvlint)",
        "",
        "Errors",
        "  Row 3, Supplier: found nothing; expected a value.",
        "  Row 4, Amount: found '£3'; expected a number without commas or signs of a currency,"
        " such as 1200.50.",
        "",
        "Columns",
        "  Supplier: text, 1 empty, Acme to Roads & Co, 2 different values",
        "  Amount: number (1 cell is not), 1 to 12.50, 3 different values",
    ]


def test_a_valid_file_exits_0(files: tuple[str, str]) -> None:
    data, schema = files
    Path(data).write_text("Supplier;Amount\nAcme;1\n")
    result = run("check", data, "--schema", schema, columns=200)
    assert result.code == 0
    assert f"{data}: Valid" in result.out
    assert "For information\n  The separator is a semicolon; expected a comma.\n" in result.out


def test_the_result_as_json(files: tuple[str, str]) -> None:
    _code, found = run_json(files[0], "--schema", files[1])
    assert (found["location"], found["schema"]) == files
    assert (found["verdict"], found["errors"], found["checked"]) == ("invalid", 2, 3)
    assert [each["row"] for each in found["findings"]] == [3, 4]
    assert [each["name"] for each in found["columns"]] == ["Supplier", "Amount"]
    assert [each["row"] for each in found["sample"]["rows"] if each["faults"]] == [3, 4]


def test_all_errors_are_saved_as_csv(files: tuple[str, str], tmp_path: Path) -> None:
    saved = tmp_path / "errors.csv"
    Path(files[0]).write_text("Supplier,Amount\n" + ",x\n" * 30)
    result = run("check", files[0], "--schema", files[1])
    assert "… and 40 more. --errors FILE saves them as CSV." in result.out
    result = run("check", files[0], "--schema", files[1], "--errors", str(saved))
    assert "All errors are in" in result.out
    assert len(saved.read_text("utf-8-sig").splitlines()) == 61


def test_geojson_needs_no_schema(tmp_path: Path) -> None:
    path = tmp_path / "parks.geojson"
    path.write_text('{"type": "Point", "coordinates": [430000, 434000]}')
    result = run("check", str(path), "--schema", "none", columns=200)
    assert result.code == 1
    assert "Schema: the rules of GeoJSON" in result.out
    assert "/coordinates: found '[430000, 434000]'; expected longitude and latitude" in result.out


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ("no-such-file.json", "no-such-file.json: No such file or directory."),
        ("http://127.0.0.1:1/a.json", "Not checked:"),
        ("ftp://example.org/a.json", "only http and https"),
    ],
)
def test_an_unusable_schema_exits_2_with_a_reason(
    files: tuple[str, str], schema: str, words: str
) -> None:
    result = run("check", files[0], "--schema", schema, columns=200)
    assert result.code == 2
    assert "Not checked: " in result.out
    assert words in result.out
    assert ("--allow-private" in result.err) == ("127.0.0.1" in schema)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("a.csv",), "the following arguments are required: LOCATION"),
        (("data_json", "a.csv", "--schema", "s"), "--schema checks one file"),
        (("a.csv", "--schema", "s", "--records"), "--schema takes neither --option nor --records"),
        (("data_json", "a.json", "--errors", "e.csv"), "--errors needs --schema"),
    ],
)
def test_wrong_arguments_exit_2(arguments: tuple[str, ...], words: str) -> None:
    result = run("check", *arguments)
    assert result.code == 2
    assert words in " ".join(result.err.split())


def test_data_and_schema_are_read_from_urls() -> None:
    with Publisher() as publisher:
        publisher.serve("/spend.csv", DATA)
        publisher.serve("/spend.json", SCHEMA)
        data, schema = publisher.url("/spend.csv"), publisher.url("/spend.json")
        result = run("check", data, "--schema", schema, "--allow-private")
    assert result.code == 1
    assert "2 errors in 3 rows" in result.out


@pytest.mark.parametrize(
    ("response", "words"),
    [
        (Response(status=404), "answered 404 Not Found."),
        (Response(b"x" * 6_000_000), "The schema is larger than 5 MB, the most that is read."),
        (Response(hang=True), "was not finished after 0.5 seconds"),
        (Response(b"<html><title>Sign in</title></html>"), "leads to a web page, “Sign in”"),
        (Response(b"{"), "The schema is not valid JSON"),
    ],
    ids=["404", "large", "silent", "page", "broken"],
)
def test_an_unreadable_schema_exits_2_with_a_reason(
    files: tuple[str, str], response: Response, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = request.HttpLimits(total=0.5 if response.hang else 60, retries=0)
    monkeypatch.setattr(data_check, "_SCHEMA_DOWNLOAD", limits)
    with Publisher() as publisher:
        publisher.routes["/schema.json"] = response
        url = publisher.url("/schema.json")
        result = run("check", files[0], "--schema", url, "--allow-private")
    assert result.code == 2
    assert words in " ".join(result.out.split())


def test_an_unwritable_file_of_errors_exits_2(files: tuple[str, str]) -> None:
    result = run("check", files[0], "--schema", files[1], "--errors", "/no/such/folder/e.csv")
    assert result.code == 2
    assert "cannot be written" in result.out


def test_data_check_prints_no_control_characters(tmp_path: Path) -> None:
    data = tmp_path / "a.csv"
    data.write_text("Supplier,Amount\nx,\x1b[31mred\u202e\n", "utf-8")
    schema = tmp_path / "s.json"
    schema.write_text(SCHEMA)
    printed = run("check", str(data), "--schema", str(schema)).out
    assert {sign for sign in printed if unicodedata.category(sign) in ("Cc", "Cf")} == {"\n"}


def test_data_check_loads_no_ckan(files: tuple[str, str]) -> None:
    assert loaded_ckan("check", files[0], "--schema", files[1]) == ([], 1)
