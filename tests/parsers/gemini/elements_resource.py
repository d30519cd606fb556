"""UK GEMINI 2.3, elements about the resource: titles and subjects."""

from __future__ import annotations

from tests.parsers.gemini.elements import ADDRESS, TEXT, Element, code, json_extra

_KEYWORDS = (
    "<gmd:descriptiveKeywords><gmd:MD_Keywords>{}</gmd:MD_Keywords></gmd:descriptiveKeywords>"
)
_KEYWORD = f"<gmd:keyword>{TEXT.format('Water')}</gmd:keyword>"
_DATE = "<gmd:date><gmd:CI_Date>{}</gmd:CI_Date></gmd:date>"
_IDENTIFIER = "<gmd:identifier><gmd:MD_Identifier>{}</gmd:MD_Identifier></gmd:identifier>"

ELEMENTS = (
    Element(
        "1 title",
        "gmd:title",
        "citation",
        lambda record: record.title,
        one="Rivers",
        both="Rivers",
        none="missing-title",
    ),
    Element(
        "2 alternative title",
        "gmd:alternateTitle",
        "citation",
        json_extra("alternative-title"),
        one=["Rivers"],
        both=["Rivers", "Lakes"],
        none=[],
    ),
    Element(
        "edition",
        "gmd:edition",
        "citation",
        lambda record: record.version,
        one="Rivers",
        both="Rivers",
    ),
    Element(
        "3 dataset language",
        "gmd:language",
        "identification",
        lambda record: record.language,
        one=("en",),
        both=("en", "cy"),
        none=(),
        own=code("LanguageCode"),
        values=("eng", "cym"),
    ),
    Element(
        "4 abstract",
        "gmd:abstract",
        "identification",
        lambda record: record.notes,
        one="Rivers",
        both="Rivers",
    ),
    Element(
        "5 topic category",
        "gmd:topicCategory",
        "identification",
        json_extra("topic-category"),
        one=["inlandWaters"],
        both=["inlandWaters", "society"],
        none=[],
        own="<gmd:MD_TopicCategoryCode>{}</gmd:MD_TopicCategoryCode>",
        values=("inlandWaters", "society"),
    ),
    Element(
        "6 keyword",
        "gmd:keyword",
        "identification",
        lambda record: record.tags,
        one=("Rivers",),
        both=("Rivers", "Lakes"),
        none=(),
        around=_KEYWORDS,
    ),
    Element(
        "6 keyword as it stands there",
        "gmd:keyword",
        "identification",
        json_extra("keywords", "keywords"),
        one=[[{"text": "Rivers"}]],
        both=[[{"text": "Rivers"}, {"text": "Lakes"}]],
        none=[],
        around=_KEYWORDS,
        anchored=[[{"text": "Rivers", "href": ADDRESS}]],
        without={"same twice": "the extra has keywords as they stand"},
    ),
    Element(
        "6 keyword's vocabulary",
        "gmd:title",
        "identification",
        json_extra("keywords", "vocabulary"),
        one=["Rivers"],
        both=["Rivers"],
        none=[""],
        around=_KEYWORDS.format(
            f"{_KEYWORD}<gmd:thesaurusName><gmd:CI_Citation>{{}}</gmd:CI_Citation>"
            "</gmd:thesaurusName>"
        ),
    ),
    Element(
        "6 keyword's kind",
        "gmd:type",
        "identification",
        json_extra("keywords", "type"),
        one=["theme"],
        both=["theme"],
        none=[""],
        around=_KEYWORDS.format(_KEYWORD + "{}"),
        own=code("MD_KeywordTypeCode"),
        values=("theme", "place"),
    ),
    Element(
        "6 INSPIRE theme",
        "gmd:keyword",
        "identification",
        json_extra("inspire-themes"),
        one=["Soil"],
        both=["Soil", "Protected sites"],
        none=[],
        around=_KEYWORDS.format(
            "{}<gmd:thesaurusName><gmd:CI_Citation><gmd:title>"
            f"{TEXT.format('GEMET - INSPIRE themes, version 1.0')}"
            "</gmd:title></gmd:CI_Citation></gmd:thesaurusName>"
        ),
        values=("soil", "Protected Sites"),
    ),
    Element(
        "8 reference date",
        "gmd:date",
        "citation",
        json_extra("dataset-reference-date", "value"),
        one=["2024-05"],
        both=["2024-05"],
        none=[],
        around=_DATE,
        own="<gco:Date>{}</gco:Date>",
        values=("2024-05", "2020"),
    ),
    Element(
        "8 reference date's type",
        "gmd:dateType",
        "citation",
        json_extra("dataset-reference-date"),
        one=[{"type": "revision", "value": "2024"}],
        both=[{"type": "revision", "value": "2024"}],
        none=[{"type": "", "value": "2024"}],
        around=_DATE.format("<gmd:date><gco:Date>2024</gco:Date></gmd:date>{}"),
        own=code("CI_DateTypeCode"),
        values=("revision", "creation"),
    ),
    Element(
        "36 resource identifier",
        "gmd:code",
        "citation",
        json_extra("resource-identifier", "code"),
        one=["Rivers"],
        both=["Rivers"],
        none=[],
        around=_IDENTIFIER,
        anchored=[ADDRESS],
    ),
    Element(
        "36 resource identifier's code space",
        "gmd:codeSpace",
        "citation",
        json_extra("resource-identifier", "namespace"),
        one=["Rivers"],
        both=["Rivers"],
        none=[""],
        around=_IDENTIFIER.format(f"<gmd:code>{TEXT.format('1')}</gmd:code>{{}}"),
    ),
)
