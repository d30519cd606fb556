"""UK GEMINI 2.3, elements about the resource: parties, and its properties."""

from __future__ import annotations

from tests.parsers.gemini.elements import ADDRESS, TEXT, Element, code

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
        "distance",
        "spatial-resolution",
        values=("10", "0.5"),
        both='["10", "0.5"]',
        around=_RESOLUTION,
        own='<gco:Distance uom="urn:ogc:def:uom:EPSG::9001">{}</gco:Distance>',
    ),
    Element(
        "43 equivalent scale",
        "denominator",
        "equivalent-scale",
        values=("10000", "2500"),
        both='["10000", "2500"]',
        around=_RESOLUTION.format(
            "<gmd:equivalentScale><gmd:MD_RepresentativeFraction>{}"
            "</gmd:MD_RepresentativeFraction></gmd:equivalentScale>"
        ),
        own="<gco:Integer>{}</gco:Integer>",
    ),
    Element("21 data format", "distribution/name", "data-format[].name", around=_FORMAT),
    Element(
        "21 data format's version",
        "distribution/version",
        "data-format[].version",
        none=[""],
        around=_FORMAT.format(f"<gmd:name>{TEXT.format('GML')}</gmd:name>{{}}"),
    ),
    Element(
        "23 responsible organisation",
        "organisationName",
        "responsible-party",
        one="Rivers (owner)",
        around=_OWNER,
    ),
    Element("23 responsible organisation, provider", "organisationName", "provider", around=_OWNER),
    Element(
        "23 responsible person",
        "individualName",
        "responsible-party",
        one="Rivers (owner)",
        around=_OWNER,
    ),
    Element(
        "23 responsible organisation's role",
        "role",
        "responsible-party",
        values=("publisher", "owner"),
        one="Council (publisher)",
        both="Council (publisher, owner)",
        none="Council",
        around=_NAMED,
        own=code("CI_RoleCode"),
    ),
    Element(
        "23 responsible organisation's email",
        "electronicMailAddress",
        lambda record: record.contact.email,
        values=("a@council.example", "b@council.example"),
        around=_NAMED.format(
            "<gmd:contactInfo><gmd:CI_Contact><gmd:address><gmd:CI_Address>{}</gmd:CI_Address>"
            "</gmd:address></gmd:CI_Contact></gmd:contactInfo>"
        ),
    ),
    Element(
        "27 additional information",
        "supplementalInformation",
        "additional-information",
        both="Rivers\n\nLakes",
    ),
    Element(
        "37 spatial data service type",
        "srv:serviceType",
        "spatial-data-service-type",
        values=("view", "download"),
        own="<gco:LocalName>{}</gco:LocalName>",
    ),
    Element(
        "50 spatial representation type",
        "spatialRepresentationType",
        "spatial-representation-type",
        values=("vector", "grid"),
        both='["vector", "grid"]',
        own=code("MD_SpatialRepresentationTypeCode"),
    ),
    Element(
        "51 character encoding",
        "characterSet",
        "character-set",
        values=("utf8", "8859part1"),
        both='["utf8", "8859part1"]',
        own=code("MD_CharacterSetCode"),
    ),
    Element(
        "53 maintenance information",
        "maintenanceAndUpdateFrequency",
        lambda record: (record.extras.get("frequency-of-update", ""), record.frequency),
        values=("monthly", "daily"),
        one=("monthly", "R/P1M"),
        both=('["monthly", "daily"]', "R/P1M"),
        none=("", ""),
        around="<gmd:resourceMaintenance><gmd:MD_MaintenanceInformation>{}"
        "</gmd:MD_MaintenanceInformation></gmd:resourceMaintenance>",
        own=code("MD_MaintenanceFrequencyCode"),
    ),
    *(Element(name, name, name, both="Rivers\n\nLakes") for name in ("purpose", "credit")),
    Element(
        "progress",
        "status",
        "progress",
        values=("onGoing", "completed"),
        both='["onGoing", "completed"]',
        own=code("MD_ProgressCode"),
    ),
    Element(
        "picture",
        "fileName",
        "graphic-preview-file",
        values=_PAGES,
        around="<gmd:graphicOverview><gmd:MD_BrowseGraphic>{}</gmd:MD_BrowseGraphic>"
        "</gmd:graphicOverview>",
        anchored=ADDRESS,
    ),
    Element(
        "related resource",
        "code",
        "aggregation-info[].identifier",
        around=_AGGREGATE.format(
            "<gmd:aggregateDataSetIdentifier><gmd:MD_Identifier>{}</gmd:MD_Identifier>"
            "</gmd:aggregateDataSetIdentifier>"
        ),
    ),
    Element(
        "how a resource is related",
        "associationType",
        "aggregation-info[].association",
        values=("source", "crossReference"),
        around=_AGGREGATE,
        own=code("DS_AssociationTypeCode"),
    ),
)
