"""The UK GEMINI 2.3 records of a fictional partnership of coastal councils."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from xml.sax.saxutils import escape

SPACE = uuid.UUID("0c4a5f0e-6f0b-4c55-8f7d-5f2a8be3d917")
LICENCE = "https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
NO_LIMITS = "http://inspire.ec.europa.eu/metadata-codelist/LimitationsOnPublicAccess/noLimitations"
_NAMESPACES = {
    **{each: f"http://www.isotc211.org/2005/{each}" for each in ("gmd", "gco", "gmx", "srv")},
    "xlink": "http://www.w3.org/1999/xlink",
}

# Stretch of coast → west, south, east, north.
COASTS = {
    "Anvil Point": (-3.02, 54.10, -2.94, 54.16),
    "Brackwater": (-2.94, 54.10, -2.86, 54.16),
    "Cockle Sands": (-2.86, 54.10, -2.78, 54.16),
    "Dunlin Marsh": (-3.02, 54.16, -2.94, 54.22),
    "Eelpool": (-2.94, 54.16, -2.86, 54.22),
    "Fairhaven Spit": (-2.86, 54.16, -2.78, 54.22),
    "Gannet Head": (-3.02, 54.22, -2.94, 54.28),
    "Hulk Bay": (-2.94, 54.22, -2.86, 54.28),
    "Inner Narrows": (-2.86, 54.22, -2.78, 54.28),
    "Jetty Reach": (-3.02, 54.28, -2.94, 54.34),
    "Kelp Ledges": (-2.94, 54.28, -2.86, 54.34),
    "Lowwater": (-2.86, 54.28, -2.78, 54.34),
}

# Subject, content, topic category, keyword, kind.
SUBJECTS = (
    ("Beach levels", "heights of the beach, surveyed twice a year", "elevation", "beach"),
    ("Sea defences", "walls, groynes and banks with their condition", "structure", "sea wall"),
    ("Saltmarsh extent", "edges of the saltmarsh from aerial photographs", "environment", "marsh"),
    ("Shellfish beds", "mussel and cockle beds by density", "biota", "shellfish"),
    ("Bathing waters", "sampling points and their latest class", "health", "bathing"),
    ("Moorings", "moorings and berths with their depth", "transportation", "mooring"),
    ("Wrecks", "wrecks and obstructions on the sea bed", "oceans", "wreck"),
    ("Coastal footpaths", "paths along the shore and their surface", "transportation", "footpath"),
    ("Tide gauges", "gauges with their levels", "oceans", "tide"),
    ("Bird roosts", "high-water roosts with counts by month", "biota", "birds"),
)


@dataclass
class Entry:
    """One record as its publisher wrote it."""

    guid: str
    number: int
    subject: str
    coast: str
    holds: str
    topic: str
    keyword: str
    title: str

    @property
    def day(self) -> str:
        return f"2026-0{self.number % 9 + 1}-{self.number % 28 + 1:02}"


def entries() -> list[Entry]:
    """Return all 120 records by their identifiers, as the catalogue sorts them."""
    found: list[Entry] = []
    for subject, holds, topic, keyword in SUBJECTS:
        for coast in COASTS:
            title = f"{subject}, {coast}"
            guid = str(uuid.uuid5(SPACE, title))
            entry = Entry(guid, len(found), subject, coast, holds, topic, keyword, title)
            found.append(entry)
    return sorted(found, key=lambda each: each.guid)


def record(entry: Entry, base: str) -> str:
    """Return the record as gmd:MD_Metadata."""
    spaces = " ".join(f'xmlns:{name}="{address}"' for name, address in _NAMESPACES.items())
    return f"""<gmd:MD_Metadata {spaces}>
<gmd:fileIdentifier>{_text(entry.guid)}</gmd:fileIdentifier>
<gmd:language>{_code("LanguageCode", "eng")}</gmd:language>
<gmd:hierarchyLevel>{_code("MD_ScopeCode", "dataset")}</gmd:hierarchyLevel>
<gmd:contact>{_party("pointOfContact")}</gmd:contact>
<gmd:dateStamp><gco:Date>{entry.day}</gco:Date></gmd:dateStamp>
<gmd:metadataStandardName>{_text("UK GEMINI")}</gmd:metadataStandardName>
<gmd:metadataStandardVersion>{_text("2.3")}</gmd:metadataStandardVersion>
<gmd:identificationInfo><gmd:MD_DataIdentification>
{_citation(entry)}
<gmd:abstract>{_text(f"For {entry.coast}: {entry.holds}.")}</gmd:abstract>
<gmd:pointOfContact>{_party("owner")}</gmd:pointOfContact>
<gmd:resourceMaintenance><gmd:MD_MaintenanceInformation><gmd:maintenanceAndUpdateFrequency>
{_code("MD_MaintenanceFrequencyCode", "annually")}
</gmd:maintenanceAndUpdateFrequency></gmd:MD_MaintenanceInformation></gmd:resourceMaintenance>
<gmd:descriptiveKeywords><gmd:MD_Keywords>
<gmd:keyword>{_text(entry.keyword)}</gmd:keyword>
<gmd:keyword>{_text("coast")}</gmd:keyword>
</gmd:MD_Keywords></gmd:descriptiveKeywords>
{_constraints()}
<gmd:language>{_code("LanguageCode", "eng")}</gmd:language>
<gmd:topicCategory><gmd:MD_TopicCategoryCode>{entry.topic}</gmd:MD_TopicCategoryCode>
</gmd:topicCategory>
{_extent(entry.coast)}
</gmd:MD_DataIdentification></gmd:identificationInfo>
{_links(entry, base)}
</gmd:MD_Metadata>
"""


def _citation(entry: Entry) -> str:
    return f"""<gmd:citation><gmd:CI_Citation><gmd:title>{_text(entry.title)}</gmd:title>
