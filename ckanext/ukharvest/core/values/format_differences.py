"""Tell a format found at a link that contradicts the one in the metadata."""

from __future__ import annotations

from ckanext.ukharvest.core.values import formats

# Formats that say little: a CSV in a zip file is both, and every GML is XML.
GENERAL = formats.ARCHIVES | {"XML", "JSON", "TXT", "BIN", "OWL", "API"}
# One thing under several names.
_SAME = (
    frozenset(("Esri REST", "ArcGIS Map Service", "ArcGIS Map Preview")),
    frozenset(("OGC API", "OGC API Features")),
    frozenset(("HDF", "NetCDF")),
    frozenset(("RDF", "OWL", "SKOS")),
)


def differ(declared: str, found: str) -> bool:
    """Tell whether two formats exclude each other; unknown and general ones never do.

    Args:
        declared: as the metadata spell it.
        found: CKAN's label, "" if unknown.
    """
    label = formats.label(declared)
    if not label or not found or label == found or {label, found} & GENERAL:
        return False
    return not any({label, found} <= same for same in _SAME)
