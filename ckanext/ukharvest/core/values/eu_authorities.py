"""URIs of the EU's authority tables for our stored values.

DCAT-AP asks for them, https://op.europa.eu/en/web/eu-vocabularies. A value that a table does not
have gives "". Each URI is read again as the value that it stands for.
"""

from __future__ import annotations

from collections.abc import Mapping

from ckanext.ukharvest.core.values import formats, languages, theme_names
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import Vocabulary

_TABLES = "http://publications.europa.eu/resource/authority"

_FREQUENCIES = {
    "R/PT1S": "UPDATE_CONT",
    "R/PT1M": "1MIN",
    "R/PT5M": "5MIN",
    "R/PT10M": "10MIN",
    "R/PT15M": "15MIN",
    "R/PT30M": "30MIN",
    "R/PT1H": "HOURLY",
    "R/PT2H": "BIHOURLY",
    "R/PT3H": "TRIHOURLY",
    "R/PT12H": "DAILY_2",
    "R/P1D": "DAILY",
    "R/P3.5D": "WEEKLY_2",
    "R/P0.33W": "WEEKLY_3",
    "R/P0.2W": "WEEKLY_5",
    "R/P1W": "WEEKLY",
    "R/P2W": "BIWEEKLY",
    "R/P0.33M": "MONTHLY_3",
    "R/P0.5M": "MONTHLY_2",
    "R/P1M": "MONTHLY",
    "R/P2M": "BIMONTHLY",
    "R/P3M": "QUARTERLY",
    "R/P4M": "ANNUAL_3",
    "R/P6M": "ANNUAL_2",
    "R/P1Y": "ANNUAL",
    "R/P2Y": "BIENNIAL",
    "R/P3Y": "TRIENNIAL",
    "R/P4Y": "QUADRENNIAL",
    "R/P5Y": "QUINQUENNIAL",
    "R/P10Y": "DECENNIAL",
    "R/P20Y": "BIDECENNIAL",
    "R/P30Y": "TRIDECENNIAL",
    "irregular": "IRREG",
    "never": "NEVER",
}
# Label of a format → code of the table of file types.
_FILE_TYPES = {
    **{name: name for name in ("CSV", "TSV", "XLS", "XLSX", "XLSM", "ODS", "JSON", "XML", "SHP")},
    **{name: name for name in ("GPKG", "GML", "KML", "KMZ", "TIFF", "ECW", "GIF", "PNG", "JPEG")},
    **{name: name for name in ("HTML", "PDF", "DOC", "DOCX", "ODT", "RTF", "TXT", "PPT", "PPTX")},
    **{name: name for name in ("ODP", "EPUB", "MDB", "RSS", "ICS", "ZIP", "TAR", "RAR", "GDB")},
    "GeoJSON": "GEOJSON",
    "JSON-LD": "JSON_LD",
    "RDF": "RDF",
    "TTL": "RDF_TURTLE",
    "NT": "RDF_N_TRIPLES",
    "TriG": "RDF_TRIG",
    "GZ": "GZIP",
    "NetCDF": "NETCDF",
    "Atom Feed": "ATOM",
    "WMS": "WMS_SRVC",
    "WFS": "WFS_SRVC",
    "WCS": "WCS_SRVC",
    "WMTS": "WMTS_SRVC",
}


def frequency_uri(value: str) -> str:
    """Return the URI of an update frequency as ``parse_frequency`` returns it."""
    return _uri("frequency", _FREQUENCIES.get(value, ""))


def language_uri(tag: str) -> str:
    """Return the URI of a language by its tag, RFC 5646; the table has no regions and scripts."""
    return _uri("language", languages.three_letters(tag).upper())


def file_type_uri(label: str) -> str:
    """Return the URI of a format by CKAN's label."""
    uri = _uri("file-type", _FILE_TYPES.get(label, ""))
    # A portal's own list of formats may have another name for it.
    return uri if formats.label(uri) == label else ""


def theme_uri(name: str) -> str:
    """Return the URI of the data theme nearest to a theme of UK portals, by its stored name."""
    return _themes().get(name, "")


def _uri(table: str, code: str) -> str:
    return f"{_TABLES}/{table}/{code}" if code else ""


@vocabulary.derived("eu_themes")
def _themes(read: Vocabulary) -> Mapping[str, str]:
    """Return the URI by theme: that of the same label, else the first that belongs to the theme."""
    uris: dict[str, str] = {}
    for row in sorted(read.rows, key=lambda row: row["label"] != row["theme"]):
        uris.setdefault(theme_names.of_uk(row["theme"]), row["uri"])
    return uris
