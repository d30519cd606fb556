"""The validation profiles of ckanext-spatial, under the names that its sources use.

The files are read from the installed package ckanext-spatial. Its code is not imported: it needs
CKAN, compiles a schema again for each record, and stops at the first profile that fails. Nothing
is fetched from the network.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini.rules import RULES
from ckanext.ukharvest.parsers.gemini.validation import faults, schematron
from ckanext.ukharvest.parsers.gemini.validation.faults import Fault

_LOCK = Lock()  # lxml keeps the errors of a validation in the schema
# A Schematron's time grows with the square of a record's elements (1 s for 3,000, a minute for
# 24,000), as does libxml2's with its errors. The longest real record seen has 3,000.
MOST_ELEMENTS = 10_000
_LOOKED_AT = 500  # errors of a schema: fewer are enough to see the kinds of fault
_LONGEST = 500  # characters of a message: that of a topic category names all 19
_ELEMENT = re.compile(r"Element '(.+?)'((?:: |, attribute ').*)", re.DOTALL)
_NAMES = re.compile(r"\{[^{}]*\}[^\s,'()]+")

_NON_GEOGRAPHIC = "nonGeographicDataset"


@dataclass(frozen=True, slots=True)
class Profile:
    """One of ckanext-spatial's profiles.

    Attributes:
        title: the name of its rules.
        file: a schema (.xsd) or a Schematron (.sch).
        service_file: another one for services, "" for none.
        types: the types of resource (GEMINI 39) that it can validate, "" for records without one;
            records of other types are a fault. Empty for all.
        unasked: a type whose records are not validated by it.
    """

    title: str
    file: str
    service_file: str = ""
    types: tuple[str, ...] = ()
    unasked: str = ""


PROFILES = {
    "iso19139": Profile("ISO 19139 of 2006", "iso19139/gmx/gmx.xsd"),
    # The schema for data does not know srv elements.
    "iso19139eden": Profile(
        "ISO 19139 with GML 3.2",
        "iso19139eden/gmx/gmx.xsd",
        "iso19139eden/gmx_and_srv.xsd",
        types=("dataset", "series", "service", _NON_GEOGRAPHIC, ""),
    ),
    "iso19139ngdc": Profile("ISO 19139 and 19115-2 (NGDC)", "iso19139ngdc/schema.xsd"),
    "constraints": Profile(
        "table A.1 of ISO 19139 (Schematron 1.3)", "medin/ISOTS19139A1Constraints_v1.3.sch"
    ),
    "constraints-1.4": Profile(
        "table A.1 of ISO 19139 (Schematron 1.4)", "medin/ISOTS19139A1Constraints_v1.4.sch"
    ),
    # GEMINI is for geographic data: data.gov.uk validates no other data by it.
    "gemini2": Profile(
        "GEMINI 2.1 (Schematron 1.2)",
        "gemini2/gemini2-schematron-20110906-v1.2.sch",
        unasked=_NON_GEOGRAPHIC,
    ),
    "gemini2-1.3": Profile(
        "GEMINI 2.1 (Schematron 1.3)", "gemini2/Gemini2_R1r3.sch", unasked=_NON_GEOGRAPHIC
    ),
}


def unavailable(names: Iterable[str]) -> str:
    """Return why profiles cannot be used on this machine, and what to do; "" if they can."""
    wanted = [name for name in names if name in PROFILES]
    if not wanted or _folder() is not None:
        return ""
    return (
        f"{', '.join(wanted)} needs the files of ckanext-spatial, which is not installed "
        f"here; install it (pip install ckanext-spatial) or choose other profiles"
    )


def judge(names: Collection[str], root: etree._Element, kind: str) -> tuple[Problem, ...]:
    """Validate a record and return its faults, summarised in a few problems.

    Args:
        names: names in ``PROFILES``; others are ignored.
        root: the record.
        kind: the type of its resource, "" if unknown.
    """
    profiles = [PROFILES[name] for name in names if name in PROFILES]
    if profiles and (count := sum(1 for _ in root.iter("*"))) > MOST_ELEMENTS:
        return (_too_long(root, count),)
    found: list[Problem] = []
    for profile in profiles:
        with _LOCK:
            found += faults.problems(_faults(profile, root, kind))
    # Two schemas report most faults alike.
    return faults.first(tuple(dict.fromkeys(found)))


def _too_long(root: etree._Element, count: int) -> Problem:
    field = faults.element_name(root)
    message = f"{field} has {count:,} elements; expected {MOST_ELEMENTS:,} or less, to be judged"
    return Problem("too-long-to-judge", field, message, xml.line_of(root))


def _faults(profile: Profile, root: etree._Element, kind: str) -> Iterator[Fault]:
    folder = _folder()
    if folder is None or kind == profile.unasked != "":
        return
    if profile.types and kind not in profile.types:
        yield _other_type(profile, root, kind)
        return
    path = folder / ((kind == "service" and profile.service_file) or profile.file)
    if path.suffix == ".sch":
        yield from schematron.faults(root, path, folder, profile.title)
        return
    schema = _schema(path, folder)
    if not schema.validate(root):
        log: Any = schema.error_log  # lxml's stubs do not know that it can be iterated over
        yield from map(_schema_fault, list(log)[:_LOOKED_AT])


def _schema_fault(error: Any) -> Fault:
    """Return an error of lxml with the element's label and the usual prefixes."""
    found = _ELEMENT.match(error.message)
    name, rest = found.groups() if found else ("", error.message)
    field = faults.prefixed_name(name).rpartition("}")[2]
    label = f" ({_labels()[field]})" if field in _labels() else ""
    rest = _NAMES.sub(lambda tag: faults.prefixed_name(tag[0]), rest).rstrip(". ")
    message = shorten(f"{faults.prefixed_name(name)}{label}{rest}", _LONGEST)
    # libxml2 also reports a broken facet as a wrong value of the type.
    kind = "value" if "VALID" in error.type_name else error.type_name
    return Fault("schema-fault", field, message, line=error.line, kind=f"{field} {kind}")


@cache
def _labels() -> dict[str, str]:
    """Return plain names of elements, for elements that have exactly one."""
    labels: dict[str, set[str]] = {}
    for rule in RULES:
        labels.setdefault(rule.field, set()).add(rule.element)
    return {field: min(words) for field, words in labels.items() if len(words) == 1}


def _other_type(profile: Profile, root: etree._Element, kind: str) -> Fault:
    found = f"gmd:hierarchyLevel is '{shorten(kind, 40)}', which {profile.title} cannot judge"
    wanted = f"expected {', '.join(filter(None, profile.types))}"
    field = "gmd:hierarchyLevel"
    return Fault("unknown-record-type", field, found, wanted, xml.line_of(root), kind=field)


@cache
def _folder() -> Path | None:
    """Return ckanext-spatial's folder of schemas, found without importing it."""
    spec = find_spec("ckanext.spatial")
    places = spec.submodule_search_locations if spec else None
    folders = [Path(place) / "validation" / "xml" for place in places or ()]
    return next(filter(Path.is_dir, folders), None)


@cache
def _schema(path: Path, folder: Path) -> etree.XMLSchema:
    return etree.XMLSchema(xml.parse_installed(path, folder))
