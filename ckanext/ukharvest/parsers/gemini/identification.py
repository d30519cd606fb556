"""What a GEMINI record and its resource are: titles, dates, identifiers, subjects, languages.

Elements 1 to 6, 8, 27, 30, 33, 36, 39, 47, 49, 54 and 55, INSPIRE's themes, and texts in several
languages (PT_FreeText and PT_Locale).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from ckanext.ukharvest.core.records import (
    ResourceTranslation,
    Translation,
    collect_translations,
)
from ckanext.ukharvest.core.values import local_government_lists
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.languages import language_code, read_languages
from ckanext.ukharvest.core.values.markup import plain_line, plain_text
from ckanext.ukharvest.core.values.multivalue import as_text
from ckanext.ukharvest.core.values.tags import clean_tags
from ckanext.ukharvest.core.values.theme_names import theme_of_address, theme_of_label
from ckanext.ukharvest.core.values.web_addresses import parse_url
from ckanext.ukharvest.parsers import table, uk_fields
from ckanext.ukharvest.parsers.gemini import document as gemini_document
from ckanext.ukharvest.parsers.gemini.document import (
    Entry,
    IsoNode,
    PropertyText,
    json_objects,
    row,
    without_blanks,
)
from ckanext.ukharvest.parsers.reporting import read_tags
from ckanext.ukharvest.parsers.table import Field, FieldValues, Row

# CI_DateTypeCode of ISO 19115 and 19115-3, and other spellings of it.
_LEVEL = ("hierarchyLevel", "metadataScope/*/resourceScope")
_ISSUED = ("publication", "released", "issued")
_MODIFIED = ("revision", "lastRevision", "lastUpdate")


def title(identification: IsoNode) -> str:
    """Return the title (GEMINI 1) on one line, "" if there is none."""
    return plain_line(identification.text("citation/*/title"))


def _identifier(node: IsoNode) -> dict[str, str]:
    """Read GEMINI 36: an Anchor's URL is the identifier, its text is for people."""
    code = node.first_text_at("code")
    if code is None:
        return {}
    title = code.text if code.href else ""
    namespace = node.text("codeSpace")
    return without_blanks({"code": code.href or code.text, "title": title, "namespace": namespace})


def _dates(entry: Entry) -> FieldValues:
    dates = list(_typed_dates(entry.identification))
    issued = [day for kind, day, _ in dates if day and kind in _ISSUED]
    modified = [day for kind, day, _ in dates if day and kind in _MODIFIED]
    return {
        "issued": min(issued, default=""),
        "modified": max(modified, default=""),
        "extras": {
            # A date that could not be read is kept unchanged.
            "dataset-reference-date": as_text(
                {"type": kind, "value": day or text} for kind, day, text in dates
            )
        },
    }


def _typed_dates(identification: IsoNode) -> Iterator[tuple[str, str, str]]:
    """Yield type, parsed date, and the date as written."""
    for node in identification.find_all("citation/*/date/*"):
        if text := node.text("date"):
            yield node.code("dateType"), node.date("date"), text


def _relation(node: IsoNode) -> dict[str, str]:
    """Read another resource that this one belongs to or is derived from."""
    return without_blanks(
        {
            "title": node.text("aggregateDataSetName/*/title", "name/*/title"),
            "identifier": node.text(
                "aggregateDataSetIdentifier/*/code",
                "aggregateDataSetName/*/identifier/*/code",
                "name/*/identifier/*/code",
                "metadataReference/*/identifier/*/code",
            ),
            "association": node.code("associationType"),
            "initiative": node.code("initiativeType"),
        }
    )


def _date(entry: Entry) -> FieldValues:
    stamp = gemini_document.stamp(entry.record)
    date = stamp.node.parse_value(stamp.field, stamp.text, parse_date, "bad-date")
    # A date that could not be read is kept unchanged.
    return {"metadata_modified": date, "extras": {"metadata-date": stamp.text}}


def _parent(record: IsoNode, paths: tuple[str, ...]) -> str:
    """Return the identifier of the record above, else the one in a reference to it."""
    references = record.find_all("parentMetadata")
    return record.text(*paths) or next((node.attribute("uuidref") for node in references), "")


def _kind(record: IsoNode, paths: tuple[str, ...]) -> str:
    return record.code(*paths)


def _is_location(record: IsoNode, paths: tuple[str, ...]) -> str:
    """Return data.gov.uk's mark of location data, from "UK Location Programme"."""
    return "" if record.code(*paths).lower() == "nongeographicdataset" else "True"


def _page(entry: Entry) -> FieldValues:
    for node in entry.record.find_all("dataSetURI"):
        uri = node.own_text()
        if text := uri.href or uri.text:
            return {"url": node.parse_value("gmd:dataSetURI", text, parse_url, "bad-url")}
    return {}


Group = tuple[IsoNode, tuple[PropertyText, ...]]

