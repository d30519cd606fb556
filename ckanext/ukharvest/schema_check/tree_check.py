"""Check JSON against a JSON Schema, GeoJSON as such as well, and XML against an XSD 1.0.

Of RFC 7946 the rules count that make a file unusable when they are broken. No other document is
read than the data and the schema. All of both is in memory: that is why data have a limit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from lxml import etree

from ckanext.ukharvest.core import json_limits
from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.values.geometries import DEPTH, MAX_LEVEL
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.schema_check import files
from ckanext.ukharvest.schema_check.report import Collector, Stopped, Unchecked

_GEOMETRIES = (*DEPTH, "GeometryCollection")
_POINT = '{"type": "Point", "coordinates": [-1.5, 53.8]}'


@dataclass(frozen=True, slots=True)
class GeoFault:
    """A broken rule: the path to it as in RFC 6901, what is there, what is expected."""

    path: str
    found: str
    expected: str
    code: str
    example: str = ""


def is_geojson(value: Any) -> bool:
    """Tell whether JSON means to be GeoJSON."""
    if not isinstance(value, Mapping):
        return False
    kind = value.get("type")
    return kind in ("FeatureCollection", "Feature") or (
        kind in _GEOMETRIES and not value.keys().isdisjoint(("coordinates", "geometries"))
    )


def faults(value: Any, path: str = "") -> Iterator[GeoFault]:
    """Yield the broken rules of a geometry, a feature or a collection of features."""
    kind = value.get("type") if isinstance(value, Mapping) else None
    if kind == "FeatureCollection":
        features = value.get("features")
        if not isinstance(features, list):
            yield GeoFault(f"{path}/features", show(features), "a list of features", "geojson")
            return
        for number, feature in enumerate(features):
            yield from feature_faults(feature, f"{path}/features/{number}")
    elif kind == "Feature":
        yield from feature_faults(value, path)
    else:
        yield from _geometry(value, path, 0)


def feature_faults(value: Any, path: str) -> Iterator[GeoFault]:
    """Yield the broken rules of a feature (section 3.2)."""
    if not isinstance(value, Mapping) or value.get("type") != "Feature":
        yield GeoFault(path, show(value), "a feature", "geojson-feature", '{"type": "Feature", …}')
        return
    if "geometry" not in value:
        yield GeoFault(f"{path}/geometry", "", "a geometry, or null", "geojson-feature", _POINT)
    elif value["geometry"] is not None:
        yield from _geometry(value["geometry"], f"{path}/geometry", 0)
    properties = value.get("properties")
    if "properties" not in value or not (properties is None or isinstance(properties, Mapping)):
        shown = show(properties) if "properties" in value else ""
        example = '{"name": "Leeds"}'
        yield GeoFault(
            f"{path}/properties", shown, "an object, or null", "geojson-feature", example
        )


def _geometry(value: Any, path: str, level: int) -> Iterator[GeoFault]:
    kind = value.get("type") if isinstance(value, Mapping) else None
    if kind == "GeometryCollection" and level < MAX_LEVEL:
        parts = value.get("geometries")
        if not isinstance(parts, list):
            yield GeoFault(f"{path}/geometries", show(parts), "a list of geometries", "geojson")
            return
        for number, inner in enumerate(parts):
            yield from _geometry(inner, f"{path}/geometries/{number}", level + 1)
    elif kind in DEPTH:
        places = value.get("coordinates")
        yield from _coordinates(places, f"{path}/coordinates", DEPTH[kind], kind)
    else:
        expected = f"a geometry: {', '.join(_GEOMETRIES)}"
        yield GeoFault(path, show(value), expected, "geojson-geometry", _POINT)


def _coordinates(value: Any, path: str, depth: int, kind: str) -> Iterator[GeoFault]:
    if not isinstance(value, list):
        yield GeoFault(path, show(value), f"the coordinates of a {kind}", "geojson-coordinates")
    elif depth == 0:
        yield from _position(value, path)
    else:
        for number, inner in enumerate(value):
            # The first fault of a line is enough: a wrong system of coordinates breaks all.
            fault = next(_coordinates(inner, f"{path}/{number}", depth - 1, kind), None)
            if fault:
                yield fault
                return
        if depth == 1:
            yield from _line(value, path, kind)


def _line(value: list[Any], path: str, kind: str) -> Iterator[GeoFault]:
    """Check the length of a line (3.1.4) or of a ring, which is closed (3.1.6)."""
    number = f"{len(value)} positions"
    if kind.endswith("LineString") and len(value) < 2:
        yield GeoFault(path, number, "two positions or more", "geojson-line")
    elif kind.endswith("Polygon") and len(value) < 4:
        yield GeoFault(path, number, "a ring of four positions or more", "geojson-ring")
    elif kind.endswith("Polygon") and value[0] != value[-1]:
        expected = f"a closed ring, which ends where it begins: {show(value[0])}"
        yield GeoFault(path, show(value[-1]), expected, "geojson-ring")


def _position(value: list[Any], path: str) -> Iterator[GeoFault]:
    """Check a position (3.1.1), which is in degrees (section 4)."""
    numbers = [number for number in value if type(number) in (int, float)]  # no booleans
    expected = "longitude and latitude in degrees (WGS 84)"
    if len(value) < 2 or len(numbers) != len(value):
        yield GeoFault(path, show(value), expected, "geojson-position", "[-1.5, 53.8]")
    elif not (abs(value[0]) <= 180 and abs(value[1]) <= 90):
        if abs(value[0]) <= 90 and abs(value[1]) <= 180:
            expected = "longitude first, then latitude"
        yield GeoFault(path, show(value), expected, "geojson-position", "[-1.5, 53.8]")


def show(value: Any) -> str:
    """Return JSON on one line, shortened."""
    if isinstance(value, list | Mapping) and len(value) > 20:
        return f"a list of {len(value):,} values" if isinstance(value, list) else "a long object"
    return shorten(json.dumps(value, ensure_ascii=False, default=str))


INSTALL = "The check needs the package jsonschema: pip install 'ckanext-ukharvest[schema]'."
# Validator → what is expected, by its value in the schema.
_WORDS = {
    "type": "{}",
    "enum": "one of: {}",
    "const": "{}",
    "pattern": "text that matches {}",
    "format": "text in the format {}",
    "minimum": "{} or more",
    "maximum": "{} or less",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "text of at least {} characters",
    "maxLength": "text of at most {} characters",
    "minItems": "a list of at least {} items",
    "maxItems": "a list of at most {} items",
    "uniqueItems": "a list in which each item occurs once",
    "minProperties": "an object of at least {} properties",
    "maxProperties": "an object of at most {} properties",
    "contains": "a list with an item that follows its rule",
    "not": "anything but this",
    "oneOf": "what exactly one of {count} rules allows",
    "anyOf": "what one of {count} rules allows",
}


def check_json(data: IO[bytes], schema: Any, collector: Collector) -> None:
    """Check a JSON document.

    Args:
        schema: the parsed schema, None for GeoJSON, which has rules of its own.

    Raises:
        Unchecked: the document is no JSON or too large, or the schema invalid.
        Stopped: the time is over.
    """
    value = _read(data, collector)
    if value is _INVALID:
        return
    if schema is None and not is_geojson(value):
        raise Unchecked("The file is JSON and no GeoJSON; expected a schema for it.")
    if schema is not None:
        validator = _validator(schema, collector)
    if isinstance(value, Mapping) and isinstance(value.get("features"), list):
        collector.set_unit("feature")
        collector.count(len(value["features"]))
    elif isinstance(value, list):
        collector.set_unit("item")
        collector.count(len(value))
    if schema is not None:
        _check_schema(value, validator, collector)
    if is_geojson(value):
        for number, fault in enumerate(faults(value)):
            found, expected = fault.found, fault.expected
            collector.error(
                fault.code, expected, column=fault.path, found=found, example=fault.example
            )
            if number % 1000 == 0:
                collector.check_time()


def _read_whole(data: IO[bytes], most: int) -> bytes:
    data.seek(0)
    content = data.read(most + 1)
    if len(content) > most:
        size = most / 1024 / 1024
        raise Unchecked(f"The file is larger than {size:.4g} MB, the most for JSON and XML.")
    return content


_INVALID = object()


def _read(data: IO[bytes], collector: Collector) -> Any:
    """Return the document; one that is broken JSON has that as its error, and is ``_INVALID``."""
    content = _read_whole(data, collector.limits.tree_bytes)
    files.refuse_web_page(content, "The file is", "the schema is for JSON")
    text, label = files.decode_json(content)
    if label:
        collector.note(f"The file is {label}; expected UTF-8.")
    if text.lstrip()[:1] not in ("{", "["):
        raise Unchecked("The file is not JSON; the schema is for JSON.")
    try:
        json_limits.check(text.encode("utf-8", "replace"))
        return json.loads(text, parse_constant=_refuse_constant)
    except json_limits.BeyondLimit as exc:
        raise Unchecked(f"The file {exc.message} and is not read.") from exc
    except json.JSONDecodeError as exc:
        start = text[exc.pos : exc.pos + 20]
        where = f"line {exc.lineno}, character {exc.colno}"
        collector.error("json-syntax", f"valid JSON ({exc.msg}, {where})", found=start)
    except _NotJson as exc:
        collector.error("json-syntax", "valid JSON, which has no such number", found=str(exc))
    return _INVALID


class _NotJson(ValueError):
    """NaN or Infinity, which Python reads and JSON does not have."""


def _refuse_constant(name: str) -> None:
    raise _NotJson(name)


def _validator(schema: Any, collector: Collector) -> Any:
    """Return jsonschema's validator, without access to the network.

    Raises:
        Unchecked: jsonschema is missing, or the schema invalid.
    """
    try:
        from jsonschema import SchemaError, validators
        from jsonschema_specifications import REGISTRY
    except ImportError as exc:
        raise Unchecked(INSTALL) from exc
    for address in _other_documents(schema):
        collector.note(f"The schema refers to {shorten(address, 120)}, which is not fetched.")
    try:
        draft = validators.validator_for(schema, default=validators.Draft202012Validator)
        draft.check_schema(schema)
        # Its own default would open URLs of "$ref".
        return draft(schema, registry=REGISTRY, format_checker=draft.FORMAT_CHECKER)
    except SchemaError as exc:
        place = f" at {pointer(exc.absolute_path)}" if exc.absolute_path else ""
        why = shorten(exc.message, 120)
        raise Unchecked(f"The schema is no valid JSON Schema{place}: {why}.") from exc
    except Exception as exc:
        raise _unusable(exc) from exc


def _check_schema(value: Any, validator: Any, collector: Collector) -> None:
    try:
        for number, error in enumerate(validator.iter_errors(value)):
            _report(error, collector)
            if number % 100 == 0:
                collector.check_time()
    except (Stopped, MemoryError):
        raise
    except Exception as exc:
        raise _unusable(exc) from exc


def _unusable(exc: Exception) -> Unchecked:
    """Return what an exception of jsonschema means, which raises whatever a schema causes."""
    if isinstance(exc, RecursionError):
        return Unchecked("The schema refers to itself without end.")
    address = getattr(exc, "ref", None)  # of referencing's exceptions
    if isinstance(address, str):
        return Unchecked(f"The schema refers to {shorten(address, 120)}, which is not in it.")
    why = shorten(f"{type(exc).__name__}: {exc}", 120)
    return Unchecked(f"The schema is no valid JSON Schema ({why}).")


def _report(error: Any, collector: Collector) -> None:
    place = pointer(error.absolute_path)
    rule, value = str(error.validator), error.validator_value
    shown = show(error.instance)
    if rule == "required":
        name = error.message.removesuffix(" is a required property").strip("'\"")
        collector.error("required", f"the property {name}", column=place, found=shown)
        return
    if rule in _WORDS:
        count = len(value) if isinstance(value, list | Mapping) else 1
        expected = _WORDS[rule].format(_words(value), count=count)
    else:
        expected = f"what the rule {rule} allows ({error.message})"
    collector.error(rule, expected, column=place, found=shown)


def _words(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_words(one) for one in value[:20])
    return value if isinstance(value, str) else show(value)


def pointer(path: Any) -> str:
    """Return a path as in RFC 6901."""
    parts = (str(step).replace("~", "~0").replace("/", "~1") for step in path)
    return "".join(f"/{part}" for part in parts)


def _other_documents(schema: Any) -> Iterator[str]:
    """Yield the addresses of other documents that a schema refers to, each once."""
    urls: dict[str, None] = {}
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            for key in ("$ref", "$dynamicRef", "$recursiveRef"):
                address = value.get(key)
                if isinstance(address, str) and "://" in address.partition("#")[0]:
                    urls[address.partition("#")[0]] = None
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    own = schema.get("$id", schema.get("id", "")) if isinstance(schema, Mapping) else ""
    for address in urls:
        if address != str(own).partition("#")[0] and "json-schema.org/" not in address:
            yield address


_XS = "{http://www.w3.org/2001/XMLSchema}"
_NAMESPACE = re.compile(r"\{[^{}]*\}")
_ELEMENT = re.compile(r"Element '([^']+)'(?:, attribute '([^']+)')?: (.*)", re.DOTALL)
_VALUE = re.compile(r"'([^']*)' is not|The value '([^']*)'")
_WANTED = re.compile(r"Expected is (?:one of )?\(\s*(.*?)\s*\)")
_TYPE = re.compile(r"is not a valid value of the (?:\w+ )?type '?(?:xs:)?([^']+)")


def check_xml(data: IO[bytes], schema: etree._Element, collector: Collector) -> None:
    """Check a document.

    Raises:
        Unchecked: the document is no XML or too large, or the schema cannot be used by itself.
    """
    left_out = list(_without_other_documents(schema))
    for address in left_out:
        collector.note(f"The schema needs {shorten(address, 120)}, which is not fetched.")
    try:
        compiled = etree.XMLSchema(schema)
    except etree.XMLSchemaParseError as exc:
        raise Unchecked(_unusable_schema(str(exc), left_out)) from exc
    root = _read_xml(data, collector)
    if root is None:
        return
    if not compiled.validate(root):
        log: Any = compiled.error_log  # lxml's stubs do not know that it can be iterated over
        before = ""
        for error in log:
            # A broken facet is followed by a message that the value is wrong.
            if not ("[facet" in before and _TYPE.search(error.message)):
                _report_xml(error, collector)
            before = error.message


def _unusable_schema(why: str, left_out: list[str]) -> str:
    why = shorten(_NAMESPACE.sub("", why).split(", line ")[0].rstrip("."), 200)
    if left_out:
        return f"The schema needs {shorten(left_out[0], 120)}, which is not fetched: {why}."
    return f"The schema is no valid XML schema: {why}."


def _without_other_documents(schema: etree._Element) -> Iterator[str]:
    """Take the addresses of other documents out of a schema; yield them.

    libxml2 would read them from this machine or the network.
    """
    for name in ("include", "redefine", "override"):
        for element in list(schema.iterchildren(_XS + name)):
            yield element.get("schemaLocation", name)
            schema.remove(element)
    for element in schema.iterchildren(_XS + "import"):
        if location := element.attrib.pop("schemaLocation", ""):
            yield str(location)


def _read_xml(data: IO[bytes], collector: Collector) -> etree._Element | None:
    content = _read_whole(data, collector.limits.tree_bytes)
    try:
        return xml.parse(content)
    except ParseError as exc:
        if exc.code in ("html", "doctype") or not content.lstrip().startswith(b"<"):
            line = f" (line {exc.line})" if exc.line else ""
            raise Unchecked(f"The file is not read: {exc.message}{line}.") from exc
        why = exc.message.removeprefix("the document is not well-formed XML: ")
        collector.error("xml-syntax", f"well-formed XML ({why})", row=exc.line or 0)
        return None


def _report_xml(error: Any, collector: Collector) -> None:
    """Report an error of libxml2: "Element 'size': 'x' is not a valid value of …"."""
    match = _ELEMENT.match(error.message)
    element, attribute, why = match.groups() if match else ("", "", error.message)
    why = _NAMESPACE.sub("", why).strip().rstrip(".")
    name = _NAMESPACE.sub("", f"{element}/@{attribute}" if attribute else element)
    value = _VALUE.search(why)
    shown = next(filter(None, value.groups()), "") if value else ""
    expected = why
    if wanted := _WANTED.search(why):
        shown, expected = name, f"the element {wanted[1]}"
    elif kind := _TYPE.search(why):
        expected = f"a value of the type {kind[1]}"
    code = error.type_name.removeprefix("SCHEMAV_").lower().replace("_", "-")
    collector.error(code, expected, row=error.line or 0, column=name, found=shown)
