"""The pages of docs/sources match the output of bin/docs, and their examples can be harvested."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from docs.generated import prose
from docs.pages import FOLDER, export_page, pages
from stack import venv

from ckanext.ukharvest.check_command.command import run
from ckanext.ukharvest.core.problems.texts import PROBLEM_TEXTS
from docs import versions

DOCUMENTS = {
    "ckan": "json",
    "data_json": "json",
    "dcat_rdf": "turtle",
    "dkan": "json",
    "gemini-single": "xml",
    "inventory": "xml",
    "oaipmh": "xml",
    "ods": "json",
    "opensearch": "xml",
}


def test_pages_of_source_types_are_up_to_date() -> None:
    made = pages()
    assert set(FOLDER.glob("*.md")) == made.keys()
    stale = [path.name for path in made if path.read_text(encoding="utf-8") != made[path]]
    assert stale == [], "run bin/docs"


def test_the_page_of_the_export_is_up_to_date() -> None:
    ((path, text),) = export_page().items()
    assert path.read_text(encoding="utf-8") == text, "run bin/docs"


def test_the_page_of_the_versions_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(venv, "OWN", "3.11")  # as on Debian 12, whatever runs this
    monkeypatch.chdir(versions.ROOT)
    ((path, text),) = versions.page().items()
    assert path.read_text(encoding="utf-8") == text, "run bin/docs"


def test_versions_name_what_runs_and_what_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(venv, "OWN", "3.11")
    halves = [f"CKAN-{ckan}-first-half" for ckan in ("2.12", "2.11")]
    often = versions.Runs("often", [halves[0], "without-CKAN"], ["3.11"])
    cells = dict(versions.rows(versions.Runs("seldom", halves, ["3.10", "3.11"]), often))
    assert [name.partition(",")[0][:9] for name in cells] == ["CKAN 2.12", "CKAN 2.11", "without C"]
    assert [*cells.values()] == [
        ["not run", "often", "not run", "not run"],
        ["seldom", "not run", "not run", "not run"],
        ["not run", "often", "not run", "not run"],
    ]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_example_of_a_source_type_is_imported(name: str, tmp_path: Path) -> None:
    document = prose(name).split(f"```{DOCUMENTS[name]}\n")[1].split("```")[0]
    file = tmp_path / f"example.{DOCUMENTS[name]}"
    file.write_text(document, encoding="utf-8")
    printed = io.StringIO()
    assert run(name, str(file), as_json=True, out=printed) == 0
    (record,) = json.loads(printed.getvalue())["records"]
    # The record of GEMINI is only the beginning of one.
    assert record["problems"] == [] or name == "gemini-single"


def test_messages_of_earlier_harvesters_have_known_codes() -> None:
    rows = re.findall(r"^.* \| (`.*)$", prose("gemini-problems"), re.MULTILINE)
    codes = {code for row in rows for code in re.findall(r"`([^`]+)`", row)}
    assert codes
    assert codes <= PROBLEM_TEXTS.keys()
