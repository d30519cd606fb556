"""Complete GEMINI 2.3 records that break no rule, made of named parts that a test replaces.

A part is a text that may name other parts in braces. ``dataset(title="")`` omits the title,
``dataset(title="{title}{title}")`` has it twice: in its own replacement a name means the part
before. Both records are valid against the XSDs and pass AGI's Schematron.
"""

from __future__ import annotations

import re

from tests.iso_spelling import code, el, nil, text

GUID = "7c7d2bb1-3f0a-4c58-9a51-5d0d3c1f6f10"
HOST = "https://maps.borchester.example"
TITLE = "Land use of Borchester 2025"
ABSTRACT = (
    "Land use of every parcel in Borchester, surveyed from the air in summer 2025 and checked on"
    " the ground where crops could not be told apart."
)
INSPIRE = "http://inspire.ec.europa.eu"
OGL = "http://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
ETRS89 = "http://www.opengis.net/def/crs/EPSG/0/4258"
GEMET = "http://www.eionet.europa.eu/gemet/inspire_themes"
METRE = "urn:ogc:def:uom:EPSG::9001"
REGULATION = (
    "Commission Regulation (EU) No 1089/2010 of 23 November 2010 implementing Directive 2007/2/EC"
    " of the European Parliament and of the Council as regards interoperability of spatial data"
    " sets and services"
)
NETWORK_REGULATION = (
    "Commission Regulation (EC) No 976/2009 of 19 October 2009 implementing Directive 2007/2/EC of"
    " the European Parliament and of the Council as regards the Network Services"
)
CATEGORIES = REGULATION.partition("interop")[0].replace(
    "(EU) No 1089/2010 of 23 November 2010", "(EC) No 1205/2008 of 3 December 2008"
)
_NAMESPACES = (
    'xmlns:gmd="http://www.isotc211.org/2005/gmd" xmlns:gco="http://www.isotc211.org/2005/gco"'
    ' xmlns:gmx="http://www.isotc211.org/2005/gmx" xmlns:srv="http://www.isotc211.org/2005/srv"'
    ' xmlns:gmi="http://www.isotc211.org/2005/gmi" xmlns:gml="http://www.opengis.net/gml/3.2"'
    ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xs="http://www.w3.org/2001/XMLSchema"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
)


def date(value: str, kind: str = "") -> str:
    """Return a gmd:date of a citation; without a kind only its inner gmd:date."""
    inner = el("gmd:date/gco:Date", value)
    if not kind:
        return inner
    return el("gmd:date/gmd:CI_Date", inner, code("gmd:dateType", "CI_DateTypeCode", kind))


def keywords(words: str, title: str, published: str, kind: str = "") -> str:
    """Return keywords of one vocabulary; ``kind`` is its gmd:dateType, publication by default."""
    kind = kind or code("gmd:dateType", "CI_DateTypeCode", "publication")
    when = el("gmd:date/gmd:CI_Date", date(published), kind)
    name = el("gmd:thesaurusName/gmd:CI_Citation", title, when)
    return el("gmd:descriptiveKeywords/gmd:MD_Keywords", words, name)


def _party(name: str, prefix: str = "") -> str:
    address = el("gmd:address/gmd:CI_Address", f"{{{prefix}mail}}")
    contact = el("gmd:contactInfo/gmd:CI_Contact", address)
    body = f"\n{{{prefix}organisation}}\n{contact}\n{{{prefix}role}}\n"
    return el(name, el("gmd:CI_ResponsibleParty", body))


def _legal(*parts: str) -> str:
    return el("gmd:resourceConstraints/gmd:MD_LegalConstraints", *parts)


_ORGANISATION = text("gmd:organisationName", "Borchester Borough Council")
_MAIL = text("gmd:electronicMailAddress", "maps@borchester.example")

