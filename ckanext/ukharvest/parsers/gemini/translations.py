"""Texts of a record in several languages: PT_FreeText and PT_Locale (ISO 19139, 19115-3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ckanext.ukharvest.core.mapping_table import Field, FieldValues
from ckanext.ukharvest.core.translations import (
    ResourceTranslation,
    Translation,
    collect_translations,
)
from ckanext.ukharvest.core.values.languages import language_code
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.parsers.gemini.entry import Entry
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode

_LOCALES = ("locale/*", "otherLocale/*", "defaultLocale/*")
_CODES = ("languageCode", "language")


class Locales:
    """The languages of a record: its own, and those that its translations refer to."""

    def __init__(self, record: IsoNode) -> None:
        """Read a record's root."""
        self.main = language_code(_code(record, "language", "defaultLocale/*/language"))
        translated = record.element.iter("{*}LocalisedCharacterString")
        self.has_translations = next(translated, None) is not None
        self._by_id = {
            each.attribute("id"): _code(each, *_CODES) for each in record.find_all(*_LOCALES)
        }

    def texts(self, node: IsoNode | None, clean: Callable[[str], str]) -> Iterator[tuple[str, str]]:
        """Yield language and text of a property, the record's own language first."""
        if node is None or not self.has_translations:
            return
        yield self.main, clean(node.text_of_record())
        for each in node.find_all("PT_FreeText/textGroup/LocalisedCharacterString"):
            locale = each.attribute("locale").removeprefix("#")
            yield self._language(locale), clean(each.whole_text())

    def _language(self, locale: str) -> str:
        # Records without PT_Locale often have the code as the id itself: "locale-cym".
        return self._by_id.get(locale) or locale.rpartition("-")[2]


def _code(node: IsoNode, *paths: str) -> str:
    # "eng; USA": the country comes after the language.
    return node.code(*paths).partition(";")[0].strip()


def _read(entry: Entry) -> FieldValues:
    locales, node = Locales(entry.record), entry.identification
    title = node.first("citation/*/title")
    found = collect_translations(
        Translation,
        {
            "title": locales.texts(title, plain_line),
            "notes": locales.texts(node.first("abstract"), plain_text),
            "tags": _tags(locales, node.find_all("descriptiveKeywords/*/keyword")),
        },
    )
    language = locales.main
    if title is not None and found and not title.text_of_record():
        used = plain_line(title.own_text().text)  # a translation
        language = next((code for code, each in found.items() if each.title == used), "")
    return {"text_language": language, "translations": found}


def _tags(locales: Locales, keywords: Iterable[IsoNode]) -> list[tuple[str, tuple[str, ...]]]:
    words: dict[str, list[str]] = {}
    for keyword in keywords:
        for language, text in locales.texts(keyword, plain_line):
            words.setdefault(language, []).append(text)
    return [(language, clean_tags(each, "")[0]) for language, each in words.items()]


def of_link(node: IsoNode, locales: Locales) -> dict[str, ResourceTranslation]:
    """Return the name and description of an online resource by language."""
    fields = {
        "name": locales.texts(node.first("name"), plain_line),
        "description": locales.texts(node.first("description"), plain_text),
    }
    return collect_translations(ResourceTranslation, fields)


MAPPING: tuple[Field[Entry], ...] = (
    Field(
        ("gmd:PT_FreeText", "gmd:PT_Locale", "gmd:MD_Metadata/gmd:language"),
        "translations, text_language",
        _read,
    ),
)
