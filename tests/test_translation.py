"""Every text can be translated: it is in the catalogue, complete, with named placeholders."""

from __future__ import annotations

import ast
import csv
import gettext
import io
import re
import string
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

import ckanext.ukharvest
from ckanext.ukharvest import fields, source_types
from ckanext.ukharvest.core.problems.texts import PROBLEM_TEXTS
from ckanext.ukharvest.parsers.gemini.rules import RULES
from tests.placeholders import faults_of_python, faults_of_template, placeholders

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "dev"))

from translations import catalogue, languages  # noqa: E402 - of the folder above
from translations.tables import tables  # noqa: E402

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


def test_the_catalogue_and_the_languages_are_up_to_date() -> None:
    assert catalogue.POT.read_text(encoding="utf-8") == catalogue.written(), "run bin/translations"
    for path, content in languages.written().items():
        now = content.encode() if isinstance(content, str) else content
        assert path.read_bytes() == now, f"{path}: run bin/translations"


def test_texts_of_tables_are_in_it(texts: set[str]) -> None:
    assert texts.issuperset(text for row in PROBLEM_TEXTS.values() for text in (row.title, row.tip))
    assert texts.issuperset(field.label for field in fields.FIELDS)
    assert texts.issuperset(text for rule in RULES for text in (rule.element, rule.wanted))
    assert {"Healthy", "Waiting for a decision", "Notifications"} <= texts


@pytest.mark.parametrize("kind", source_types.TYPES.ours.values(), ids=lambda kind: kind.name)
def test_texts_of_a_source_type_and_its_options_are_in_it(
    kind: source_types.SourceType, texts: set[str]
) -> None:
    assert {kind.line, kind.url_hint} <= texts
    assert kind.title in texts or " " not in kind.title
    assert kind.group in source_types.GROUPS
    assert texts.issuperset(source_types.GROUPS.values())
    for option in filter(lambda option: option.label, kind.all_options):
        text = option.help if option.form_help is None else option.form_help
        own = {option.label, text, option.empty, *option.labels.values()}
        assert own - NAMES - {""} <= texts, option.name


def test_no_text_is_asked_for_both_with_and_without_a_plural() -> None:
    """gettext finds a text with a plural only by both: without, it would stay English."""
    asked = [text for _path, text, _comments, _context in catalogue.marked()]
    assert {text[0] for text in asked if isinstance(text, tuple)}.isdisjoint(asked)


def test_placeholders_have_names(texts: set[str]) -> None:
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


def calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
            if name in MARKS:
                yield node


def is_put_together(text: ast.expr) -> bool:
    """Tell whether a text is built at run time, so that no catalogue can have it.

    Nor may it be looked up by a key: Babel would take the key for the text.
    """
    is_formatted = isinstance(text, ast.Call) and getattr(text.func, "attr", "") == "format"
    is_filled = isinstance(text, ast.BinOp) and isinstance(text.op, ast.Mod)
    key = text.slice if isinstance(text, ast.Subscript) else None
    is_found = isinstance(key, ast.Constant) and isinstance(key.value, str)
    return isinstance(text, ast.JoinedStr) or is_formatted or is_filled or is_found


def test_no_text_is_put_together_before_it_is_translated() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{call.lineno}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for call in calls(ast.parse(path.read_text(encoding="utf-8")))
        if any(map(is_put_together, call.args[:2]))
    ]
    assert wrong == []


# Texts of maps get their values from assets/map_view/map.js.
OF_SCRIPTS = ("datasets/map_view.py", {"host: no value", "count: no value"})


def test_texts_get_exactly_the_values_that_they_name() -> None:
    wrong = {}
    for suffix, faults_of in ((".py", faults_of_python), (".html", faults_of_template)):
        for path in sorted(PACKAGE.rglob(f"*{suffix}")):
            name = path.relative_to(PACKAGE).as_posix()
            faults = faults_of(path.read_text(encoding="utf-8"))
            if faults and (name, {fault.defect for fault in faults}) != OF_SCRIPTS:
                wrong[name] = faults
    assert wrong == {}


