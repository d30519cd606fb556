"""Visitors and publishers read their pages in one language, CKAN's own texts included."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ckan
import pytest
from babel.support import Translations
from ckan import model
from ckan.lib import i18n
from ckan.tests.helpers import CKANTestApp
from lxml import html

from tests.ckan.access import Headers
from tests.ckan.marked import index_documents, stored_rows
from tests.ckan.routes import READ, SENT, Place, filled

pytestmark = [pytest.mark.in_process, pytest.mark.giant, pytest.mark.timeout(1800)]

LANGUAGES = ("cy", "fr")
ROLES = ("anonymous", "editor", "admin")
# Pages of CKAN and ckanext-harvest that we change, beside those of the table of routes.
OF_CKAN = (
    *("/", "/dataset/", "/dataset/?q=weirs", "/dataset/new", "/dataset/{dataset}", "/harvest/?q=a"),
    *("/dataset/edit/{dataset}", "/dataset/{dataset}/resource/{resource}", "/organization/"),
    *("/dataset/{dataset}/resource/{resource}/edit", "/dataset/groups/{dataset}", "/about"),
    *("/organization/{organization}", "/organization/edit/{organization}", "/group/"),
    *("/dashboard/", "/user/editor"),
)
PARTS = "//title | //header | //div[@role='main'] | //main | //footer"
TEXTS = (
    ".//text()[not(ancestor::script or ancestor::style or ancestor::pre or ancestor::code or"
    " ancestor::textarea)] | .//@aria-label | .//@title | .//@placeholder | .//@alt"
)
WORD = re.compile("[A-Za-z]{2}")
# Names of software, formats, licences and languages; names of fields of the publishers' records and
# of CKAN's resources, which are shown as they are.
NAMES = {
    *("CKAN", "API", "DCAT", "DKAN", "data.json", "Inventory XML", "OAI-PMH", "OpenSearch"),
    *("Opendatasoft", "SPARQL", "GEMINI 2.1", "GEMINI 2.3", "English", "Cymraeg", "français"),
    *("JSON", "CSV", "XML", "GET", "URL", "URI", "Facebook", "MB", "kB", "NHS", "Open Data"),
    *("Access level", "Contact point", "Fn", "Has email", "Modified", "Download URL", "metadata"),
    *("Distribution 1", "Type", "Name", "Description", "Has views", "Mimetype", "mailto"),
    *("Package id", "Position", "Resource type", "State", "Id", "Format", "False", "None"),
    *("Creative Commons Attribution", "Creative Commons Attribution Share-Alike"),
    *("Creative Commons CCZero", "GNU Free Documentation License"),
    "Open Data Commons Attribution License",
    "Open Data Commons Open Database License (ODbL)",
    "Open Data Commons Public Domain Dedication and License (PDDL)",
    "XML, JSON, RDF, CSV, GeoJSON",
    *("Notifications", "Test"),  # the same in French, in titles
    "Placeholder",  # of the picture on CKAN 2.11's front page, which asks for no translation
}
# A form that most pages refuse.
WRONG = {
    **dict.fromkeys(("name", "url", "addresses", "source_type"), "?"),
    **dict.fromkeys(("title", "text", "reason", "until"), ""),
    "count": "99",
    "choice": "nothing",
    "version": "old",
}
Found = dict[str, dict[str, str]]  # language → text → the first URL with it


@pytest.fixture
def languages(
    tmp_path: Path, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Translation]:
    """Offer the languages, as install.md says; before ``app``, which reads the setting."""
    folder = tmp_path / "i18n"
    folder.mkdir()
    for path in (Path(ckan.__path__[0]) / "i18n").iterdir():
        (folder / path.name).symlink_to(path)
    (folder / "cy").mkdir()
    monkeypatch.setitem(ckan_config, "ckan.i18n_directory", str(folder))
    monkeypatch.setitem(ckan_config, "ckan.locales_offered", ["en", *LANGUAGES])
    # CKAN keeps what it found for another test's portal.
    for name in ("available_locales", "locales", "locales_dict", "_non_translated_locals"):
        monkeypatch.setattr(i18n, name, None)
    with pytest.MonkeyPatch.context() as patch:
        yield Translation(patch)


class Translation:
    """Notes the texts that pages ask for and that neither CKAN nor we have in their language.

    Attributes:
        place: language and URL of the page that is read, "" for an English one.
        untranslated: what was asked for in vain.
        same: translations that are as the text is.
        names: what needs no translation.
    """

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.place = ("", "")
        self.untranslated: Found = defaultdict(dict)
        self.same: set[str] = set()
        self.names = set(NAMES)
        for name in ("gettext", "ngettext", "ugettext", "ungettext"):
            patch.setattr(Translations, name, self._noting(getattr(Translations, name)))

    def _noting(self, real: Any) -> Any:
        def translate(translations: Any, *words: Any) -> str:
            language, url = self.place
            catalog = translations._catalog
            text = str(real(translations, *words))
            if text == words[0]:
                self.same.add(text)
            is_there = catalog.get(words[0]) or catalog.get((words[0], 0))
            # CKAN translates the titles of licences, and then once more.
            is_done = not language or is_there or words[0] in catalog.values()
            if not is_done and self.has_words(words[0]):
                self.untranslated[language].setdefault(words[0], url)
            return text

        return translate

    def has_words(self, text: str) -> bool:
        """Tell whether a text says something, beside URLs and names.

        Messages of problems are stored in English, in pieces; their form tells them.
        """
        if re.search("; expected | has the same identifier as | is not a web address: ", text):
            return False
        for name in sorted((name for name in self.names if name in text), key=len, reverse=True):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "", text)
        return bool(WORD.search(re.sub(r"\bhttps?://\S+|\b[\w-]+(?:\.[\w-]+)+|\{\w+\}", "", text)))


def stored_texts(ckan_config: Any) -> set[str]:
    """Return every text that the portal stores, as pages show it."""
    texts: set[str] = set()

    def walk(value: Any) -> None:
        if isinstance(value, str):
            if WORD.search(value):
                texts.add(" ".join(value.split()))
            if value[:1] in ("{", "[") and (inner := parsed(value)) is not None:
                walk(inner)
        elif isinstance(value, dict):
            walk([*value, *value.values()])
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    for _table, row in (*stored_rows(), *index_documents(ckan_config)):
        walk(json.loads(row))
    return texts


def parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def page_texts(app: CKANTestApp, url: str, headers: Headers, form: dict[str, str]) -> set[str]:
    """Return the texts with letters that people see or hear on a page, none of what is no page."""
    model.Session.remove()
    method, more = ("post", {"data": form}) if form else ("get", {})
    answer = getattr(app, method)(url, headers=headers, follow_redirects=False, **more)
    if answer.status_code in range(300, 400) or "html" not in answer.content_type:
        return set()
    parts = html.fromstring(answer.body).xpath(PARTS) if answer.body else ()
    texts = (" ".join(str(value).split()) for part in parts for value in part.xpath(TEXTS))
    return {text for text in texts if WORD.search(text)}


def test_pages_in_welsh_and_french_have_no_english_word(
    languages: Translation,
    app: CKANTestApp,
    busy_place: Place,
    people: dict[str, Headers],
    ckan_config: Any,
) -> None:
    """Every page, and every form as it is refused, to a visitor, an editor and an administrator."""
    languages.names |= stored_texts(ckan_config)
    urls = [filled(route, busy_place) for route in READ]
    urls += [url.format(**busy_place) for url in OF_CKAN]
    asked: list[tuple[str, str, dict[str, str]]] = [
        (role, url, {}) for role in ROLES for url in urls
    ]
    asked += [(role, filled(route, busy_place), WRONG) for role in ROLES for route in SENT]
    english: Found = defaultdict(dict)
    pages = 0
    for role, url, form in asked:
        first = page_texts(app, url, people[role], form)
        for language in LANGUAGES if first else ():
            languages.place = language, url
            same = first & page_texts(app, f"/{language}{url}", people[role], form)
            languages.place = "", ""
            pages += 1
            for text in same - languages.same:
                if languages.has_words(text):
                    english[language].setdefault(text, f"{role} {url}")
    assert pages > 250
    assert (languages.untranslated, english) == ({}, {})
