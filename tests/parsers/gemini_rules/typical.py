"""Three records as publishers send them: what editors, templates and old exports leave undone."""

from __future__ import annotations

from tests.iso_spelling import code, el, nil, text
from tests.parsers.gemini_rules.documents import HOST, dataset, service, swapped

_EMPTY = text("gmd:individualName", "") + text("gmd:positionName", "")
_PARTY = (
    _EMPTY
    + text("gmd:organisationName", "Borchester Borough Council")
    + el(
        "gmd:contactInfo",
        el(
            "gmd:CI_Contact",
            el(
                "gmd:address",
                el(
                    "gmd:CI_Address",
                    text("gmd:deliveryPoint", ""),
                    text("gmd:electronicMailAddress", "maps@borchester.example"),
                ),
            ),
        ),
    )
)


def _party(name: str, role: str) -> str:
    return el(name, el("gmd:CI_ResponsibleParty", _PARTY, code("gmd:role", "CI_RoleCode", role)))


def unfinished() -> str:
    """A dataset from an editor's template for 2.3 that nobody filled to its end.

    No lineage, no limitation on access, the licence in a text of its own words, no conformity, an
    abstract in one line, fields that were left empty, a format without version.
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
    """A dataset that was written for GEMINI 2.1 and exported from a desktop program since.

    The licence in useLimitation, copyright as the code of access, times in GML 3.1, languages as
    words, empty elements, a date of no type, no format.
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
        constraints=el(
            "gmd:resourceConstraints",
            el("gmd:MD_LegalConstraints", limitation, restricted),
        ),
        identifier="<gmd:identifier/>",
        maintenance=el("gmd:resourceMaintenance"),
        format="",
        report="",
        statement=text("gmd:statement", ""),
    )
    return swapped(record, "http://www.opengis.net/gml/3.2", "http://www.opengis.net/gml")


def wrong_words() -> str:
    """A view service whose words are those of its software and of people, not of the standard."""
    return service(
        level_name=text("gmd:hierarchyLevelName", "Service"),
        service_type=el("srv:serviceType", el("gco:LocalName", "OGC:WMS")),
        keywords=el("gmd:descriptiveKeywords", el("gmd:MD_Keywords", text("gmd:keyword", "parks"))),
        access_text=text("gmd:otherConstraints", "none"),
        operates_on=el("srv:operatesOn", uuidref=""),
        linkage=el("gmd:linkage", el("gmd:URL", HOST.removeprefix("https://") + "/wms")),
        scope_description="",
        specification_title=text("gmd:title", "INSPIRE Network Services Regulation"),
        **{"pass": nil("gmd:pass", "unknown")},
        format="",
    )