_COMMON = {
    "root": "gmd:MD_Metadata",
    "file_id": text("gmd:fileIdentifier", GUID),
    "language": code("gmd:language", "LanguageCode", "eng"),
    "contact": _party("gmd:contact", "contact_"),
    "contact_organisation": _ORGANISATION,
    "contact_mail": _MAIL,
    "contact_role": code("gmd:role", "CI_RoleCode", "pointOfContact"),
    "date_stamp": el("gmd:dateStamp/gco:Date", "2026-03-02"),
    "standard": text("gmd:metadataStandardName", "UK GEMINI")
    + text("gmd:metadataStandardVersion", "2.3"),
    "reference_system": el(
        "gmd:referenceSystemInfo/gmd:MD_ReferenceSystem/gmd:referenceSystemIdentifier",
        "{crs_identifier}",
    ),
    "crs_identifier": el("gmd:RS_Identifier", "{crs}"),
    "crs": text("gmd:code", "ETRS89", ETRS89),
    "identification": el("gmd:identificationInfo", "{resource}"),
    "citation": el(
        "gmd:citation/gmd:CI_Citation", "\n{title}\n{alternate}\n{reference_date}\n{identifier}\n"
    ),
    "title": text("gmd:title", TITLE),
    "alternate": text("gmd:alternateTitle", "Borchester LU25"),
    "reference_date": el("gmd:date/gmd:CI_Date", date("2025-11-20"), "{date_type}"),
    "date_type": code("gmd:dateType", "CI_DateTypeCode", "publication"),
    "identifier": el("gmd:identifier/gmd:MD_Identifier", "{identifier_code}"),
    "identifier_code": text("gmd:code", f"{HOST}/id/land-use-2025", f"{HOST}/id/land-use-2025"),
    "abstract": text("gmd:abstract", ABSTRACT),
    "point_of_contact": _party("gmd:pointOfContact"),
    "organisation": _ORGANISATION,
    "mail": _MAIL,
    "role": code("gmd:role", "CI_RoleCode", "distributor"),
    "maintenance": el("gmd:resourceMaintenance/gmd:MD_MaintenanceInformation", "{frequency}"),
    "frequency": code(
        "gmd:maintenanceAndUpdateFrequency", "MD_MaintenanceFrequencyCode", "annually"
    ),
    "constraints": "{access}\n{use}",
    "access": _legal("{access_code}", "{access_text}"),
    "access_code": code("gmd:accessConstraints", "MD_RestrictionCode", "otherRestrictions"),
    "access_text": text(
        "gmd:otherConstraints",
        "no limitations to public access",
        f"{INSPIRE}/metadata-codelist/LimitationsOnPublicAccess/noLimitations",
    ),
    "use": _legal("{use_code}", "{use_text}"),
    "use_code": code("gmd:useConstraints", "MD_RestrictionCode", "otherRestrictions"),
    "use_text": text("gmd:otherConstraints", "Open Government Licence v3.0", OGL),
    "in_extent": el("gmd:EX_Extent", "\n{place}\n{box}\n{period}\n{vertical}\n"),
    "place": el(
        "gmd:geographicElement/gmd:EX_GeographicDescription/gmd:geographicIdentifier/gmd:MD_Identifier",
        "{place_code}",
    ),
    "place_code": text("gmd:code", "Borchester", f"{HOST}/place/borchester"),
    "box": el(
        "gmd:geographicElement/gmd:EX_GeographicBoundingBox", "\n{west}\n{east}\n{south}\n{north}\n"
    ),
    "west": el("gmd:westBoundLongitude/gco:Decimal", "-2.11"),
    "east": el("gmd:eastBoundLongitude/gco:Decimal", "-1.78"),
    "south": el("gmd:southBoundLatitude/gco:Decimal", "52.04"),
    "north": el("gmd:northBoundLatitude/gco:Decimal", "52.31"),
    "period": el("gmd:temporalElement/gmd:EX_TemporalExtent", "{time}"),
    "time": el("gmd:extent", "{in_period}"),
    "in_period": el("gml:TimePeriod", "\n{begin}\n{end}\n", gml__id="p1"),
    "begin": el("gml:beginPosition", "2025-06-01"),
    "end": el("gml:endPosition", "2025-08-31"),
    "distribution": el("gmd:distributionInfo", "{in_distribution}"),
    "in_distribution": el("gmd:MD_Distribution", "\n{format}\n{transfer}\n"),
    "format": el("gmd:distributionFormat/gmd:MD_Format", "{format_name}\n{format_version}"),
    "format_name": text("gmd:name", "GeoPackage"),
    "format_version": nil("gmd:version", "unknown"),
    "transfer": el("gmd:transferOptions/gmd:MD_DigitalTransferOptions", "{online}"),
    "online": el("gmd:onLine/gmd:CI_OnlineResource", "{link}"),
    "link": "\n{linkage}\n{link_name}\n{link_description}\n{link_function}\n",
    "link_name": text("gmd:name", "Land use 2025"),
    "link_description": text("gmd:description", "All parcels with their land use"),
    "link_function": code("gmd:function", "CI_OnLineFunctionCode", "download"),
    "quality": el("gmd:dataQualityInfo/gmd:DQ_DataQuality", "\n{scope}\n{report}\n{lineage}"),
    "scope": el("gmd:scope/gmd:DQ_Scope", "{scope_level}\n{scope_description}"),
    "report": el("gmd:report/gmd:DQ_DomainConsistency", "{result}"),
    "result": el(
        "gmd:result/gmd:DQ_ConformanceResult", "\n{specification}\n{explanation}\n{pass}\n"
    ),
    "specification": el(
        "gmd:specification/gmd:CI_Citation", "{specification_title}\n{specification_date}"
    ),
    "specification_date": date("2010-12-08", "publication"),
    "explanation": text("gmd:explanation", "See the regulation cited"),
    "pass": el("gmd:pass/gco:Boolean", "true"),
    "extra": "",
}

