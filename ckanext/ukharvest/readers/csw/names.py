"""Names in CSW 2.0.2 (OGC 07-006r1): namespaces, and the queryables of each type of record.

Queryables are those of OGC 07-045, the ISO application profile, which writes them with a capital:
pycsw 2.6 refuses apiso:identifier and takes apiso:Identifier.
"""

from __future__ import annotations

from dataclasses import dataclass

CSW = "http://www.opengis.net/cat/csw/2.0.2"
GMD = "http://www.isotc211.org/2005/gmd"
MDB = "http://standards.iso.org/iso/19115/-3/mdb/2.0"
OGC = "http://www.opengis.net/ogc"
# The option schema → outputSchema, in the order in which they are asked for without gmd.
SCHEMAS = {
    "gmd": GMD,
    "iso19115-3": MDB,
    "geodcat-ap": "http://data.europa.eu/930/",
    "dcat": "http://www.w3.org/ns/dcat#",
}
PREFIXES = {
    "csw": CSW,
    "ogc": OGC,
    "gmd": GMD,
    "apiso": "http://www.opengis.net/cat/csw/apiso/1.0",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dct": "http://purl.org/dc/terms/",
}


@dataclass(frozen=True, slots=True)
class Model:
    """A type of record to request, with the names of its queryable properties."""

    type_name: str
    identifier: str
    kind: str
    modified: str


ISO = Model("gmd:MD_Metadata", "apiso:Identifier", "apiso:Type", "apiso:Modified")
DUBLIN_CORE = Model("csw:Record", "dc:identifier", "dc:type", "dct:modified")
ISO_3 = Model("mdb:MD_Metadata", "apiso:Identifier", "apiso:Type", "apiso:Modified")
