"""An inventory as a document of many datasets: their identity, what they inherit, the schemas.

The schemas are versions 0.1, 0.2 and 0.3, and the one that data.gov.uk used. Documents do not say
which version they follow, so any of them will do. Of the values only the basic types are checked
here, and only for sources that demand a valid document (decision 0012): dates, the address in
Rights, Data or Document as Type. Other values are left to the parser, which drops no more than the
field.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.errors import ParseError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem, RawRecord
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.multivalue import read_yes_no
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.xml_fields import NO_DATE as _NO_DATE

KIND = "Inventory XML"
ROOT = "inv:Inventory of the namespace http://schemas.esd.org.uk/inventory"
PATHS = (("Inventory", "Datasets", "Dataset"), ("Dataset",))


def is_active(value: str) -> bool | None:
    """Read an attribute Active: Yes if missing, None if neither Yes nor No.

    The guidance says Yes and No, DataShare writes True and False.
    """
    return read_yes_no(value) if value.strip() else True


def is_gone(dataset: etree._Element) -> bool:
    """Tell whether a dataset is discontinued or withdrawn."""
    return is_active(dataset.get("Active", "")) is False


def identifier(element: etree._Element) -> str:
    """Return the Identifier of a dataset or a document, "" if it has none."""
    return clean_text(element.findtext("{*}Identifier"))


def modified(root: etree._Element, dataset: etree._Element) -> str:
    """Return a dataset's own modification date, else the document's."""
    return clean_text(dataset.get("Modified") or root.get("Modified"))


def content(root: etree._Element, dataset: etree._Element) -> etree._Element:
    """Return an inventory of this dataset alone, with all elements above the datasets.

    The document's date is copied only for a dataset without one: it is the date of the newest
    dataset, and would make all others look changed.
    """
    if root is dataset or xml.local_name(root) == "Dataset":
        return deepcopy(dataset)
    alone = etree.Element(root.tag, nsmap=dict(root.nsmap))  # type: ignore[arg-type]
    for name in ("Language", "Modified"):
        if root.get(name) and not (name == "Modified" and dataset.get("Modified")):
            alone.set(name, root.get(name, ""))
    for child in root.iterchildren("{*}*"):
        if xml.local_name(child) != "Datasets":
            alone.append(deepcopy(child))
    datasets = etree.SubElement(alone, etree.QName(root, "Datasets"))
    datasets.append(deepcopy(dataset))
    return alone


def old_guids(raw: RawRecord) -> tuple[str, ...]:
    """Return guids stored by data.gov.uk's harvester: document identifier, "/", dataset identifier.

    A document identifier that ends with a slash gave "//"; the form with one slash is returned too.
    """
    try:
        root = xml.parse(raw.content or "")
    except ParseError:
        return ()
    document = identifier(root) if xml.local_name(root) == "Inventory" else ""
    if not document or not raw.guid:
        return ()
    bare = document.rstrip("/")
    forms = (f"{document}/{raw.guid}", f"{bare}/{raw.guid}", f"{bare}//{raw.guid}")
    return tuple(dict.fromkeys(forms))


NAMESPACE = "http://schemas.esd.org.uk/inventory"
VERSIONS = ("0.3", "0.2", "dgu", "0.1")
MAX_PROBLEMS = 20  # of a document; the first of them tell what is wrong

_FOLDER = Path(__file__).parent / "schemas"
_LOCK = Lock()  # lxml keeps the errors of a validation in the schema
_VALUES = re.compile(
    r"SCHEMAV_CVC_(?:DATATYPE_VALID_.*|ENUMERATION_VALID|FACET_VALID|PATTERN_VALID"
    r"|(?:MIN|MAX)?LENGTH_VALID|TYPE_3_1_3|ATTRIBUTE_3)"
)


@cache
def _schema(version: str) -> etree.XMLSchema:
    return etree.XMLSchema(file=str(_FOLDER / f"inventory-{version}.xsd"))


class Checker:
    """Checks one document, piece by piece, against all versions at once.

    Attributes:
        bad_value: the first value that is not of its basic type; the parser reports all.
    """

    def __init__(self) -> None:
        self._faults: dict[str, list[Problem]] = {version: [] for version in VERSIONS}
        self._counts = dict.fromkeys(VERSIONS, 0)
        self.bad_value: Problem | None = None

    def record(self, element: etree._Element) -> None:
        """Check a Dataset, which still stands in the document."""
        for version in VERSIONS:
            for fault in _faults(version, element):
                self._counts[version] += 1
                if len(self._faults[version]) < MAX_PROBLEMS:
                    self._faults[version].append(fault)
        self._look_for_bad_value(element)

    def rest(self, root: etree._Element) -> None:
        """Check the document without its datasets."""
        if xml.local_name(root) == "Dataset":
            return  # it was checked as a record
        namespace = xml.namespace(root)
        if namespace == NAMESPACE:
            _put_dataset_back(root)
            self.record(root)
            return
        self._look_for_bad_value(root)
        shown = f"'{shorten(namespace)}'" if namespace else "none"
        words = Message(
            "the namespace is {shown}; expected {namespace}", shown=shown, namespace=NAMESPACE
        )
        fault = Problem("schema", "Inventory", words, xml.line_of(root))
        for version in VERSIONS:
            self._counts[version] += 1
            self._faults[version].insert(0, fault)

    def problems(self) -> tuple[Problem, ...]:
        """What is wrong, by the version that finds least; nothing if one finds nothing."""
        version = min(VERSIONS, key=lambda each: self._counts[each])
        faults = sorted(self._faults[version], key=lambda each: each.line or 0)
        left = self._counts[version] - len(faults)
        if left:
            faults.append(
                Problem(
                    "schema", "", Message("{left:,} more faults of this kind follow", left=left)
                )
            )
        return tuple(faults)

    def _look_for_bad_value(self, element: etree._Element) -> None:
        if self.bad_value is None:
            self.bad_value = next(_bad_values(element), None)


def _faults(version: str, element: etree._Element) -> Iterator[Problem]:
    """Validate an element; yield what is wrong with its structure."""
    with _LOCK:
        schema = _schema(version)
        is_valid = schema.validate(element)
        log: Any = schema.error_log  # lxml's stubs do not know that it can be iterated over
        errors = [] if is_valid else list(log)
    for error in errors:
        if not _VALUES.fullmatch(error.type_name):
            message = re.sub(r"\{[^{}]*\}", "", error.message).rstrip(". ")
            name = re.match(r"Element '([^']+)'", message)
            yield Problem("schema", name[1] if name else "", message, error.line or None)


def _bad_values(element: etree._Element) -> Iterator[Problem]:
    for node in element.iter(etree.Element):
        name = xml.local_name(node)
        texts = [(f"{name}/@{key}", node.get(key), parse) for key, parse in _ATTRIBUTES.items()]
        if name in _ELEMENTS:
            texts.append((name, node.text, _ELEMENTS[name]))
        for field, text, parse in texts:
            value = clean_text(text)
            if not value or value.startswith(_NO_DATE):
                continue
            try:
                parse(value)
            except ValueError as exc:
                yield Problem(
                    "schema",
                    field,
                    Message("{field}: {reason}", field=field, reason=exc),
                    xml.line_of(node),
                )


def _address(value: str) -> str:
    if not is_web_url(value):
        raise ValueError(
            Message(
                "'{value}' is not an address; expected that of a licence", value=shorten(value, 60)
            )
        )
    return value


def _type(value: str) -> str:
    if value.lower() not in ("data", "document"):
        raise ValueError(Message("'{value}'; expected Data or Document", value=shorten(value, 40)))
    return value


_ATTRIBUTES: Mapping[str, Callable[[str], str]] = {
    "Modified": parse_date,
    "TemporalFrom": parse_date,
    "TemporalTo": parse_date,
    "Type": _type,
}
_ELEMENTS: Mapping[str, Callable[[str], str]] = {"Rights": _address, "CommittmentDate": parse_date}


def _put_dataset_back(root: etree._Element) -> None:
    """Let a dataset stand where all have been taken out: old versions demand one."""
    datasets = root.find(f"{{{NAMESPACE}}}Datasets")
    if datasets is None:
        return
    dataset = etree.SubElement(datasets, f"{{{NAMESPACE}}}Dataset")
    for name in ("Identifier", "Title", "Resources"):
        etree.SubElement(dataset, f"{{{NAMESPACE}}}{name}")