<gmd:date><gmd:CI_Date><gmd:date><gco:Date>2019-03-01</gco:Date></gmd:date>
<gmd:dateType>{_code("CI_DateTypeCode", "creation")}</gmd:dateType></gmd:CI_Date></gmd:date>
<gmd:identifier><gmd:MD_Identifier><gmd:code>
{_anchor(f"https://saltings.example/id/{entry.number}", f"saltings-{entry.number}")}
</gmd:code></gmd:MD_Identifier></gmd:identifier></gmd:CI_Citation></gmd:citation>"""


def _constraints() -> str:
    return f"""<gmd:resourceConstraints><gmd:MD_LegalConstraints><gmd:accessConstraints>
{_code("MD_RestrictionCode", "otherRestrictions")}</gmd:accessConstraints><gmd:otherConstraints>
{_anchor(NO_LIMITS, "no limitations")}</gmd:otherConstraints>
</gmd:MD_LegalConstraints></gmd:resourceConstraints>
<gmd:resourceConstraints><gmd:MD_LegalConstraints><gmd:useConstraints>
{_code("MD_RestrictionCode", "otherRestrictions")}</gmd:useConstraints><gmd:otherConstraints>
{_anchor(LICENCE, "Open Government Licence v3.0")}</gmd:otherConstraints>
</gmd:MD_LegalConstraints></gmd:resourceConstraints>"""


def _extent(coast: str) -> str:
    names = ("westBoundLongitude", "southBoundLatitude", "eastBoundLongitude", "northBoundLatitude")
    sides = dict(zip(names, COASTS[coast], strict=True))
    order = (names[0], names[2], names[1], names[3])  # the schema's
    inside = "".join(
        f"<gmd:{name}><gco:Decimal>{sides[name]}</gco:Decimal></gmd:{name}>" for name in order
    )
    return (
        "<gmd:extent><gmd:EX_Extent><gmd:geographicElement><gmd:EX_GeographicBoundingBox>"
        f"{inside}</gmd:EX_GeographicBoundingBox></gmd:geographicElement></gmd:EX_Extent>"
        "</gmd:extent>"
    )


def _links(entry: Entry, base: str) -> str:
    name = f"{entry.subject}-{entry.coast}".lower().replace(" ", "-")
    addresses = {
        f"{entry.subject} (CSV)": f"{base}/download/{name}.csv",
        f"{entry.subject} - GeoJSON": f"{base}/download/{name}.geojson",
    }
    links = "".join(
        "<gmd:onLine><gmd:CI_OnlineResource>"
        f"<gmd:linkage><gmd:URL>{address}</gmd:URL></gmd:linkage><gmd:name>{_text(label)}</gmd:name>"
        f"<gmd:function>{_code('CI_OnLineFunctionCode', 'download')}</gmd:function>"
        "</gmd:CI_OnlineResource></gmd:onLine>"
        for label, address in addresses.items()
    )
    return (
        "<gmd:distributionInfo><gmd:MD_Distribution><gmd:transferOptions>"
        f"<gmd:MD_DigitalTransferOptions>{links}</gmd:MD_DigitalTransferOptions>"
        "</gmd:transferOptions></gmd:MD_Distribution></gmd:distributionInfo>"
    )


def _party(role: str) -> str:
    name = _text("Saltings Coast Partnership")
    address = _text("data@saltings.example")
    return (
        f"<gmd:CI_ResponsibleParty><gmd:organisationName>{name}</gmd:organisationName>"
        "<gmd:contactInfo><gmd:CI_Contact><gmd:address><gmd:CI_Address>"
        f"<gmd:electronicMailAddress>{address}</gmd:electronicMailAddress>"
        "</gmd:CI_Address></gmd:address></gmd:CI_Contact></gmd:contactInfo>"
        f"<gmd:role>{_code('CI_RoleCode', role)}</gmd:role></gmd:CI_ResponsibleParty>"
    )


def _text(value: str) -> str:
    return f"<gco:CharacterString>{escape(value)}</gco:CharacterString>"


def _anchor(address: str, value: str) -> str:
    return f'<gmx:Anchor xlink:href="{escape(address)}">{escape(value)}</gmx:Anchor>'


def _code(name: str, value: str) -> str:
    lists = "http://standards.iso.org/iso/19139/resources/gmxCodelists.xml"
    return f'<gmd:{name} codeList="{lists}#{name}" codeListValue="{value}">{value}</gmd:{name}>'
