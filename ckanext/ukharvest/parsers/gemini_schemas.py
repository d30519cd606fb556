"""The validation profiles of ckanext-spatial, by the names that its sources have for them.

Their files are those of the package ckanext-spatial as it is installed beside us. Its code is not
imported (it needs CKAN), and it compiles a schema for each record anew and stops at the first
profile that fails, which this does not. Nothing comes from the network.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from lxml import etree

from ckanext.ukharvest.core import xml
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values import shorten
from ckanext.ukharvest.parsers import gemini_faults, gemini_schematron, gemini_xsd
from ckanext.ukharvest.parsers.gemini_content_model import content_model
from ckanext.ukharvest.parsers.gemini_faults import Fault

_LOCK = Lock()  # lxml keeps the errors of a validation in the schema
# Schematrons take time with the square of a record's elements (1 s for 3,000, a minute for
# 24,000), and so does libxml2 with its errors. The longest of the real records seen has 3,000.
MOST_ELEMENTS = 10_000
_LOOKED_AT = 500  # errors of a schema: the kinds of fault are told long before

_NON_GEOGRAPHIC = "nonGeographicDataset"


@dataclass(frozen=True, slots=True)
class Profile:
    """One of ckanext-spatial's profiles.

    Attributes:
        title: what its rules are called.
        file: a schema (.xsd) or a Schematron (.sch).
        service_file: another one for services, "" for none.
        types: the types of resource (GEMINI 39) that it can judge, "" where a record does not say;
            a record of another one is a fault. Empty for all.
        unasked: a type whose records are not judged by it.
    """

    title: str
    file: str
    service_file: str = ""
    types: tuple[str, ...] = ()
    unasked: str = ""


PROFILES = {
    "iso19139": Profile("ISO 19139 of 2006", "iso19139/gmx/gmx.xsd"),
    # The schema for data knows no srv elements.
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
    # GEMINI is for geographic data: data.gov.uk never judged others by it.
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
    """Say why profiles cannot be used on this machine, and what to do; "" if they can."""
    wanted = [name for name in names if name in PROFILES]
    if not wanted or _folder() is not None:
        return ""
    return (
        f"{', '.join(wanted)} needs the files of ckanext-spatial, which is not installed here;"
        " expected it beside this extension (pip install ckanext-spatial), or other profiles"
    )


def judge(names: Collection[str], root: etree._Element, kind: str) -> tuple[Problem, ...]:
    """Return what a record does not follow, in a few problems.

    Args:
        names: of ``PROFILES``; others are left out.
        root: the record.
        kind: the type of its resource, "" if it does not say.
    """
    profiles = [PROFILES[name] for name in names if name in PROFILES]
    if profiles and (count := sum(1 for _ in root.iter("*"))) > MOST_ELEMENTS:
        return (_too_long(root, count),)
    found: list[Problem] = []
    for profile in profiles:
        with _LOCK:
            found += gemini_faults.problems(_faults(profile, root, kind))
    # Two schemas say the same of most faults.
    return gemini_faults.first(tuple(dict.fromkeys(found)))


def _too_long(root: etree._Element, count: int) -> Problem:
    field = gemini_faults.named(root)
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
        yield from gemini_schematron.faults(root, path, folder, profile.title)
        return
    schema = _schema(path, folder)
    if not schema.validate(root):
        log: Any = schema.error_log  # lxml's stubs do not know that it can be iterated over
        model = content_model(path, folder)
        yield from gemini_xsd.faults(root, list(log)[:_LOOKED_AT], model)


def _other_type(profile: Profile, root: etree._Element, kind: str) -> Fault:
    found = f"gmd:hierarchyLevel is '{shorten(kind, 40)}', which {profile.title} cannot judge"
    wanted = f"expected {', '.join(filter(None, profile.types))}"
    return Fault("unknown-record-type", "gmd:hierarchyLevel", found, wanted, xml.line_of(root))


@cache
def _folder() -> Path | None:
    """Where ckanext-spatial keeps its schemas; looked for without importing it."""
    spec = find_spec("ckanext.spatial")
    places = spec.submodule_search_locations if spec else None
    folders = [Path(place) / "validation" / "xml" for place in places or ()]
    return next(filter(Path.is_dir, folders), None)


@cache
def _schema(path: Path, folder: Path) -> etree.XMLSchema:
    return etree.XMLSchema(xml.installed(path, folder))
