"""File formats under CKAN's labels, from a publisher's text, a URL or a file's name.

The table is the list ``file_types``. Labels are those of CKAN 2.12's
``config/resource_formats.json`` where that has the format, else the file extension or the project's
own spelling. Names are compared without case, spaces and punctuation. Unlike in CKAN's list,
``video/mpeg`` is not MP3, and ``application/octet-stream`` is not a format.

In a file's name, the rule of data.gov.uk's guide for location data ("a carefully formed name") is
followed in full: a known format in brackets or behind a dash at the end (``Rivers (CSV)``,
``Rivers - WFS``), or before a colon at the start (``WMS: rivers``), or a name that is only a
format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from ckanext.ukharvest.core.values.text import clean_text, fold_name, shorten
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import Vocabulary, parts


class Format(NamedTuple):
    """One format: its label, and extensions, media types and names in lower case.

    ``stars`` is the openness (https://5stardata.info/en/) of data in this format under an open
    licence, 0 to 4; None where the format does not decide it ("API").
    """

    label: str
    extensions: tuple[str, ...]
    media_types: tuple[str, ...]
    names: tuple[str, ...]
    stars: int | None = None


@vocabulary.derived("file_types")
def all_formats(read: Vocabulary) -> tuple[Format, ...]:
    """Return the formats, in the list's order."""
    return tuple(
        Format(
            row["label"],
            parts(row["extensions"]),
            parts(row["media_types"]),
            parts(row["names"]),
            int(row["stars"]) if row["stars"] else None,
        )
        for row in read.rows
    )


class _Labels(NamedTuple):
    """Labels by extension, by media type and by squashed name."""

    by_extension: dict[str, str]
    by_media_type: dict[str, str]
    by_name: dict[str, str]


@vocabulary.derived("file_types")
def _known(_read: Vocabulary) -> _Labels:
    known = _Labels({}, {}, {})
    for entry in all_formats():
        known.by_extension.update(dict.fromkeys(entry.extensions, entry.label))
        known.by_media_type.update(dict.fromkeys(entry.media_types, entry.label))
        known.by_name.update((fold_name(n), entry.label) for n in (*entry.names, entry.label))
    # An extension is a name too, unless another format has that name: "tab" is the extension of a
    # text file, "TAB" a format of MapInfo.
    for extension, name in known.by_extension.items():
        known.by_name.setdefault(fold_name(extension), name)
    return known


_OGC_FEATURES = "OGC API Features"

# Longer texts are prose, or an attempt to slow the patterns below.
_LONGEST = 200
_LONGEST_PATH = 2_000

# For archives, the format of the packed file is more useful.
ARCHIVES = frozenset(("ZIP", "GZ", "BZ2", "XZ", "7Z", "TAR", "RAR"))

# RFC 6839: suffixes of media types that are not in the table.
_SUFFIXES = {"json": "JSON", "xml": "XML", "zip": "ZIP", "gzip": "GZ", "yaml": "YAML"}

_MEDIA_TYPE = re.compile(r"[a-z]+[a-z0-9-]*/[a-z0-9][a-z0-9.+_-]*", re.IGNORECASE)
_WITH_PARAMETERS = re.compile(r"[\w.+-]+/[\w.+-]+(?:\s*;.*)?", re.ASCII)
# IANA's registry, and its copy at purl.org that DCAT's first drafts used.
_REGISTRY = re.compile(
    r"https?://(?:www\.iana\.org/assignments/media-types|purl\.org/NET/mediatypes)/", re.IGNORECASE
)
_TYPES = "application|audio|chemical|image|multipart|text|video"
_TYPE_IN_URI = re.compile(rf"/((?:{_TYPES})/[a-z0-9][a-z0-9.+_-]*)/?$", re.IGNORECASE)

# Words around a name that say nothing about the format: "OGC:WMS 1.3.0", "CSV file", "zipped".
_NOISE = re.compile(
    r"^(?:ogc|esri|urn:ogc:servicetype|format|file ?type)[\s:_-]+"
    r"|[\s:_-]+v?\d+(?:\.\d+)+(?:[\s_-]?http[\w-]*)?$"
    r"|[\s:_-]+(?:http-get[\w-]*|get[\s_-]?(?:map|capabilities|feature))$"
    r"|\s+(?:files?|format|documents?|downloads?|data|spreadsheets?|endpoint|services?|api)$"
    r"|\s+(?:zip|archive)$",
    re.IGNORECASE,
)


def label(value: str, *, unless: Collection[str] = ()) -> str:
    """Return CKAN's label of a format, "" when it is not known.

    Understands media types (parameters ignored, RFC 6838), extensions with or without a dot, free
    names, and the URIs of IANA's registry, the EU file-type table and purl.org. For "CSV (zip)" and
    "zipped shapefile" it returns the packed format. ``application/octet-stream`` is unknown:
    servers send it when they do not know themselves.

    Args:
        value: a publisher's text.
        unless: names, as lower-case letters and digits only, that are not formats here.
    """
    text = value.strip().strip("\"'").strip()
    return "" if len(text) > _LONGEST else _labels()(text, frozenset(unless))


@vocabulary.derived("file_types")
def _labels(_read: Vocabulary) -> Callable[[str, frozenset[str]], str]:
    """Return ``_label`` with its results kept: the resources of a source have few formats."""
    return lru_cache(maxsize=2000)(_label)


def _label(text: str, unless: Collection[str]) -> str:
    if "://" in text:
        return _of_uri(text)
    if _MEDIA_TYPE.fullmatch(text.partition(";")[0].strip()):
        known_label = _of_media_type(text)
        if known_label or text.split("/")[0].lower() in _TYPES.split("|"):
            return known_label
    return _of_name(text.lstrip(".*"), unless) or _of_compound(text, unless)


def without_registry(text: str) -> str:
    """Return a media type that is given by the URI of a registry; other texts unchanged."""
    return _REGISTRY.sub("", text)


def media_type(text: str) -> str:
    """Return a media type with its parameters, given as such or by its URI; "" for other texts."""
    bare = without_registry(text)
    return bare if _WITH_PARAMETERS.fullmatch(bare) else ""


def of_url(url: str) -> str:
    """Return the format that a URL shows: by a service's parameters or path, or by its extension.

    For a file in an archive ("data.csv.zip") it is the packed format. Any other URL gives "".
    """
    query, path = _parts(url)
    return (
        _of_request(query)
        # That of capabilities says nothing about the data.
        or ("" if query.get("request", "").lower() == "getcapabilities" else _asked_for(query))
        or _of_service(path)
        or _of_path(path)
        or next(filter(None, (_of_path(query.get(key, "")) for key in _FILES)), "")
    )


def of_request(url: str) -> str:
    """Return what a URL's query requests from an OGC service: the service, or a file format.

    A URL that names neither service nor request gives "", whatever its path.
    """
    return _of_request(_parts(url)[0])


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
    return _known().by_media_type.get(name) or _SUFFIXES.get(suffix, "")


def _of_name(text: str, unless: Collection[str] = ()) -> str:
    """Find the label of a name, then of the name without the words around it."""
    while text and (name := fold_name(text)) not in unless:
        if entry := _known().by_name.get(name):
            return entry
        shorter = _NOISE.sub("", text, count=1).strip()
        if shorter == text:
            break
        text = shorter
    return ""


def _of_compound(text: str, unless: Collection[str]) -> str:
    """Read a name of several parts ("CSV (zip)", "xls, xlsx"): the first that is not an archive.

    Every part must be known; otherwise the text is prose that happens to contain a format's name.
    """
    text = re.sub(r"^(zip)(?:ped)?\s+", r"\1, ", text, flags=re.IGNORECASE)
    parts = [part for part in re.split(r"[\s]*[(),;/+&|][\s]*|\s+in\s+|\.", text) if part]
    labels = [_of_media_type(part) or _of_name(part, unless) for part in parts]
    if len(labels) < 2 or not all(labels):
        return ""
    return next((name for name in labels if name not in ARCHIVES), labels[0])


_OUTPUT = ("format", "outputformat", "exportformat", "f", "_format", "fmt", "filetype")
_FILES = ("file", "filename", "fname")
_OGC = frozenset(("WMS", "WFS", "WCS", "WMTS", "WPS", "CSW", "SOS"))
# Requests of one service only.
_REQUESTS = {
    "getmap": "WMS",
    "getlegendgraphic": "WMS",
    "getfeature": "WFS",
    "getcoverage": "WCS",
    "gettile": "WMTS",
    "getrecordbyid": "CSW",
    "getobservation": "SOS",
}
# For these, the requested format is a file's; elsewhere it is a map image's or a description's.
_FILE_SERVICES = frozenset(("WFS", "WCS", "WPS", "SOS"))
_ON_PATH = (
    (re.compile(r"/generatekml(?:/|$)|/wms/kml$", re.IGNORECASE), "KML"),
    # ArcGIS serves OGC services below its own URLs.
    (re.compile(r"/(W[MFC]S|WMTS)(?:Server)?/?$", re.IGNORECASE), ""),
    # A script named after a service; the servlets of old ArcIMS, and WMTS with RESTful URLs.
    (
        re.compile(
            r"/(W[MFC]S|WMTS|CSW|SOS|WPS)\.(?:ashx|aspx?|dll|exe|f?cgi|jspx?|php|pl|py)$",
            re.IGNORECASE,
        ),
        "",
    ),
    (re.compile(r"com\.esri\.(W[MF]S)\.esrimap$", re.IGNORECASE), ""),
    (re.compile(r"/(WMTS)(?:/[\d.]+/|-?)capabilities\.xml$", re.IGNORECASE), ""),
    # THREDDS serves files too: only its other services are recognised by their folders.
    (re.compile(r"/thredds/(WMS|WCS)/", re.IGNORECASE), ""),
    # OPeNDAP serves a page about each dataset under the same name with .html.
    (re.compile(r"/dodsc/(?!.*\.html$)", re.IGNORECASE), "OPeNDAP"),
    (
        re.compile(r"/(?:Feature|Map|Image|Scene|VectorTile)Server(?:/|$)", re.IGNORECASE),
        "Esri REST",
    ),
    (re.compile(r"/arcgis/rest/services(?:/|$)", re.IGNORECASE), "Esri REST"),
    # "/collections" alone is as often a museum's page.
    (re.compile(r"/collections/[^/]+/items(?:/|$)|/ogcapi(?:/|$)", re.IGNORECASE), _OGC_FEATURES),
    (re.compile(r"/ogc/features(?:/|$)", re.IGNORECASE), _OGC_FEATURES),
    # INSPIRE's pre-defined downloads; a file in such a folder goes by its extension.
    (re.compile(r"/atom(?:/[^/]+)*\.xml$|/atom/?$", re.IGNORECASE), "Atom Feed"),
    (re.compile(r"/inspirepredefineddatasetdownload$", re.IGNORECASE), "Atom Feed"),
)


def _parts(url: str) -> tuple[dict[str, str], str]:
    """Return the query with lower-case names, and the path without parameters (;jsessionid=…)."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return {}, ""
    query = {key.lower(): value for key, value in parse_qsl(parts.query)}
    # Only the end matters, and it keeps the patterns fast.
    return query, re.sub(r";[^/]*", "", unquote(parts.path))[-_LONGEST_PATH:]


def _of_request(query: dict[str, str]) -> str:
    request = query.get("request", "").strip().lower()
    service = query.get("service", "").strip().upper()
    service = service if service in _OGC else _REQUESTS.get(request, "")
    # With a box, a GetMap is one image; without, it is a URL to which a box is added.
    image = request == "getlegendgraphic" or (request == "getmap" and "bbox" in query)
    if not image and (service not in _FILE_SERVICES or request == "getcapabilities"):
        return service
    requested = _asked_for(query)
    # OGC 04-094 does not define JSON: services that offer it send GeoJSON.
    return ("GeoJSON" if (service, requested) == ("WFS", "JSON") else requested) or service


def _asked_for(query: dict[str, str]) -> str:
    for key in _OUTPUT:
        wanted = query.get(key, "")
        requested = label(wanted) if wanted else ""
        # f=json and f=html ask ArcGIS for a layer's description.
        if requested and not (key == "f" and requested in ("JSON", "HTML")):
            return requested
    return ""


def _of_service(path: str) -> str:
    for pattern, name in _ON_PATH:
        if match := pattern.search(path):
            return name or match[1].upper()
    last = path.rstrip("/").rpartition("/")[2].upper()
    return last if last in _OGC or last == "SPARQL" else ""


def _of_path(path: str) -> str:
    """Return the format of the last extension, or of the one before an archive's."""
    name = path.rstrip("/").rpartition("/")[2].lower()
    stem, dot, extension = name.rpartition(".")
    if not dot:
        return ""
    outer = _known().by_extension.get(extension, "")
    if outer in ARCHIVES and "." in stem:
        return _known().by_extension.get(stem.rpartition(".")[2], "") or outer
    return outer


# A hyphen within a word is part of it ("GTFS-RT"): a dash has a space next to it, or is long.
_DASH = re.compile(r"\s-+\s*|-+\s|[–—]")
# Longer texts are not formats, and would slow the pattern above.
_LONGEST_NAME = 200

# Names and extensions of formats that usually mean something else in a file's name: words ("Rights
# of way - Access", "Owl: sightings") and initials of places (NC, MD, NT).
_EVERYDAY = frozenset(
    ("access", "bin", "binary", "binarydata", "mapservice", "md", "mop", "nc", "nq", "nt", "owl")
    + ("r", "rest", "shape", "sid", "text", "viewservice", "word")
)


def of_title(name: str) -> str:
    """Return CKAN's label of the format in a file's name, "" if it names none."""
    text = " ".join(name.split()).rstrip(" .")
    if "://" in text:
        return ""
    # Without a space after it, the colon is part of a layer's name: "gml:Province".
    before = text.partition(": ")[0] if ": " in text else ""
    for part in (text, before, *_ends(text[-_LONGEST_NAME:])):
        if known_label := label(part, unless=_EVERYDAY):
            return known_label
    return ""


def _ends(text: str) -> Iterator[str]:
    """Yield the text after each dash, the longest first, and the text in brackets at the end."""
    for dash in _DASH.finditer(text):
        yield text[dash.end() :]
    opening = {")": "(", "]": "["}.get(text[-1:], "")
    if opening:
        yield text[:-1].rpartition(opening)[2]


# Formats that say little: a CSV in a zip file is both, and every GML is XML.
GENERAL = ARCHIVES | {"XML", "JSON", "TXT", "BIN", "OWL", "API"}
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
    promised = label(declared)
    if not promised or not found or {promised, found} & GENERAL:
        return False
    return promised != found and not any({promised, found} <= same for same in _SAME)


_LONGEST_TITLE = 100


def name_of(url: str, label: str) -> str:
    """Return the last part of a URL's path, such as "rivers.csv", if it looks like a file's name.

    Otherwise a format's label and "resource" ("CSV resource"), or "" without a label.
    """
    try:
        path = unquote(urlsplit(url).path)
    except ValueError:
        path = ""
    name = clean_text(path.rstrip("/").rpartition("/")[2])
    stem, dot, ending = name.rpartition(".")
    if dot and stem and ending.isalnum() and len(ending) <= 8:
        return shorten(name, _LONGEST_TITLE)
    return f"{label} resource" if label else ""


# Types of schemas (``schema_type``): data.gov.uk's guide has csvlint (the dialect of the LGA's
# schemas) and xsd; the others are newer.
SCHEMA_TYPES = ("csvlint", "xsd", "tableschema", "csvw", "json-schema")

_SAME_TYPE = {
    "jsontableschema": "tableschema",
    "frictionless": "tableschema",
    "csvontheweb": "csvw",
    "xmlschema": "xsd",
    "xmlschemadefinition": "xsd",
}
_NO_TYPE = ("none", "null")  # data.gov.uk wrote Python's None
# Types that publishers were asked to write, by file format.
_OF_FORMATS = {"CSV": "csvlint", "XML": "xsd"}
_LGA = ".esd.org.uk"


def schema_type_name(text: str) -> str:
    """Return the usual name of a type, such as csvlint for "CSV Lint"; other text unchanged."""
    folded = re.sub(r"[\s_-]+", "", text.casefold())
    known = {kind.replace("-", ""): kind for kind in SCHEMA_TYPES} | _SAME_TYPE
    return "" if folded in _NO_TYPE else known.get(folded, text)


def guess_schema_type(url: str, label: str) -> str:
    """Return the type that a schema's URL suggests, "" if none.

    Args:
        label: CKAN's label of the format of the file that follows the schema.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host, path = f".{parts.hostname or ''}", parts.path.casefold()
    if path.endswith(".xsd"):
        return "xsd"
    if path.endswith("-metadata.json"):  # W3C, CSV on the Web: its default for a file's schema
        return "csvw"
    is_schema = path.endswith((".json", ".xml")) or host.endswith(_LGA)
    return _OF_FORMATS.get(label, "") if is_schema else ""
