"""Every text can be translated: it is in the catalogue, complete, with named gaps."""

from __future__ import annotations

import ast
import re
import string
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

import ckanext.ukharvest
from ckanext.ukharvest import fields, source_types
from ckanext.ukharvest.core.problems.texts import PROBLEM_TEXTS
from ckanext.ukharvest.parsers.gemini.rules import RULES

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "dev"))

from translations import catalogue  # noqa: E402 - of the folder above

# Choices that are the same in every language: names of formats, dates.
NAMES = {"Atom", "GeoJSON", "ISO 19139", "ISO 19115-3", "GeoDCAT-AP", "DCAT", "RDF/XML", "Turtle"}
NAMES |= {"JSON-LD", "N-Triples", "N3", "N-Quads", "TriG", "GEMINI 2.3", "GEMINI 2.1"}
NAMES |= {"2026-11-20", "2026-11-20T00:00:00Z", "11-20-2026"}
PACKAGE = Path(ckanext.ukharvest.__file__).parent
MARKS = {"_", "ungettext", "translate"}


@pytest.fixture(scope="module")
def texts() -> set[str]:
    """Return every text of the catalogue, plurals too."""
    found: set[str] = set()
    with catalogue.POT.open("rb") as file:
        for entry in read_po(file):
            found.update(entry.id if isinstance(entry.id, tuple) else (entry.id,))
    found.discard("")
    return found


def test_the_catalogue_is_up_to_date() -> None:
    assert catalogue.POT.read_text(encoding="utf-8") == catalogue.written(), "run bin/translations"


def test_texts_of_tables_are_in_it(texts: set[str]) -> None:
    assert texts.issuperset(text for row in PROBLEM_TEXTS.values() for text in (row.title, row.tip))
    assert texts.issuperset(field.label for field in fields.FIELDS)
    assert texts.issuperset(text for rule in RULES for text in (rule.element, rule.wanted))
    assert {"Healthy", "Waiting for a decision", "Notifications"} <= texts


@pytest.mark.parametrize("kind", source_types.TYPES.ours.values(), ids=lambda kind: kind.name)
def test_texts_of_a_source_type_and_its_options_are_in_it(
    kind: source_types.SourceType, texts: set[str]
) -> None:
    assert {kind.title, kind.description, kind.line, kind.url_hint} <= texts
    assert kind.group in source_types.GROUPS
    assert texts.issuperset(source_types.GROUPS.values())
    for option in filter(lambda option: option.label, kind.all_options):
        own = {option.label, option.form_help or option.help, option.empty, *option.labels.values()}
        assert own - NAMES - {""} <= texts, option.name


def test_gaps_have_names(texts: set[str]) -> None:
    """Another language may need them in another order."""
    for text in texts - {row.tip for row in PROBLEM_TEXTS.values()}:
        assert not re.search(r"%[sdr]", text), text
        try:
            names = [name for _text, name, _spec, _conversion in string.Formatter().parse(text)]
        except ValueError:
            continue  # a text without values, for example with a bracket in an example
        assert "" not in names or len(names) - names.count(None) == 1, text


def test_templates_have_no_bare_percent_sign() -> None:
    """Jinja fills every text of a template by ``%``: a bare one ends in an error of the page."""
    text = re.compile(r"""(?:_|ungettext)\(\s*(?:'([^']*)'|"([^"]*)")""")
    for path in PACKAGE.rglob("templates/**/*.html"):
        for found in text.findall(path.read_text(encoding="utf-8")):
            assert not re.search(r"%(?![(%])", "".join(found).replace("%%", "")), (path, found)


def calls(path: Path) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
            if name in MARKS:
                yield node


def is_put_together(text: ast.expr) -> bool:
    """Tell whether a text is built at run time, so that no catalogue can have it."""
    is_formatted = isinstance(text, ast.Call) and getattr(text.func, "attr", "") == "format"
    is_filled = isinstance(text, ast.BinOp) and isinstance(text.op, ast.Mod)
    return isinstance(text, ast.JoinedStr) or is_formatted or is_filled


def test_no_text_is_put_together_before_it_is_translated() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{call.lineno}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for call in calls(path)
        if any(map(is_put_together, call.args[:2]))
    ]
    assert wrong == []
