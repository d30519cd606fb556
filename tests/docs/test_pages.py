"""The pages of docs/sources match the output of bin/docs, and their examples can be harvested."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from docs.generated import prose
from docs.lists import lists
from docs.pages import FOLDER, export_page, pages
from stack.paths import DEV, ROOT

from ckanext.ukharvest.check_command.command import run
from ckanext.ukharvest.core.problems.texts import PROBLEM_TEXTS
from ckanext.ukharvest.rendering.values import all_facets

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


@pytest.mark.parametrize("path", lists(), ids=lambda path: path.name)
def test_lists_of_source_types_are_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == lists()[path], "run bin/docs"
    # Their lists are made of types, of fields, or of the facets of fields.
    assert any(name in lists()[path] for name in ("opensearch", "la_service", all_facets()))


def test_page_of_the_versions_names_what_is_pinned_and_run() -> None:
    page = (ROOT / "docs" / "reference" / "versions.md").read_text(encoding="utf-8")
    settings = (ROOT / "setup.cfg").read_text(encoding="utf-8")
    pins = "".join(path.read_text("utf-8") for path in DEV.glob("constraints*.txt"))
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    (harvest,) = re.findall(r"^ckanext-harvest==(\S+)$", pins, re.MULTILINE)
    for ckan in re.findall(r"^ckan==(\S+)$", pins, re.MULTILINE):
        assert f"\nCKAN {ckan}, ckanext-harvest {harvest} | " in page
    for version in re.findall(r"Python :: (3\.\d+)$", settings, re.MULTILINE):
        assert f"Python {version}" in page
    for image in re.findall(r"image: (ckan/ckan-dev:\S+)", workflow):
        assert f"`{image}`" in page
    assert re.search(r"^    (ckanext-harvest>\S+)$", settings, re.MULTILINE)[1] in page  # type: ignore[index]


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
