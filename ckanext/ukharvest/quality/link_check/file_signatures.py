"""Formats by signatures at fixed offsets, and by libmagic.

CKAN installs libmagic's Python binding (python-magic). Without it, or without its library, names
decide about the formats that only it knows.
"""

from __future__ import annotations

from ckanext.ukharvest.core.values import formats

try:
    import magic
except ImportError:  # also when the C library is missing
    magic = None  # type: ignore[assignment,unused-ignore]

# Offset, signature, format: formats unknown to libmagic (5.44), and formats that must be recognised
# without it.
_MARKS = (
    (0, b"%PDF-", "PDF"),
    (0, b"PK\x03\x04", "ZIP"),
    (0, b"PK\x05\x06", "ZIP"),
    (0, b"\x1f\x8b\x08", "GZ"),
    (0, b"PAR1", "Parquet"),
    (0, b"ARROW1\0\0", "Arrow"),
    (0, b"fgb\x03fgb", "FlatGeobuf"),
    (0, b"\x89HDF\r\n\x1a\n", "HDF"),
    (0, b"CDF\x01", "NetCDF"),
    (0, b"CDF\x02", "NetCDF"),
    (0, b"CDF\x05", "NetCDF"),
    (0, b"GRIB", "GRIB"),
    (0, b"II*\0", "TIFF"),
    (0, b"MM\0*", "TIFF"),
    (0, b"II+\0", "TIFF"),
    (0, b"MM\0+", "TIFF"),
    (0, b"\x89PNG\r\n\x1a\n", "PNG"),
    (0, b"\xff\xd8\xff", "JPEG"),
    (0, b"GIF8", "GIF"),
    (0, b"\0\0\0\x0cjP  ", "JP2"),
    (0, b"\0\0\x27\x0a\0\0\0\0", "SHP"),
    (0, b"{\\rtf", "RTF"),
    (0, b"$FL2@(#)", "SAV"),
    (0, b"<stata_dta>", "DTA"),
    (0, b"RDX3\n", "RData"),
    (4, b"Standard Jet DB", "MDB"),
    (4, b"Standard ACE DB", "ACCDB"),
)
_SQLITE = b"SQLite format 3\0"
# The header's application id (GeoPackage 1.3, requirement 2; MBTiles 1.3).
_SQLITE_IDS = {b"GPKG": "GPKG", b"GP10": "GPKG", b"GP11": "GPKG", b"MPBX": "MBTiles"}
# Names of streams in an OLE file's directory, in UTF-16 ([MS-CFB] 2.6.1).
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS = (("Workbook", "XLS"), ("WordDocument", "DOC"), ("PowerPoint Document", "PPT"))

# A shapefile is mostly a zip file of several, R's data are mostly packed, and HDF can be NetCDF.
_ELSEWHERE = frozenset(("SHP", "RData", "HDF"))
LABELS = frozenset([label for *_, label in _MARKS] + [*_SQLITE_IDS.values()]) - _ELSEWHERE


def label_of(head: bytes) -> str:
    """Return the format of a signature, "" if none matches."""
    if head.startswith(_SQLITE):
        return _SQLITE_IDS.get(head[68:72], "SQLite")
    if head.startswith(b"LASF"):
        # LAZ marks its point format with the highest bits (LASzip).
        return "LAZ" if len(head) > 104 and head[104] & 0xC0 else "LAS"
    if head.startswith(_OLE):
        streams = (label for name, label in _OLE_STREAMS if name.encode("utf-16-le") in head)
        return next(streams, "")
    for offset, mark, label in _MARKS:
        if head.startswith(mark, offset):
            # NetCDF 4 writes this attribute into every file since 2015.
            return "NetCDF" if label == "HDF" and b"_NCProperties" in head else label
    return ""


def by_libmagic(head: bytes) -> str:
    """Return libmagic's format of bytes that are not text, "" if unknown."""
    if magic is None or not head:
        return ""
    try:
        return formats.label(magic.from_buffer(head, mime=True))
    except magic.MagicException:
        return ""
