"""UK GEMINI 2.3, elements about the resource: parties, and its properties."""

from __future__ import annotations

from tests.parsers.gemini.elements import ADDRESS, TEXT, Element, code, extra, json_extra

_PARTY = (
    "<gmd:pointOfContact><gmd:CI_ResponsibleParty>{}{{}}</gmd:CI_ResponsibleParty>"
    "</gmd:pointOfContact>"
)
_NAMED = _PARTY.format(f"<gmd:organisationName>{TEXT.format('Council')}</gmd:organisationName>")
_OWNER = _PARTY.format('<gmd:role><gmd:CI_RoleCode codeListValue="owner"/></gmd:role>')
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
        json_extra("data-format", "name"),
        one=["Rivers"],
        both=["Rivers"],
        none=[],
        around=_FORMAT,
    ),
    Element(
        "21 data format's version",
        "gmd:version",
        "distribution",
        json_extra("data-format", "version"),
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
        "23 responsible organisation's email",
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
        json_extra("aggregation-info", "identifier"),
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
        json_extra("aggregation-info", "association"),
        one=["source"],
        both=["source"],
        none=[],
        around=_AGGREGATE,
        own=code("DS_AssociationTypeCode"),
        values=("source", "crossReference"),
    ),
)