_DATASET = _COMMON | {
    "type": code("gmd:hierarchyLevel", "MD_ScopeCode", "dataset"),
    "level_name": "",
    "resource": el(
        "gmd:MD_DataIdentification",
        "\n{citation}\n{abstract}\n{point_of_contact}\n{maintenance}\n{keywords}\n{constraints}"
        "\n{representation}\n{resolution}\n{resource_language}\n{character_set}\n{topic}"
        "\n{extent}\n{supplemental}\n",
    ),
    "keywords": keywords("{keyword}", "{thesaurus_title}", "2008-06-01", "{thesaurus_date_type}"),
    "thesaurus_title": text("gmd:title", "GEMET - INSPIRE themes, version 1.0", GEMET),
    "thesaurus_date_type": code("gmd:dateType", "CI_DateTypeCode", "publication"),
    "keyword": text("gmd:keyword", "Land use", f"{INSPIRE}/theme/lu"),
    "representation": code(
        "gmd:spatialRepresentationType", "MD_SpatialRepresentationTypeCode", "vector"
    ),
    "resolution": el("gmd:spatialResolution/gmd:MD_Resolution", "{distance}"),
    "distance": el("gmd:distance/gco:Distance", "5", uom=METRE),
    "resource_language": code("gmd:language", "LanguageCode", "eng"),
    "character_set": code("gmd:characterSet", "MD_CharacterSetCode", "utf8"),
    "topic": el("gmd:topicCategory/gmd:MD_TopicCategoryCode", "planningCadastre"),
    "extent": el("gmd:extent", "{in_extent}"),
    "vertical": el(
        "gmd:verticalElement/gmd:EX_VerticalExtent",
        el("gmd:minimumValue", "{height}"),
        el("gmd:maximumValue/gco:Real", "318"),
        el("gmd:verticalCRS", xlink__href="http://www.opengis.net/def/crs/EPSG/0/5701"),
    ),
    "height": el("gco:Real", "12"),
    "supplemental": text("gmd:supplementalInformation", f"Method: {HOST}/about/land-use.pdf"),
    "linkage": el("gmd:linkage/gmd:URL", f"{HOST}/files/land-use-2025.gpkg"),
    "scope_level": code("gmd:level", "MD_ScopeCode", "dataset"),
    "scope_description": "",
    "specification_title": text("gmd:title", REGULATION),
    "lineage": el("gmd:lineage/gmd:LI_Lineage", "{statement}"),
    "statement": text("gmd:statement", "Drawn from air photographs at 1:5 000, then checked."),
}