def test_only_these_tables_have_placeholders() -> None:
    """Those of frequencies come from their labels, those of source types are OpenSearch's own."""
    names = {
        path: set[str]().union(*map(placeholders, filter(None, texts)))
        for path, texts in tables().items()
    }
    assert {path: names[path] for path in names if names[path]} == {
        "rendering/extent_map.py": {"count", "place", "start", "end"},
        "rendering/fields.py": {"start", "end"},
        "source_types": {"searchTerms", "geo"},
        "vocabularies/frequencies.csv": {"n"},
    }


# A text that ends in a colon, and the end of its paragraph, with no list or table after it.
HEADING_ALONE = re.compile(
    r""":\s*['"]\)[^{}]*\}\}\s*(?:</\w+>\s*)*</(?:p|li|td|dd|div)>(?!\s*<(?:[uod]l|pre|table))"""
)


def test_no_template_has_a_heading_with_nothing_behind_it() -> None:
    assert HEADING_ALONE.search("<p><strong>{{ _('How to fix it:') }}</strong></p>\n{% endif %}")
    for path in PACKAGE.rglob("templates/**/*.html"):
        assert not HEADING_ALONE.search(path.read_text(encoding="utf-8")), path


def test_no_text_is_marked_within_an_f_string() -> None:
    """On Python 3.12 and later Babel does not find it there."""
    wrong = [
        f"{path.relative_to(PACKAGE)}:{call.lineno}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.JoinedStr)
        for call in calls(node)
    ]
    assert wrong == []


LANGUAGES = {path.parts[-3]: path for path in catalogue.POT.parent.glob("*/*/*.po")}


@pytest.fixture(scope="module", params=sorted(LANGUAGES))
def messages(request: pytest.FixtureRequest) -> tuple[str, list[Message]]:
    """Return a language and its texts, without those whose translation is to be looked at."""
    with LANGUAGES[request.param].open("rb") as file:
        texts = read_po(file, locale=request.param)
    return request.param, [text for text in texts if text.id and not text.fuzzy]


