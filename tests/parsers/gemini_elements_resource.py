"""UK GEMINI 2.3, elements about the resource: what it is, whose, and what it is like."""

from __future__ import annotations

from tests.parsers.gemini_elements import ADDRESS, TEXT, Element, code, extra, listed

_PARTY = (
    "<gmd:pointOfContact><gmd:CI_ResponsibleParty>{}{{}}</gmd:CI_ResponsibleParty>"
    "</gmd:pointOfContact>"
)
_NAMED = _PARTY.format(f"<gmd:organisationName>{TEXT.format('Council')}</gmd:organisationName>")
_OWNER = _PARTY.format('<gmd:role><gmd:CI_RoleCode codeListValue="owner"/></gmd:role>')
_KEYWORDS = (
    "<gmd:descriptiveKeywords><gmd:MD_Keywords>{}</gmd:MD_Keywords></gmd:descriptiveKeywords>"
)
_KEYWORD = f"<gmd:keyword>{TEXT.format('Water')}</gmd:keyword>"
_DATE = "<gmd:date><gmd:CI_Date>{}</gmd:CI_Date></gmd:date>"
_IDENTIFIER = "<gmd:identifier><gmd:MD_Identifier>{}</gmd:MD_Identifier></gmd:identifier>"
_FORMAT = "<gmd:distributionFormat><gmd:MD_Format>{}</gmd:MD_Format></gmd:distributionFormat>"
_RESOLUTION = (
    "<gmd:spatialResolution><gmd:MD_Resolution>{}</gmd:MD_Resolution></gmd:spatialResolution>"
)
_AGGREGATE = (
    "<gmd:aggregationInfo><gmd:MD_AggregateInformation>{}</gmd:MD_AggregateInformation>"
    "</gmd:aggregationInfo>"
)
_PAGES = ("https://council.example/a.png", "https://council.example/b.png")


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
        listed("alternative-title"),
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
        listed("topic-category"),
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
        listed("keywords", "keywords"),
        one=[[{"text": "Rivers"}]],
        both=[[{"text": "Rivers"}, {"text": "Lakes"}]],
        none=[],
        around=_KEYWORDS,
        anchored=[[{"text": "Rivers", "href": ADDRESS}]],
    ),
    Element(
        "6 keyword's vocabulary",
        "gmd:title",
        "identification",
        listed("keywords", "vocabulary"),
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
        listed("keywords", "type"),
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
        listed("inspire-themes"),
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
        listed("dataset-reference-date", "value"),
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
        listed("dataset-reference-date"),
        one=[{"type": "revision", "value": "2024"}],
        both=[{"type": "revision", "value": "2024"}],
        none=[{"type": "", "value": "2024"}],
        around=_DATE.format("<gmd:date><gco:Date>2024</gco:Date></gmd:date>{}"),
        own=code("CI_DateTypeCode"),
        values=("revision", "creation"),
    ),
    Element(
        "18 spatial resolution",
        "gmd:distance",
        "identification",
        extra("spatial-resolution"),
        one="10",
        both='["10", "0.5"]',
        around=_RESOLUTION,
        own='<gco:Distance uom="urn:ogc:def:uom:EPSG::9001">{}</gco:Distance>',
        values=("10", "0.5"),
    ),
    Element(
        "43 equivalent scale",
        "gmd:denominator",
        "identification",
        extra("equivalent-scale"),
        one="10000",
        both='["10000", "2500"]',
        around=_RESOLUTION.format(
            "<gmd:equivalentScale><gmd:MD_RepresentativeFraction>{}"
            "</gmd:MD_RepresentativeFraction></gmd:equivalentScale>"
        ),
        own="<gco:Integer>{}</gco:Integer>",
        values=("10000", "2500"),
    ),
    Element(
        "21 data format",
        "gmd:name",
        "distribution",
        listed("data-format", "name"),
        one=["Rivers"],
        both=["Rivers"],
        none=[],
        around=_FORMAT,
    ),
    Element(
        "21 data format's version",
        "gmd:version",
        "distribution",
        listed("data-format", "version"),
        one=["Rivers"],
        both=["Rivers"],
        none=[""],
        around=_FORMAT.format(f"<gmd:name>{TEXT.format('GML')}</gmd:name>{{}}"),
    ),
    Element(
        "23 responsible organisation",
        "gmd:organisationName",
        "identification",
        extra("responsible-party"),
        one="Rivers (owner)",
        both="Rivers (owner)",
        around=_OWNER,
    ),
    Element(
        "23 responsible organisation, provider",
        "gmd:organisationName",
        "identification",
        extra("provider"),
        one="Rivers",
        both="Rivers",
        around=_OWNER,
    ),
    Element(
        "23 responsible person",
        "gmd:individualName",
        "identification",
        extra("responsible-party"),
        one="Rivers (owner)",
        both="Rivers (owner)",
        around=_OWNER,
    ),
    Element(
        "23 responsible organisation's role",
        "gmd:role",
        "identification",
        extra("responsible-party"),
        one="Council (publisher)",
        both="Council (publisher, owner)",
        none="Council",
        around=_NAMED,
        own=code("CI_RoleCode"),
        values=("publisher", "owner"),
    ),
    Element(
        "23 responsible organisation's e-mail",
        "gmd:electronicMailAddress",
        "identification",
        lambda record: record.contact.email,
        one="a@council.example",
        both="a@council.example",
        around=_NAMED.format(
            "<gmd:contactInfo><gmd:CI_Contact><gmd:address><gmd:CI_Address>{}</gmd:CI_Address>"
            "</gmd:address></gmd:CI_Contact></gmd:contactInfo>"
        ),
        values=("a@council.example", "b@council.example"),
    ),
    Element(
        "27 additional information",
        "gmd:supplementalInformation",
        "identification",
        extra("additional-information"),
        one="Rivers",
        both="Rivers\n\nLakes",
    ),
    Element(
        "36 resource identifier",
        "gmd:code",
        "citation",
        listed("resource-identifier", "code"),
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
        listed("resource-identifier", "namespace"),
        one=["Rivers"],
        both=["Rivers"],
        none=[""],
        around=_IDENTIFIER.format(f"<gmd:code>{TEXT.format('1')}</gmd:code>{{}}"),
    ),
    Element(
        "37 spatial data service type",
        "srv:serviceType",
        "identification",
        extra("spatial-data-service-type"),
        one="view",
        both="view",
        own="<gco:LocalName>{}</gco:LocalName>",
        values=("view", "download"),
    ),
    Element(
        "50 spatial representation type",
        "gmd:spatialRepresentationType",
        "identification",
        extra("spatial-representation-type"),
        one="vector",
        both='["vector", "grid"]',
        own=code("MD_SpatialRepresentationTypeCode"),
        values=("vector", "grid"),
    ),
    Element(
        "51 character encoding",
        "gmd:characterSet",
        "identification",
        extra("character-set"),
        one="utf8",
        both='["utf8", "8859part1"]',
        own=code("MD_CharacterSetCode"),
        values=("utf8", "8859part1"),
    ),
    Element(
        "53 maintenance information",
        "gmd:maintenanceAndUpdateFrequency",
        "identification",
        lambda record: (record.extras.get("frequency-of-update", ""), record.frequency),
        one=("monthly", "R/P1M"),
        both=('["monthly", "daily"]', "R/P1M"),
        none=("", ""),
        around="<gmd:resourceMaintenance><gmd:MD_MaintenanceInformation>{}"
        "</gmd:MD_MaintenanceInformation></gmd:resourceMaintenance>",
        own=code("MD_MaintenanceFrequencyCode"),
        values=("monthly", "daily"),
    ),
    *(
        Element(name, f"gmd:{name}", "identification", extra(name), "Rivers", "Rivers\n\nLakes")
        for name in ("purpose", "credit")
    ),
    Element(
        "progress",
        "gmd:status",
        "identification",
        extra("progress"),
        one="onGoing",
        both='["onGoing", "completed"]',
        own=code("MD_ProgressCode"),
        values=("onGoing", "completed"),
    ),
    Element(
        "picture",
        "gmd:fileName",
        "identification",
        extra("graphic-preview-file"),
        one=_PAGES[0],
        both=_PAGES[0],
        around="<gmd:graphicOverview><gmd:MD_BrowseGraphic>{}</gmd:MD_BrowseGraphic>"
        "</gmd:graphicOverview>",
        values=_PAGES,
        anchored=ADDRESS,
    ),
    Element(
        "related resource",
        "gmd:code",
        "identification",
        listed("aggregation-info", "identifier"),
        one=["Rivers"],
        both=["Rivers"],
        none=[],
        around=_AGGREGATE.format(
            "<gmd:aggregateDataSetIdentifier><gmd:MD_Identifier>{}</gmd:MD_Identifier>"
            "</gmd:aggregateDataSetIdentifier>"
        ),
    ),
    Element(
        "how a resource is related",
        "gmd:associationType",
        "identification",
        listed("aggregation-info", "association"),
        one=["source"],
        both=["source"],
        none=[],
        around=_AGGREGATE,
        own=code("DS_AssociationTypeCode"),
        values=("source", "crossReference"),
    ),
)