_SERVICE = _COMMON | {
    "type": code("gmd:hierarchyLevel", "MD_ScopeCode", "service"),
    "level_name": text("gmd:hierarchyLevelName", "service"),
    "resource": el(
        "srv:SV_ServiceIdentification",
        "\n{citation}\n{abstract}\n{point_of_contact}\n{maintenance}\n{keywords}\n{constraints}"
        "\n{service_type}\n{extent}\n{coupling}\n{operations}\n{operates_on}\n",
    ),
    "title": text("gmd:title", "Borchester land use map service"),
    "keywords": keywords("{keyword}", text("gmd:title", f"{CATEGORIES}metadata"), "2008-12-03"),
    "keyword": text(
        "gmd:keyword",
        "infoMapAccessService",
        f"{INSPIRE}/metadata-codelist/SpatialDataServiceCategory/infoMapAccessService",
    ),
    "service_type": el("srv:serviceType/gco:LocalName", "view"),
    "extent": el("srv:extent", "{in_extent}"),
    "vertical": "",
    "coupling": code("srv:couplingType", "SV_CouplingType", "tight").replace("gmd:SV_", "srv:SV_"),
    "operations": el(
        "srv:containsOperations/srv:SV_OperationMetadata",
        text("srv:operationName", "GetCapabilities"),
        code("srv:DCP", "DCPList", "WebServices").replace("gmd:DCP", "srv:DCP"),
        el("srv:connectPoint/gmd:CI_OnlineResource/gmd:linkage/gmd:URL", f"{HOST}/wms?"),
    ),
    "operates_on": el("srv:operatesOn", xlink__href=f"{HOST}/records/{GUID}.xml"),
    "linkage": el(
        "gmd:linkage/gmd:URL",
        f"{HOST}/wms?SERVICE=WMS&amp;REQUEST=GetCapabilities&amp;VERSION=1.3.0",
    ),
    "scope_level": code("gmd:level", "MD_ScopeCode", "service"),
    "scope_description": text("gmd:levelDescription/gmd:MD_ScopeDescription/gmd:other", "service"),
    "specification_title": text("gmd:title", NETWORK_REGULATION),
    "lineage": "",
}

_RECORD = (
    "<{root} " + _NAMESPACES + ">\n{file_id}\n{language}\n{type}\n{level_name}\n{contact}\n"
    "{date_stamp}\n{standard}\n{reference_system}\n{identification}\n{distribution}\n{quality}\n"
    "{extra}</{root}>"
)


def dataset(**parts: str) -> str:
    """Return a record of a dataset, with these parts replaced."""
    return _filled(_DATASET, parts)


def service(**parts: str) -> str:
    """Return a record of a view service, with these parts replaced."""
    return _filled(_SERVICE, parts)


def swapped(document: str, old: str, new: str) -> str:
    """Replace a text in a document, which must contain it."""
    assert old in document, f"{old!r} is not in the document"
    return document.replace(old, new)


def _filled(own: dict[str, str], parts: dict[str, str]) -> str:
    if unknown := parts.keys() - own.keys():
        raise TypeError(f"no such part: {', '.join(sorted(unknown))}")

    def fill(template: str, inside: str = "") -> str:
        def part(match: re.Match[str]) -> str:
            name = match[1]
            replaced = name in parts and name != inside
            return fill(parts[name], name) if replaced else fill(own[name])

        return re.sub(r"\{([a-z_]+)\}", part, template)

    return fill(_RECORD)
