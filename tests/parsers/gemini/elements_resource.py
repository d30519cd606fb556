"""UK GEMINI 2.3, elements about the resource: titles and subjects."""

from __future__ import annotations

from tests.parsers.gemini.elements import ADDRESS, TEXT, Element, code

_KEYWORDS = (
    "<gmd:descriptiveKeywords><gmd:MD_Keywords>{}</gmd:MD_Keywords></gmd:descriptiveKeywords>"
)
_KEYWORD = f"<gmd:keyword>{TEXT.format('Water')}</gmd:keyword>"
_DATE = "<gmd:date><gmd:CI_Date>{}</gmd:CI_Date></gmd:date>"
_IDENTIFIER = "<gmd:identifier><gmd:MD_Identifier>{}</gmd:MD_Identifier></gmd:identifier>"

ELEMENTS = (
    Element("1 title", "citation/title", "title", none="missing-title"),
    Element(
        "2 alternative title",
        "citation/alternateTitle",
        "alternative-title[]",
        both=["Rivers", "Lakes"],
    ),
    Element("edition", "citation/edition", "version"),
    Element(
        "3 dataset language",
        "language",
        "language",
        values=("eng", "cym"),
        one=("en",),
        both=("en", "cy"),
        none=(),
        own=code("LanguageCode"),
    ),
    Element("4 abstract", "abstract", "notes"),
    Element(
        "5 topic category",
        "topicCategory",
        "topic-category[]",
        values=("inlandWaters", "society"),
        both=["inlandWaters", "society"],
        own="<gmd:MD_TopicCategoryCode>{}</gmd:MD_TopicCategoryCode>",
    ),
    Element(
        "6 keyword",
        "keyword",
        "tags",
        one=("Rivers",),
        both=("Rivers", "Lakes"),
        none=(),
        around=_KEYWORDS,
    ),
    Element(
        "6 keyword as it stands there",
        "keyword",
        "keywords[].keywords",
        one=[[{"text": "Rivers"}]],
        both=[[{"text": "Rivers"}, {"text": "Lakes"}]],
        around=_KEYWORDS,
        anchored=[[{"text": "Rivers", "href": ADDRESS}]],
        without={"same twice": "the extra has keywords as they stand"},
    ),
    Element(
        "6 keyword's vocabulary",
        "title",
        "keywords[].vocabulary",
        none=[""],
        around=_KEYWORDS.format(
            f"{_KEYWORD}<gmd:thesaurusName><gmd:CI_Citation>{{}}</gmd:CI_Citation>"
            "</gmd:thesaurusName>"
        ),
    ),
    Element(
        "6 keyword's kind",
        "type",
        "keywords[].type",
        values=("theme", "place"),
        none=[""],
        around=_KEYWORDS.format(_KEYWORD + "{}"),
        own=code("MD_KeywordTypeCode"),
    ),
    Element(
        "6 INSPIRE theme",
        "keyword",
        "inspire-themes[]",
        values=("soil", "Protected Sites"),
        one=["Soil"],
        both=["Soil", "Protected sites"],
        around=_KEYWORDS.format(
            "{}<gmd:thesaurusName><gmd:CI_Citation><gmd:title>"
            f"{TEXT.format('GEMET - INSPIRE themes, version 1.0')}"
            "</gmd:title></gmd:CI_Citation></gmd:thesaurusName>"
        ),
    ),
    Element(
        "8 reference date",
        "citation/date",
        "dataset-reference-date[].value",
        values=("2024-05", "2020"),
        around=_DATE,
        own="<gco:Date>{}</gco:Date>",
    ),
    Element(
        "8 reference date's type",
        "citation/dateType",
        "dataset-reference-date[]",
        values=("revision", "creation"),
        one=[{"type": "revision", "value": "2024"}],
        none=[{"type": "", "value": "2024"}],
        around=_DATE.format("<gmd:date><gco:Date>2024</gco:Date></gmd:date>{}"),
        own=code("CI_DateTypeCode"),
    ),
    Element(
        "36 resource identifier",
        "citation/code",
        "resource-identifier[].code",
        around=_IDENTIFIER,
        anchored=[ADDRESS],
    ),
    Element(
        "36 resource identifier's code space",
        "citation/codeSpace",
        "resource-identifier[].namespace",
        none=[""],
        around=_IDENTIFIER.format(f"<gmd:code>{TEXT.format('1')}</gmd:code>{{}}"),
    ),
)
