"""UK GEMINI 2.3, elements about the record itself."""

from __future__ import annotations

from tests.parsers.gemini.elements import ADDRESS, Element, code

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
    Element("45 file identifier", "root/fileIdentifier", "guid", none="missing-identifier"),
    Element(
        "33 metadata language",
        "root/language",
        "metadata-language",
        values=("eng", "cym"),
        own=code("LanguageCode"),
    ),
    Element("49 parent identifier", "root/parentIdentifier", "parent-identifier"),
    Element(
        "39 resource type",
        "root/hierarchyLevel",
        "resource-type",
        values=("series", "dataset"),
        own=code("MD_ScopeCode"),
    ),
    Element(
        "39 resource type, the mark of location data",
        "root/hierarchyLevel",
        "UKLP",
        values=("nonGeographicDataset", "dataset"),
        one="",
        none="True",
        own=code("MD_ScopeCode"),
    ),
    Element(
        "47 hierarchy level name",
        "root/hierarchyLevelName",
        "hierarchy-level-name",
        both='["Rivers", "Lakes"]',
    ),
    Element(
        "35 metadata point of contact, name",
        "root/organisationName",
        "metadata-contact",
        one="Rivers (pointOfContact)",
        around=_CONTACT,
    ),
    Element(
        "35 metadata point of contact, email",
        "root/electronicMailAddress",
        lambda record: record.contact.email if record.contact else "",
        values=_EMAILS,
        around=_EMAIL,
    ),
    Element(
        "30 metadata date",
        "root/dateStamp",
        "metadata_modified",
        values=("2024-05-31", "2020-01-01"),
        own="<gco:Date>{}</gco:Date>",
    ),
    Element(
        "30 metadata date with time",
        "root/dateStamp",
        "metadata_modified",
        values=("2024-05-31T10:00:00", "2020-01-01T00:00:00"),
        own="<gco:DateTime>{}</gco:DateTime>",
    ),
    Element("54 metadata standard name", "root/metadataStandardName", "metadata-standard-name"),
    Element(
        "55 metadata standard version",
        "root/metadataStandardVersion",
        "metadata-standard-version",
        values=("2.3", "2.1"),
    ),
    Element(
        "data set address",
        "root/dataSetURI",
        "url",
        values=("https://council.example/rivers", "https://council.example/lakes"),
        anchored=ADDRESS,
    ),
    Element(
        "48 quality scope",
        "quality/level",
        "quality-scope",
        values=("dataset", "series"),
        both='["dataset", "series"]',
        around="<gmd:scope><gmd:DQ_Scope>{}</gmd:DQ_Scope></gmd:scope>",
        own=code("MD_ScopeCode"),
    ),
    Element(
        "10 lineage",
        "quality/statement",
        "lineage",
        both="Rivers\n\nLakes",
        around="<gmd:lineage><gmd:LI_Lineage>{}</gmd:LI_Lineage></gmd:lineage>",
    ),
    *(
        Element(
            f"41 conformity, {name}",
            f"quality/{prop}",
            f"conformity[].{key}",
            values=values,
            one=[one],
            none=none,
            around="<gmd:report><gmd:DQ_DomainConsistency><gmd:result>"
            f"<gmd:DQ_ConformanceResult>{around}</gmd:DQ_ConformanceResult></gmd:result>"
            "</gmd:DQ_DomainConsistency></gmd:report>",
            own=own,
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