def forms(text: str | tuple[str, ...]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


@pytest.fixture
def french() -> Catalog:
    """A language with three texts, one of them with a plural."""
    catalog = Catalog(locale="fr")
    catalog.add("Add a licence.", "Ajoutez une licence.", locations=[("page.html", 1)])
    catalog.add(("{n} run", "{n} runs"), ("{n} passage", "{n} passages"))
    catalog.add("Save", "Enregistrer")
    return catalog


def changed(catalog: Catalog, *texts: str | tuple[str, str]) -> dict[str, Message]:
    """Update a catalogue to these texts, as bin/translations does; return its messages."""
    template = Catalog()
    for text in texts:
        template.add(text, locations=[("ckanext/ukharvest/page.html", 1)])
    languages.update(catalog, template)
    file = io.BytesIO(catalogue.text_of(catalog).encode())
    return {languages.english(each): each for each in read_po(file, locale="fr") if each.id}


def shown(catalog: Catalog) -> gettext.GNUTranslations:
    compiled = io.BytesIO()
    write_mo(compiled, catalog)
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


def test_changed_english_keeps_its_translation_for_later(french: Catalog) -> None:
    found = changed(french, "Add an open licence.", ("{n} new run", "{n} new runs"), "Cancel")
    licence, run = found["Add an open licence."], found["{n} new run"]
    assert (licence.string, licence.fuzzy) == ("Ajoutez une licence.", True)
    assert licence.user_comments == ["The English was: Add a licence."]
    assert (run.string, run.fuzzy) == (("{n} passage", "{n} passages"), True)
    assert (found["Cancel"].string, found["Cancel"].fuzzy) == ("", False)
    assert found.keys() == {"Add an open licence.", "{n} new run", "Cancel"}


def test_page_shows_english_until_somebody_has_looked(french: Catalog) -> None:
    assert shown(french).gettext("Add a licence.") == "Ajoutez une licence."
    changed(french, "Add an open licence.")
    assert shown(french).gettext("Add an open licence.") == "Add an open licence."
    french["Add an open licence."].flags.clear()
    assert shown(french).gettext("Add an open licence.") == "Ajoutez une licence."
    assert changed(french, "Add an open licence.")["Add an open licence."].user_comments == []


def test_english_that_changes_twice_names_the_translated_one(french: Catalog) -> None:
    changed(french, "Add an open licence.")
    again = changed(french, "Add an open licence here.")["Add an open licence here."]
    assert (again.string, again.fuzzy) == ("Ajoutez une licence.", True)
    assert again.user_comments == ["The English was: Add a licence."]


def test_text_that_stays_gives_its_translation_to_no_other(french: Catalog) -> None:
    found = changed(french, "Save", "Saved")
    assert (found["Save"].string, found["Saved"].string) == ("Enregistrer", "")


def test_release_asks_for_what_visitors_and_publishers_read(french: Catalog) -> None:
    french.add("Repair", "", locations=[("ckanext/ukharvest/doctor/cli.py", 1)])
    assert [*languages.unfinished(french)] == []
    changed(french, "Add an open licence.", "New")
    french.add("Repair", "", locations=[("ckanext/ukharvest/doctor/cli.py", 1)])
    assert [*languages.unfinished(french)] == [
        "to be looked at: Add an open licence.",
        "not translated: New",
    ]


def unlike(message: Message) -> list[str]:
    """Return translations with other placeholders than the text's.

    A singular or a plural of Welsh may leave out its number.
    """
    wanted = placeholders(" ".join(forms(message.id)))
    needed = wanted - {"n", "number"} if message.pluralizable else wanted
    translations = filter(None, forms(message.string))
    return [text for text in translations if not needed <= placeholders(text) <= wanted]


def test_translations_have_the_placeholders_of_their_texts(
    messages: tuple[str, list[Message]],
) -> None:
    assert [text for message in messages[1] for text in unlike(message)] == []


@pytest.mark.parametrize(
    ("text", "translation", "is_unlike"),
    [
        ("By {who}.", "Par {who}.", False),
        ("By {who}.", "Par eux.", True),
        ("By {who}.", "Par {qui}.", True),
        ("How to fix it:", "Comment corriger : {tip}", True),
        ("{count:,} of %(all)s", "%(all)s : {count:,}", False),
        ("{count:,} of %(all)s", "%(tous)s : {count:,}", True),
        (("{n} run", "{n} runs"), ("un", "{n}"), False),
        (("{n} of {all}", "{n} of {all}"), ("un", "{n} : {all}"), True),
    ],
)
def test_translation_with_other_placeholders_is_found(
    text: Any, translation: Any, is_unlike: bool
) -> None:
    assert bool(unlike(Message(text, translation))) is is_unlike


def test_french_has_no_break_spaces_before_its_punctuation() -> None:
    with (catalogue.POT.parent / "fr/LC_MESSAGES/ckanext-ukharvest.po").open("rb") as file:
        for message in filter(lambda each: each.id, read_po(file)):
            for text in forms(message.string):
                assert not re.search(r"\S [:;?!»](?!\S)|« ", text), text


def test_translations_use_the_words_of_the_table_of_terms(
    messages: tuple[str, list[Message]],
) -> None:
    """A term that a text names as code stays as it is."""
    language, all_messages = messages
    table = (catalogue.POT.parent / "terms.csv").read_text(encoding="utf-8").splitlines()
    for row in csv.DictReader(line for line in table if not line.startswith("#")):
        term = re.compile(rf"(?<![\w:\"=/.-]){row['term']}s?(?![\w:\"=/.-])", re.IGNORECASE)
        words = [*row[language].split("|"), row["term"]]
        for message in all_messages:
            if term.search(forms(message.id)[0]):
                for text in filter(None, forms(message.string)):
                    assert any(word.lower() in text.lower() for word in words), (row, text)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 cofnod"),
        (1, "1 cofnod"),
        (2, "2 gofnod"),
        (3, "3 chofnod"),
        (6, "6 chofnod"),
        (10, "10 cofnod"),
    ],
)
def test_welsh_has_six_plural_forms(number: int, text: str) -> None:
    with LANGUAGES["cy"].with_suffix(".mo").open("rb") as file:
        welsh = gettext.GNUTranslations(file)
    assert welsh.ngettext("{n} record", "{n} records", number).format(n=number) == text
    assert [welsh.plural(each) for each in (0, 1, 2, 3, 6, 10)] == [0, 1, 2, 3, 4, 5]  # type: ignore[attr-defined]
