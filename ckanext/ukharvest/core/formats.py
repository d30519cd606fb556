"""What format a file has, as CKAN labels it, from what a publisher wrote or from its address."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote, urlsplit

from ckanext.ukharvest.core.format_table import formats


def _squash(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()


_BY_EXTENSION: dict[str, str] = {}
_BY_MEDIA_TYPE: dict[str, str] = {}
_BY_NAME: dict[str, str] = {}
for _format in formats():
    _BY_EXTENSION.update(dict.fromkeys(_format.extensions, _format.label))
    _BY_MEDIA_TYPE.update(dict.fromkeys(_format.media_types, _format.label))
    _BY_NAME.update((_squash(n), _format.label) for n in (*_format.names, _format.label))
# An extension is a name too, unless another format's name is the same word: "tab" is the
# extension of a text file, "TAB" a format of MapInfo.
_BY_NAME = {_squash(extension): label for extension, label in _BY_EXTENSION.items()} | _BY_NAME

# Longer is prose, or an attempt to keep the patterns below busy.
_LONGEST = 200

# Archives say little: what lies in them is the format that people look for.
_ARCHIVES = frozenset(("ZIP", "GZ", "BZ2", "XZ", "7Z", "TAR", "RAR"))

# RFC 6839: what a media type's suffix says of types that are not in the table.
_SUFFIXES = {"json": "JSON", "xml": "XML", "zip": "ZIP", "gzip": "GZ", "yaml": "YAML"}

_MEDIA_TYPE = re.compile(r"[a-z]+[a-z0-9-]*/[a-z0-9][a-z0-9.+_-]*", re.IGNORECASE)
_TYPES = "application|audio|chemical|image|multipart|text|video"
_TYPE_IN_URI = re.compile(rf"/((?:{_TYPES})/[a-z0-9][a-z0-9.+_-]*)/?$", re.IGNORECASE)

# Words around a name that say nothing about the format: "OGC:WMS 1.3.0", "CSV file", "zipped".
_NOISE = re.compile(
    r"^(?:ogc|esri|urn:ogc:servicetype|format|file ?type)[\s:_-]+"
    r"|[\s:_-]+v?\d+(?:\.\d+)+(?:[\s_-]?http[\w-]*)?$"
    r"|[\s:_-]+(?:http-get[\w-]*|get[\s_-]?(?:map|capabilities|feature))$"
    r"|\s+(?:files?|format|documents?|downloads?|data|spreadsheets?|endpoint|services?|api)$",
    re.IGNORECASE,
)


def label(value: str) -> str:
    """Return CKAN's label of a format, "" when it is not known.

    Read are media types (parameters ignored, RFC 6838), extensions with or without a dot, free
    names, and the URIs of IANA's registry, the EU file-type table and purl.org. Of "CSV (zip)"
    and "zipped shapefile" it is what lies in the archive. ``application/octet-stream`` is unknown:
    servers say it when they do not know themselves.
    """
    text = value.strip().strip("\"'").strip()
    if len(text) > _LONGEST:
        return ""
    if "://" in text:
        return _of_uri(text)
    if _MEDIA_TYPE.fullmatch(text.partition(";")[0].strip()):
        found = _of_media_type(text)
        if found or text.split("/")[0].lower() in _TYPES.split("|"):
            return found
    return _of_name(text.lstrip(".*")) or _of_compound(text)


def of_url(url: str) -> str:
    """Return the label that a URL gives away: a service's parameters or path, or an extension.

    A file in an archive ("data.csv.zip") is what lies in it. Anything else gives "".
    """
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return ""
    query = {key.lower(): value for key, value in parse_qsl(parts.query)}
    path = unquote(parts.path)
    return _of_query(query) or _of_service(query, path) or _of_path(path)


def _of_uri(uri: str) -> str:
    if match := _TYPE_IN_URI.search(uri):
        return _of_media_type(match[1])
    last = unquote(re.split(r"[/#]", uri.rstrip("/#"))[-1])
    return _of_name(last)


def _of_media_type(value: str) -> str:
    name, _, parameters = value.lower().partition(";")
    name = name.strip()
    if name in ("text/xml", "application/xml") and "gml" in parameters:
        return "GML"
    suffix = name.rpartition("+")[2] if "+" in name else ""
    return _BY_MEDIA_TYPE.get(name) or _SUFFIXES.get(suffix, "")


def _of_name(text: str) -> str:
    """Look a name up, then again without the words around it."""
    while text:
        if found := _BY_NAME.get(_squash(text)):
            return found
        shorter = _NOISE.sub("", text, count=1).strip()
        if shorter == text:
            return ""
        text = shorter
    return ""


def _of_compound(text: str) -> str:
    """Read a name of several parts ("CSV (zip)", "xls, xlsx"): the first that is no archive.

    Every part has to be known, or else the text is prose in which a format's name may be a word.
    """
    text = re.sub(r"^(zip)(?:ped)?\s+", r"\1, ", text, flags=re.IGNORECASE)
    parts = [part for part in re.split(r"[\s]*[(),;/+&|][\s]*|\s+in\s+|\.", text) if part]
    labels = [_of_media_type(part) or _of_name(part) for part in parts]
    if len(labels) < 2 or not all(labels):
        return ""
    return next((name for name in labels if name not in _ARCHIVES), labels[0])


_OUTPUT = ("format", "outputformat", "exportformat", "f", "_format", "fmt", "filetype")
_OGC = frozenset(("WMS", "WFS", "WCS", "WMTS", "WPS", "CSW", "SOS"))
_ARCGIS = re.compile(r"/(?:Feature|Map|Image|Scene|VectorTile)Server(?:/|$)", re.IGNORECASE)
_OGC_ON_ARCGIS = re.compile(r"/(W[MFC]S|WMTS)(?:Server)?/?$", re.IGNORECASE)


def _of_query(query: dict[str, str]) -> str:
    """Return the format that a query asks for; a map image's format is not the service's."""
    service = query.get("service", "").upper()
    request = query.get("request", "").lower()
    if service in ("WMS", "WMTS", "CSW") or request in ("getmap", "getcapabilities"):
        return ""
    for key in _OUTPUT:
        wanted = query.get(key, "")
        found = label(wanted) if wanted else ""
        # f=json and f=html are ArcGIS's ways to show a layer's description.
        if found and not (key == "f" and found in ("JSON", "HTML")):
            return found
    return ""


def _of_service(query: dict[str, str], path: str) -> str:
    service = query.get("service", "").upper()
    if service in _OGC:
        return service
    if match := _OGC_ON_ARCGIS.search(path):
        return match[1].upper()
    if query.get("request", "").lower() == "getmap":
        return "WMS"
    if _ARCGIS.search(path):
        return "Esri REST"
    last = path.rstrip("/").rpartition("/")[2].upper()
    return last if last in _OGC or last == "SPARQL" else ""


def _of_path(path: str) -> str:
    """Return what the last extension says, or the one before an archive's."""
    name = path.rstrip("/").rpartition("/")[2].lower()
    stem, dot, extension = name.rpartition(".")
    if not dot:
        return ""
    outer = _BY_EXTENSION.get(extension, "")
    if outer in _ARCHIVES and "." in stem:
        return _BY_EXTENSION.get(stem.rpartition(".")[2], "") or outer
    return outer
