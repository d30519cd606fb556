"""What visitors and publishers read in English on the pages of another language.

Listed are texts that a page asks for and that neither CKAN nor the extension has in that language,
and texts of pages that are the same as in English, but for those that the portal stores and NAMES.
"""

from __future__ import annotations

import contextlib
import json
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babel.support import Translations
from lxml import html

from tests.recorder import listeners, visits
from tests.recorder.stored import State, Store

LANGUAGES = ("cy", "fr")
ROLES = ("anonymous", "editor", "admin")
PARTS = "//title | //header | //div[@role='main'] | //main | //footer"
TEXTS = (
    ".//text()[not(ancestor::script or ancestor::style or ancestor::pre or ancestor::code or"
    " ancestor::textarea)] | .//@aria-label | .//@title | .//@placeholder | .//@alt"
)
# Names of software, formats, licences and languages; names of fields of the publishers' records and
# of CKAN's resources, which are shown as they are.
NAMES = {
    *(
        "CKAN",
        "API",
        "DCAT",
        "DKAN",
        "data.json",
        "Inventory XML",
        "OAI-PMH",
        "OpenSearch",
        "Opendatasoft",
    ),
    *("SPARQL", "GEMINI 2.1", "GEMINI 2.3", "Creative Commons CCZero", "English", "Cymraeg"),
    *("français", "JSON", "CSV", "XML", "GET", "URL", "URI", "Facebook", "MB", "kB", "NHS"),
    *("Open Data", "Access level", "Contact point", "Fn", "Has email", "Modified", "Download URL"),
    *("Distribution 1", "Type", "Name", "Description", "Has views", "Mimetype"),
    *("Package id", "Position", "Resource type", "State", "Id", "Format", "False", "None"),
    *("Creative Commons Attribution", "Creative Commons Attribution Share-Alike", "mailto"),
    *("GNU Free Documentation License", "Open Data Commons Attribution License", "metadata"),
    "Open Data Commons Open Database License (ODbL)",
    "Open Data Commons Public Domain Dedication and License (PDDL)",
    "XML, JSON, RDF, CSV, GeoJSON",
    "Placeholder",  # of the picture on CKAN 2.11's front page, which asks for no translation
}
Found = dict[str, dict[str, list[str]]]


def offer(ini: Path, folder: Path) -> Path:
    """Return a copy of a site's settings that offers the languages, as install.md says."""
    import ckan

    languages = folder / "i18n"
    languages.mkdir()
    for path in (Path(ckan.__path__[0]) / "i18n").iterdir():
        (languages / path.name).symlink_to(path)
    (languages / "cy").mkdir()
    settings = f"ckan.i18n_directory = {languages}\nckan.locales_offered = en cy fr"
    own = folder / "languages.ini"
    own.write_text(ini.read_text("utf-8").replace("[app:main]", f"[app:main]\n{settings}", 1))
    return own


