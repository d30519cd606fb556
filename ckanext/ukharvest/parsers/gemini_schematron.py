"""Records against a Schematron of ckanext-spatial, through its XSLT, and what that means.

ISO Schematron (ISO/IEC 19757-3) and its report language SVRL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

from lxml import etree

from ckanext.ukharvest.core import xml
from ckanext.ukharvest.core.text import shorten
from ckanext.ukharvest.parsers.gemini_faults import Children, Fault, at, named, own_name

_SVRL = "{http://purl.oclc.org/dsdl/svrl}"
_STEPS = ("iso_dsdl_include", "iso_abstract_expand", "iso_svrl_for_xslt1")
# Of a place in a report, an XPath: *[local-name()='pass' and namespace-uri()='…'][2]
_STEP = re.compile(
    r"/(?:\*\[local-name\(\)='([^']*)' and namespace-uri\(\)='[^']*'\]|([^/*@[]+))(?:\[(\d+)\])?"
)
# "The 'gmd:pass' element has no child elements": the same for every element, so one problem.
_QUOTED = re.compile(r"'([^']*)'")
_NO_ACCESS = cast(Any, etree.XSLTAccessControl).DENY_ALL  # lxml's stubs do not have it


def faults(root: etree._Element, path: Path, folder: Path, title: str) -> Iterator[Fault]:
    """Yield what a record does not follow.

    Args:
        path: the Schematron; ``folder`` holds it and the stylesheets that compile it.
        title: what the rules are called.
    """
    report = _compiled(path, folder)(root).getroot()
    children = Children(xml.local_name)
    for failed in report.iter(f"{_SVRL}failed-assert", f"{_SVRL}successful-report"):
        place = _STEP.sub(r"/\1\2[\3]", failed.get("location", ""))
        yield _fault(at(root, place, children), failed, title)


def _fault(element: etree._Element, failed: etree._Element, title: str) -> Fault:
    text = failed.find(f"{_SVRL}text")
    # Some of its sentences cite a value; the longest of its own has 259 characters.
    words = shorten("" if text is None else str(text.xpath("string()")), 300).rstrip(". ")
    kind = _QUOTED.sub("", words) + str(failed.get("test"))
    field, also = named(element), ""
    for quoted in _QUOTED.findall(words):
        if quoted.rpartition("/")[2] == own_name(element):
            words, also = words.replace(f"'{quoted}'", quoted), field
    words = words.removeprefix(f"{xml.local_name(element)}: ")
    if not also and field not in words:
        words = f"{field}: {words}"
    rest = f"this is a rule of {title}"
    return Fault("schematron", field, words, rest, xml.line_of(element), kind, also)


@cache
def _compiled(path: Path, folder: Path) -> etree.XSLT:
    rules = xml.installed(path, folder)
    for step in _STEPS:
        rules = _stylesheet(folder / "schematron" / f"{step}.xsl", folder)(rules)
    return etree.XSLT(rules, access_control=_NO_ACCESS)


@cache
def _stylesheet(path: Path, folder: Path) -> etree.XSLT:
    return etree.XSLT(xml.installed(path, folder), access_control=_NO_ACCESS)