# A vocabulary that is one of the LGA's lists, by its URL or its name.
_LIST = r"esd\.org\.uk/\S{{0,100}}{0}|local (?:government|authority) {0}|\blg?a[ _-]?{0}?\b"
_FUNCTIONS = re.compile(_LIST.format("functions"), re.I)
_SERVICES = re.compile(rf"{_LIST.format('services')}|\bLGSL\b", re.I)


def _keywords(entry: Entry) -> FieldValues:
    groups = [
        (node, tuple(node.texts_at("keyword")))
        for node in entry.identification.find_all("descriptiveKeywords/*")
    ]
    tags = read_tags(
        entry.identification,
        (
            keyword.text
            for _, keywords in groups
            for keyword in keywords
            if not _is_identifier(keyword.text)
        ),
        "gmd:keyword",
    )
    topics = tuple(dict.fromkeys(entry.identification.codes("topicCategory")))
    themes = tuple(dict.fromkeys(theme for group in groups for theme in _themes(group)))
    return {
        "tags": tags,
        "themes": (*topics, *themes),
        "extras": {
            "topic-category": as_text(topics),
            "inspire-themes": as_text(themes),
            "keywords": as_text(_as_dict(*group) for group in groups if group[1]),
            **uk_fields.authority(*map(_of_authority, groups))["extras"],
        },
    }


def _is_identifier(text: str) -> bool:
    """Tell whether a text is a URL of the LGA's lists: nobody searches for it as a tag."""
    return "esd" in text.lower() and not local_government_lists.find([text]).others


def _of_authority(group: Group) -> uk_fields.FieldTexts:
    """Return keywords as functions and services of local government; most are neither."""
    node, keywords = group
    vocabulary = _vocabulary(node)
    kind = local_government_lists.FUNCTION if _FUNCTIONS.search(vocabulary) else ""
    kind = local_government_lists.SERVICE if _SERVICES.search(vocabulary) else kind
    texts = [
        keyword.href if "esd.org.uk" in keyword.href.lower() else keyword.text
        for keyword in keywords
    ]
    return uk_fields.FieldTexts(kind, texts, node.reporter("gmd:keyword"))


def _vocabulary(node: IsoNode) -> str:
    titles = node.texts_at("thesaurusName/*/title")
    return " ".join(f"{title.text} {title.href}" for title in titles)


def _themes(group: Group) -> Iterator[str]:
    """Yield themes by their URLs; by their labels only if the vocabulary is INSPIRE's.

    "Soil" and "Buildings" are ordinary words elsewhere.
    """
    node, keywords = group
    vocabulary = _vocabulary(node)
    for keyword in keywords:
        theme = theme_of_address(keyword.href) or theme_of_address(keyword.text)
        if not theme and "inspire" in vocabulary.lower():
            theme = theme_of_label(keyword.text)
        if theme:
            yield theme


def _as_dict(node: IsoNode, keywords: tuple[PropertyText, ...]) -> dict[str, Any]:
    """Return a group as stored in the extra: its keywords as written, and their vocabulary."""
    vocabulary, *others = tuple(node.texts_at("thesaurusName/*/title")) or (PropertyText(""),)
    facts = {
        "vocabulary": vocabulary.text,
        "href": vocabulary.href,
        "other-vocabularies": ", ".join(
            {other.text: 0 for other in others if other.text != vocabulary.text}
        ),
        "date": node.text("thesaurusName/*/date/*/date"),
        "type": node.code("type"),
    }
    words = [
        {"text": keyword.text, **({"href": keyword.href} if keyword.href else {})}
        for keyword in keywords
    ]
    return {**without_blanks(facts), "keywords": words}


_LOCALES = ("locale/*", "otherLocale/*", "defaultLocale/*")
_CODES = ("languageCode", "language")


class Locales:
    """The languages of a record: its own, and those that its translations refer to."""

    def __init__(self, record: IsoNode) -> None:
        """Read a record's root."""
        self.main = language_code(_code(record, ("language", "defaultLocale/*/language")))
        translated = record.element.iter("{*}LocalisedCharacterString")
        self.has_translations = next(translated, None) is not None
        self._by_id = {
            locale.attribute("id"): _code(locale, _CODES) for locale in record.find_all(*_LOCALES)
        }
        self.codes = list(filter(None, self._by_id.values()))

    def texts(self, node: IsoNode | None, clean: Callable[[str], str]) -> Iterator[tuple[str, str]]:
        """Yield language and text of a property, the record's own language first."""
        if node is None or not self.has_translations:
            return
        yield self.main, clean(node.text_of_record())
        for translation in node.find_all("PT_FreeText/textGroup/LocalisedCharacterString"):
            locale = translation.attribute("locale").removeprefix("#")
            yield self._language(locale), clean(translation.whole_text())

    def _language(self, locale: str) -> str:
        # Records without PT_Locale often have the code as the id itself: "locale-cym".
        return self._by_id.get(locale) or locale.rpartition("-")[2]