class Reader(visits.Visitor):
    """Reads the pages of a portal in English and in each language.

    Attributes:
        pages: how many were read in another language.
        untranslated: language → text that was asked for → URLs.
        english: language → text of a page → who read it at which URL.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.pages = 0
        self.untranslated: Found = {language: defaultdict(list) for language in LANGUAGES}
        self.english: Found = {language: defaultdict(list) for language in LANGUAGES}
        self._place = ("", "")
        self._same: set[str] = set()  # translations that are as the text is
        self._known = set(NAMES)
        for name in ("gettext", "ngettext", "ugettext", "ungettext"):
            setattr(Translations, name, self._noting(getattr(Translations, name)))

    def _noting(self, real: Any) -> Any:
        def translate(translations: Any, *words: Any) -> str:
            language, url = self._place
            catalog = translations._catalog
            text = str(real(translations, *words))
            if text == words[0]:
                self._same.add(text)
            is_there = catalog.get(words[0]) or catalog.get((words[0], 0))
            # CKAN translates the titles of licences, and then once more.
            is_done = not language or is_there or words[0] in catalog.values()
            if not is_done and _has_words(words[0], self._known):
                self.untranslated[language][words[0]].append(url)
            return text

        return translate

    def visit(self) -> Iterator[visits.Line]:
        """Read each page that not only sysadmins see, and each form as it is refused."""
        self.facts = visits.facts()
        self.facts["place"].update(self.ask())
        self.state = self.store.read()
        self._known |= _words(self.state)
        for role in ROLES:
            for url, form in self._places(role):
                first = self._texts(role, url, form)
                for language in LANGUAGES if first else ():
                    self._place = language, url
                    same = first & self._texts(role, f"/{language}{url}", form)
                    self._place = "", ""
                    self.pages += 1
                    for text in sorted(same):
                        if _has_words(text, self._known | self._same):
                            self.english[language][text].append(f"{role} {url}")
        yield {}

    def _places(self, role: str) -> Iterator[tuple[str, dict[str, str] | None]]:
        yield from ((url, None) for url, roles in self.urls() if role in roles)
        for route in visits.SENT:
            yield from ((url, visits.FORM) for url, _roles in self.filled(route)[:1])

    def _texts(self, role: str, url: str, form: dict[str, str] | None) -> set[str]:
        """Return the texts that a person can read on a page, none of what is no page."""
        self.store.restore_keys(self.state)
        method, more = ("post", {"data": form}) if form else ("get", {})
        headers = self.headers[role]
        answer = getattr(self.app, method)(url, headers=headers, follow_redirects=False, **more)
        if form and answer.status_code < 400:
            self.store.restore(self.state)
        is_page = answer.status_code not in range(300, 400) and "html" in answer.content_type
        return set(_texts(answer.body)) if is_page and answer.body else set()

    def heard(self, what: str) -> Iterator[visits.Line]:
        yield from ()


def _texts(page: str) -> Iterator[str]:
    """Yield texts with letters, and those of attributes that people see or hear."""
    for part in html.fromstring(page).xpath(PARTS):
        for value in part.xpath(TEXTS):
            text = " ".join(str(value).split())
            if re.search(r"[A-Za-z]{2}", text):
                yield text


def _has_words(text: str, known: set[str]) -> bool:
    """Tell whether a text says something, beside URLs and what is known.

    Messages of problems are stored in English, in pieces; their form tells them.
    """
    if re.search("; expected | has the same identifier as ", text):
        return False
    for part in sorted((part for part in known if part in text), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(part)}(?!\w)", "", text)
    text = re.sub(r"\bhttps?://\S+|\b[\w-]+(?:\.[\w-]+)+|\{\w+\}", "", text)
    return bool(re.search(r"[A-Za-z]{2}", text))


def _words(state: State) -> set[str]:
    """Return every text that a portal stores."""
    found: set[str] = set()

    def walk(value: Any) -> None:
        if isinstance(value, str):
            if value.startswith("\\x78"):  # bytes that zlib made
                value = zlib.decompress(bytes.fromhex(value[2:])).decode()
            if re.search(r"[A-Za-z]{2}", value):
                found.add(" ".join(value.split()))
            if value[:1] in ("{", "["):
                with contextlib.suppress(ValueError):
                    walk(json.loads(value))
        elif isinstance(value, (dict, list)):
            for inner in (*value, *value.values()) if isinstance(value, dict) else value:
                walk(inner)

    for rows in state.values.values():
        for row in rows:
            walk(json.loads(row))
    walk(list(state.documents.values()))
    return found


def read(app: Any, portal: str) -> dict[str, Any]:
    """Return what was read: ``pages``, ``untranslated`` and ``English``."""
    reader = Reader(app, portal, "", Store(), listeners.listen())
    for _line in reader.make():
        pass
    found = {"untranslated": reader.untranslated, "English": reader.english}
    return {"pages": reader.pages, **found}
