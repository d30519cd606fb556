"""List what visitors and publishers read in English on the pages of another language.

    python -m tests.recorder.languages OUT.json [--ini INI] [--portal NAME]

Visits the pages and forms of a prepared portal in each language of the extension. Listed are texts
that a page asks for and that neither CKAN nor the extension has in that language, and texts of
pages that are the same as in English, but for those that the portal stores.
"""

from __future__ import annotations

import argparse
import contextlib
import gettext
import json
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import html

from tests.recorder import portal as recorder

LANGUAGES = ("cy", "fr")
ROLES = ("anonymous", "editor", "admin")
READ = ("aria-label", "title", "placeholder", "alt", "data-content", "data-bs-content")
PARTS = "//title | //header | //div[@role='main'] | //main | //footer"
Found = dict[str, dict[str, list[str]]]


class Asked:
    """The texts that pages ask for, and whether they have them in the language of the page."""

    def __init__(self) -> None:
        self.missing: Found = {language: defaultdict(list) for language in LANGUAGES}
        self.place = ("", "")
        self._listen()

    def _listen(self) -> None:
        from babel.support import Translations

        for name, number in (("gettext", 1), ("ngettext", 2), ("ugettext", 1), ("ungettext", 2)):
            real = getattr(Translations, name)
            setattr(Translations, name, self._noting(real, number))

    def _noting(self, real: Any, number: int) -> Any:
        def translate(translations: gettext.GNUTranslations, *words: Any) -> str:
            language, url = self.place
            if language and words[0] and not self._has(translations, words[0]):
                self.missing[language][words[0]].append(url)
            return str(real(translations, *words))

        return translate

    @staticmethod
    def _has(translations: Any, text: str) -> bool:
        catalog = translations._catalog
        return bool(catalog.get(text) or catalog.get((text, 0)))


def record(ini: str, portal: str) -> dict[str, Found]:
    """Return untranslated texts, and English ones, by language, each with the URLs."""
    asked = Asked()
    english: Found = {language: defaultdict(list) for language in LANGUAGES}
    from tests.recorder import visits

    class Reader(visits.Visitor):
        def visit(self) -> Iterator[dict[str, Any]]:
            self.facts = visits.facts()
            self.facts["place"].update(self.ask())
            self.state = self.store.read()
            stored = _words(self.state)
            for url, form in self.places():
                for role in ROLES:
                    first = self.texts(role, url, form)
                    for language in LANGUAGES if first else ():
                        asked.place = language, url
                        again = self.texts(role, f"/{language}{url}", form)
                        asked.place = "", ""
                        for text in sorted((first & again) - stored):
                            english[language][text].append(f"{role} {url}")
            yield {}

        def places(self) -> Iterator[tuple[str, dict[str, str] | None]]:
            for url, roles in self.urls():
                if len(roles) > len(ROLES) or "anonymous" in roles:
                    yield url, None
            for route in visits.SENT:
                for url, _roles in self.filled(route)[:1]:
                    yield url, visits.FORM

        def texts(self, role: str, url: str, form: dict[str, str] | None) -> set[str]:
            """Return the texts that a person can read on a page, none of what is no page."""
            self.store.restore_keys(self.state)
            method, more = ("post", {"data": form}) if form else ("get", {})
            answer = getattr(self.app, method)(
                url, headers=self.headers[role], follow_redirects=False, **more
            )
            if form and answer.status_code < 400:
                self.store.restore(self.state)
            is_page = "html" in answer.headers.get("Content-Type", "") and answer.body
            return set(_texts(answer.body)) if is_page else set()

        def heard(self, what: str) -> Iterator[dict[str, Any]]:
            yield from ()

    visits.Visitor = Reader  # type: ignore[misc]
    for _line in recorder.record(ini, portal, ""):
        pass
    return {"untranslated": asked.missing, "English": english}


def _texts(page: str) -> Iterator[str]:
    """Yield texts with letters, and those of attributes that people see or hear."""
    for part in html.fromstring(page).xpath(PARTS):
        for element in part.iter(html.etree.Element):
            if element.tag in ("script", "style", "code", "pre", "option", "textarea"):
                continue
            values = [element.text, element.tail, *(element.get(name) for name in READ)]
            for value in values:
                text = " ".join((value or "").split())
                if re.search(r"[A-Za-z]{2}", text):
                    yield text


def _words(state: Any) -> set[str]:
    """Return every text that a portal stores."""
    found: set[str] = set()

    def walk(value: Any) -> None:
        if isinstance(value, str):
            found.add(" ".join(value.split()))
            if value[:1] in ("{", "["):
                with contextlib.suppress(ValueError):
                    walk(json.loads(value))
        elif isinstance(value, (dict, list)):
            for inner in value.values() if isinstance(value, dict) else value:
                walk(inner)

    for rows in state.values.values():
        for row in rows:
            walk(json.loads(row))
    for document in state.documents.values():
        walk(document)
    return found


def main() -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser("tests.recorder.languages", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--ini", help="of tests; default: the tests' site of the stack")
    parser.add_argument("--portal", default="small")
    given = parser.parse_args()
    sys.path.insert(0, str(recorder.ROOT / "dev"))
    with contextlib.ExitStack() as stack:
        ini = Path(given.ini or stack.enter_context(recorder._prepared_ini()))
        own = given.out.with_suffix(".ini")
        offered = f"ckan.locales_offered = en {' '.join(LANGUAGES)}"
        own.write_text(ini.read_text().replace("[app:main]", f"[app:main]\n{offered}", 1))
        found = record(str(own), given.portal)
        given.out.write_text(json.dumps(found, ensure_ascii=False, indent=1))
    sys.stdout.flush()
    os._exit(0)  # threads of CKAN's and of the consumers' stay


if __name__ == "__main__":
    sys.exit(main())