def _code(node: IsoNode, paths: tuple[str, ...]) -> str:
    # "eng; USA": the country comes after the language.
    return node.code(*paths).partition(";")[0].strip()


def _translations(entry: Entry) -> FieldValues:
    locales, node = Locales(entry.record), entry.identification
    read_languages(locales.codes, entry.record.reporter("gmd:PT_Locale"))
    title = node.first("citation/*/title")
    translations = collect_translations(
        Translation,
        {
            "title": locales.texts(title, plain_line),
            "notes": locales.texts(node.first("abstract"), plain_text),
            "tags": _tags(locales, node.find_all("descriptiveKeywords/*/keyword")),
        },
    )
    language = locales.main
    if title is not None and translations and not title.text_of_record():
        used = plain_line(title.own_text().text)  # a translation
        language = next(
            (code for code, translation in translations.items() if translation.title == used), ""
        )
    return {"text_language": language, "translations": translations}


def _tags(locales: Locales, keywords: Iterable[IsoNode]) -> list[tuple[str, tuple[str, ...]]]:
    words: dict[str, list[str]] = {}
    for keyword in keywords:
        for language, word in locales.texts(keyword, plain_line):
            words.setdefault(language, []).append(word)
    return [(language, clean_tags(tags, "")[0]) for language, tags in words.items()]


def link_translations(node: IsoNode, locales: Locales) -> dict[str, ResourceTranslation]:
    """Return the name and description of an online resource by language."""
    fields = {
        "name": locales.texts(node.first("name"), plain_line),
        "description": locales.texts(node.first("description"), plain_text),
    }
    return collect_translations(ResourceTranslation, fields)


MAPPING: tuple[Field | Row, ...] = (
    Field(("gmd:dateStamp",), "metadata_modified", _date),
    row(
        "gmd:MD_Metadata/gmd:language",
        "extra metadata-language",
        _code,
        *("language", "defaultLocale/*/language"),
        of_record=True,
    ),
    row(
        "gmd:parentIdentifier",
        "extra parent-identifier",
        _parent,
        *("parentIdentifier", "parentMetadata/*/identifier/*/code"),
        of_record=True,
    ),
    row("gmd:hierarchyLevel", "extra resource-type", _kind, *_LEVEL, of_record=True),
    row("gmd:hierarchyLevel", "extra UKLP", _is_location, *_LEVEL, of_record=True),
    row(
        "gmd:hierarchyLevelName",
        "extra hierarchy-level-name",
        table.plain_texts,
        *("hierarchyLevelName", "metadataScope/*/name"),
        of_record=True,
    ),
    row(
        "gmd:metadataStandardName",
        "extra metadata-standard-name",
        table.text,
        *("metadataStandardName", "metadataStandard/*/title"),
        of_record=True,
    ),
    row(
        "gmd:metadataStandardVersion",
        "extra metadata-standard-version",
        table.text,
        *("metadataStandardVersion", "metadataStandard/*/edition"),
        of_record=True,
    ),
    Field(("gmd:dataSetURI",), "url", _page),
    row("gmd:abstract", "notes", table.paragraph, "abstract"),
    row("gmd:edition", "version", table.text, "citation/*/edition"),
    row(
        "gmd:alternateTitle",
        "extra alternative-title",
        table.unique_list,
        "citation/*/alternateTitle",
    ),
    row(
        "gmd:CI_Citation/gmd:identifier",
        "extra resource-identifier",
        partial(json_objects, _identifier),
        "citation/*/identifier/*",
    ),
    Field(
        ("gmd:CI_Citation/gmd:date",),
        "issued, modified; extra dataset-reference-date",
        _dates,
    ),
    row(
        "gmd:MD_DataIdentification/gmd:language",
        "language",
        table.languages,
        *("language", "defaultLocale/*/language", "otherLocale/*/language"),
    ),
    row(
        "gmd:supplementalInformation",
        "extra additional-information",
        table.paragraphs,
        "supplementalInformation",
    ),
    row("gmd:purpose", "extra purpose", table.paragraphs, "purpose"),
    row("gmd:credit", "extra credit", table.paragraphs, "credit"),
    row(
        "gmd:aggregationInfo",
        "extra aggregation-info",
        partial(json_objects, _relation),
        *("aggregationInfo/*", "associatedResource/*"),
    ),
    row("gmd:status", "extra progress", table.plain_texts, "status"),
    Field(
        ("gmd:keyword", "gmd:thesaurusName", "gmd:topicCategory"),
        "tags, themes; extras topic-category, inspire-themes, keywords, la_function, la_service",
        _keywords,
    ),
    Field(
        ("gmd:PT_FreeText", "gmd:PT_Locale", "gmd:MD_Metadata/gmd:language"),
        "translations, text_language",
        _translations,
    ),
)
