"""UK GEMINI 2.3, elements about the record itself."""

from __future__ import annotations

from tests.parsers.gemini.elements import ADDRESS, Element, code, extra, json_extra

_CONTACT = (
    "<gmd:contact><gmd:CI_ResponsibleParty>{}<gmd:role>"
    '<gmd:CI_RoleCode codeListValue="pointOfContact"/></gmd:role>'
    "</gmd:CI_ResponsibleParty></gmd:contact>"
)
_EMAIL = (
    "<gmd:contact><gmd:CI_ResponsibleParty><gmd:contactInfo><gmd:CI_Contact><gmd:address>"
    "<gmd:CI_Address>{}</gmd:CI_Address></gmd:address></gmd:CI_Contact></gmd:contactInfo>"
    "</gmd:CI_ResponsibleParty></gmd:contact>"
)
_EMAILS = ("a@council.example", "b@council.example")

ELEMENTS = (
    Element(
        "45 file identifier",
        "gmd:fileIdentifier",
        "root",
        lambda record: record.guid,
        one="Rivers",
        both="Rivers",
        none="missing-identifier",
    ),
    Element(
        "33 metadata language",
        "gmd:language",
        "root",
        extra("metadata-language"),
        one="eng",
        both="eng",
        own=code("LanguageCode"),
        values=("eng", "cym"),
    ),
    Element(
        "49 parent identifier",
        "gmd:parentIdentifier",
        "root",
        extra("parent-identifier"),
        one="Rivers",
        both="Rivers",
    ),
    Element(
        "39 resource type",
        "gmd:hierarchyLevel",
        "root",
        extra("resource-type"),
        one="series",
        both="series",
        own=code("MD_ScopeCode"),
        values=("series", "dataset"),
    ),
    Element(
        "39 resource type, the mark of location data",
        "gmd:hierarchyLevel",
        "root",
        extra("UKLP"),
        one="",
        both="",
        none="True",
        own=code("MD_ScopeCode"),
        values=("nonGeographicDataset", "dataset"),
    ),
    Element(
        "47 hierarchy level name",
        "gmd:hierarchyLevelName",
        "root",
        extra("hierarchy-level-name"),
        one="Rivers",
        both='["Rivers", "Lakes"]',
    ),
    Element(
        "35 metadata point of contact, name",
        "gmd:organisationName",
        "root",
        extra("metadata-contact"),
        one="Rivers (pointOfContact)",
        both="Rivers (pointOfContact)",
        around=_CONTACT,
    ),
    Element(
        "35 metadata point of contact, email",
        "gmd:electronicMailAddress",
        "root",
        lambda record: record.contact.email if record.contact else "",
        one=_EMAILS[0],
        both=_EMAILS[0],
        around=_EMAIL,
        values=_EMAILS,
    ),
    Element(
        "30 metadata date",
        "gmd:dateStamp",
        "root",
        lambda record: record.metadata_modified,
        one="2024-05-31",
        both="2024-05-31",
        own="<gco:Date>{}</gco:Date>",
        values=("2024-05-31", "2020-01-01"),
    ),
    Element(
        "30 metadata date with time",
        "gmd:dateStamp",
        "root",
        lambda record: record.metadata_modified,
        one="2024-05-31T10:00:00",
        both="2024-05-31T10:00:00",
        own="<gco:DateTime>{}</gco:DateTime>",
        values=("2024-05-31T10:00:00", "2020-01-01T00:00:00"),
    ),
    Element(
        "54 metadata standard name",
        "gmd:metadataStandardName",
        "root",
        extra("metadata-standard-name"),
        one="Rivers",
        both="Rivers",
    ),
    Element(
        "55 metadata standard version",
        "gmd:metadataStandardVersion",
        "root",
        extra("metadata-standard-version"),
        one="2.3",
        both="2.3",
        values=("2.3", "2.1"),
    ),
    Element(
        "data set address",
        "gmd:dataSetURI",
        "root",
        lambda record: record.url,
        one="https://council.example/rivers",
        both="https://council.example/rivers",
        values=("https://council.example/rivers", "https://council.example/lakes"),
        anchored=ADDRESS,
    ),
    Element(
        "48 quality scope",
        "gmd:level",
        "quality",
        extra("quality-scope"),
        one="dataset",
        both='["dataset", "series"]',
        around="<gmd:scope><gmd:DQ_Scope>{}</gmd:DQ_Scope></gmd:scope>",
        own=code("MD_ScopeCode"),
        values=("dataset", "series"),
    ),
    Element(
        "10 lineage",
        "gmd:statement",
        "quality",
        extra("lineage"),
        one="Rivers",
        both="Rivers\n\nLakes",
        around="<gmd:lineage><gmd:LI_Lineage>{}</gmd:LI_Lineage></gmd:lineage>",
    ),
    *(
        Element(
            f"41 conformity, {name}",
            prop,
            "quality",
            json_extra("conformity", key),
            one=[one],
            both=[one],
            none=none,
            around="<gmd:report><gmd:DQ_DomainConsistency><gmd:result>"
            f"<gmd:DQ_ConformanceResult>{around}</gmd:DQ_ConformanceResult></gmd:result>"
            "</gmd:DQ_DomainConsistency></gmd:report>",
            own=own,
            values=values,
        )
        for name, prop, key, one, none, around, own, values in (
            (
                "specification",
                "gmd:title",
                "title",
                "Rivers",
                [],
                "<gmd:specification><gmd:CI_Citation>{}</gmd:CI_Citation></gmd:specification>",
                "<gco:CharacterString>{}</gco:CharacterString>",
                ("Rivers", "Lakes"),
            ),
            (
                "its date",
                "gmd:date",
                "date",
                "2010-12-08",
                [""],
                "<gmd:explanation><gco:CharacterString>-</gco:CharacterString></gmd:explanation>"
                "<gmd:specification><gmd:CI_Citation><gmd:date><gmd:CI_Date>{}</gmd:CI_Date>"
                "</gmd:date></gmd:CI_Citation></gmd:specification>",
                "<gco:Date>{}</gco:Date>",
                ("2010-12-08", "2009-10-19"),
            ),
            (
                "explanation",
                "gmd:explanation",
                "explanation",
                "Rivers",
                [],
                "{}",
                "<gco:CharacterString>{}</gco:CharacterString>",
                ("Rivers", "Lakes"),
            ),
            (
                "pass",
                "gmd:pass",
                "pass",
                True,
                [""],
                "<gmd:explanation><gco:CharacterString>-</gco:CharacterString></gmd:explanation>{}",
                "<gco:Boolean>{}</gco:Boolean>",
                ("true", "false"),
            ),
        )
    ),
)
