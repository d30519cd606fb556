"""Three records as publishers send them, with common defects of editors and exports."""

from __future__ import annotations

from tests.iso_spelling import code, el, nil, text
from tests.parsers.gemini.rules.documents import HOST, dataset, service, swapped

_EMPTY = text("gmd:individualName", "") + text("gmd:positionName", "")
_PARTY = (
    _EMPTY
    + text("gmd:organisationName", "Borchester Borough Council")
    + el(
        "gmd:contactInfo/gmd:CI_Contact/gmd:address/gmd:CI_Address",
        text("gmd:deliveryPoint", ""),
        text("gmd:electronicMailAddress", "maps@borchester.example"),
    )
)


def _party(name: str, role: str) -> str:
    return el(name, el("gmd:CI_ResponsibleParty", _PARTY, code("gmd:role", "CI_RoleCode", role)))


def unfinished() -> str:
    """Return a dataset from an editor's template for 2.3 that was not filled in completely.

    No lineage, no limitation on access, the licence as free text, no conformity, an abstract in one
    line, empty fields, a format without version.
    """
    return dataset(
        standard="",
        contact=_party("gmd:contact", "pointOfContact"),
        point_of_contact=_party("gmd:pointOfContact", "owner"),
        abstract=text("gmd:abstract", "Parks and gardens in Borchester."),
        access="",
        use_text=text("gmd:otherConstraints", "Contact the council before use"),
        alternate=text("gmd:alternateTitle", ""),
        format_version=text("gmd:version", "Unknown"),
        report="",
        lineage="",
    )


def old() -> str:
    """Return a dataset written for GEMINI 2.1 and later exported from a desktop program.

    The licence in useLimitation, copyright as the code of access, times in GML 3.1, languages as
    text, empty elements, a date of no type, no format.
    """
    limitation = text("gmd:useLimitation", "Crown copyright")
    restricted = code("gmd:accessConstraints", "MD_RestrictionCode", "copyright")
    record = dataset(
        standard=text("gmd:metadataStandardName", "ISO 19115"),
        file_id=text("gmd:fileIdentifier", "{2C0F9D6E-1B1F-4A57-93E8-6FB3E6D7C8A1}"),
        language=text("gmd:language", "English"),
        resource_language=text("gmd:language", "English"),
        contact=_party("gmd:contact", "pointOfContact"),
        abstract=text("gmd:abstract", "Parks"),
        constraints=el("gmd:resourceConstraints/gmd:MD_LegalConstraints", limitation, restricted),
        identifier="<gmd:identifier/>",
        maintenance=el("gmd:resourceMaintenance"),
        format="",
        report="",
        statement=text("gmd:statement", ""),
    )
    return swapped(record, "http://www.opengis.net/gml/3.2", "http://www.opengis.net/gml")


def wrong_words() -> str:
    """Return a view service with its software's terms instead of the standard's."""
    return service(
        level_name=text("gmd:hierarchyLevelName", "Service"),
        service_type=el("srv:serviceType/gco:LocalName", "OGC:WMS"),
        keywords=text("gmd:descriptiveKeywords/gmd:MD_Keywords/gmd:keyword", "parks"),
        access_text=text("gmd:otherConstraints", "none"),
        operates_on=el("srv:operatesOn", uuidref=""),
        linkage=el("gmd:linkage/gmd:URL", HOST.removeprefix("https://") + "/wms"),
        scope_description="",
        specification_title=text("gmd:title", "INSPIRE Network Services Regulation"),
        **{"pass": nil("gmd:pass", "unknown")},
        format="",
    )
