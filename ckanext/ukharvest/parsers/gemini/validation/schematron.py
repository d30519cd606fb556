"""Validation by a Schematron of ckanext-spatial, through its XSLT, and the meaning of its report.

ISO Schematron (ISO/IEC 19757-3) and its report language SVRL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

from lxml import etree

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers.gemini.validation.faults import Fault, element_name

_SVRL = "{http://purl.oclc.org/dsdl/svrl}"
_STEPS = ("iso_dsdl_include", "iso_abstract_expand", "iso_svrl_for_xslt1")
# A place in a report is an XPath: *[local-name()='pass' and namespace-uri()='…'][2]
_STEP = re.compile(
    r"/(?:\*\[local-name\(\)='([^']*)' and namespace-uri\(\)='[^']*'\]|([^/*@[]+))(?:\[(\d+)\])?"
)
# "The 'gmd:pass' element has no child elements": the same for every element, so one problem.
_QUOTED = re.compile(r"'([^']*)'")
_NO_ACCESS = cast(Any, etree.XSLTAccessControl).DENY_ALL  # lxml's stubs do not have it


def faults(root: etree._Element, path: Path, folder: Path, title: str) -> Iterator[Fault]:
    """Validate a record and yield its faults.

    Args:
        path: the Schematron; ``folder`` holds it and the stylesheets that compile it.
        title: the name of the rules.
    """
    report = _compiled(path, folder)(root).getroot()
    children = _Children()
    for failed in report.iter(f"{_SVRL}failed-assert", f"{_SVRL}successful-report"):
        element = _at(root, failed.get("location", ""), children)
        yield _fault(element, failed, title)


class _Children(dict[etree._Element, dict[str, list[etree._Element]]]):
    """Elements' children by their local names; each element is searched once."""

    def __missing__(self, element: etree._Element) -> dict[str, list[etree._Element]]:
        found: dict[str, list[etree._Element]] = {}
        for each in element.iterchildren("*"):
            found.setdefault(xml.local_name(each), []).append(each)
        self[element] = found
        return found


def _at(root: etree._Element, place: str, children: _Children) -> etree._Element:
    """Return the element at a place in a report, or its nearest existing ancestor.

    Not evaluated as XPath: its text comes from the record.
    """
    found = root
    step = _STEP.match(place)  # the root's own
    while step and (step := _STEP.match(place, step.end())):
        same = children[found].get(step[1] or step[2], [])
        number = int(step[3] or 1)
        if len(same) < number:
            break
        found = same[number - 1]
    return found


def _own_name(element: etree._Element) -> str:
    """Return an element's name as written in the record, with its prefix."""
    name = xml.local_name(element)
    return f"{element.prefix}:{name}" if element.prefix else name


def _fault(element: etree._Element, failed: etree._Element, title: str) -> Fault:
    text = failed.find(f"{_SVRL}text")
    # Some sentences quote a value; the longest of the Schematron's own has 259 characters.
    words = shorten("" if text is None else str(text.xpath("string()")), 300).rstrip(". ")
    kind = _QUOTED.sub("", words) + str(failed.get("test"))
    field, also = element_name(element), ""
    for quoted in _QUOTED.findall(words):
        if quoted.rpartition("/")[2] == _own_name(element):
            words, also = words.replace(f"'{quoted}'", quoted), field
    words = words.removeprefix(f"{xml.local_name(element)}: ")
    if not also and field not in words:
        words = f"{field}: {words}"
    rest = f"this is a rule of {title}"
    return Fault("schematron", field, words, rest, xml.line_of(element), kind, also)


@cache
def _compiled(path: Path, folder: Path) -> etree.XSLT:
    rules = xml.parse_installed(path, folder)
    for step in _STEPS:
        rules = _stylesheet(folder / "schematron" / f"{step}.xsl", folder)(rules)
    return etree.XSLT(rules, access_control=_NO_ACCESS)


@cache
def _stylesheet(path: Path, folder: Path) -> etree.XSLT:
    return etree.XSLT(xml.parse_installed(path, folder), access_control=_NO_ACCESS)
