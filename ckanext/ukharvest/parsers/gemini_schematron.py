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
from ckanext.ukharvest.parsers.gemini_faults import Fault, named

_SVRL = "{http://purl.oclc.org/dsdl/svrl}"
_STEPS = ("iso_dsdl_include", "iso_abstract_expand", "iso_svrl_for_xslt1")
# "The 'gmd:pass' element has no child elements": the same for every element, so one problem.
_ELEMENT = re.compile(r"'((?:\w+:\w+/?)+)'")
# The stylesheets take time with the square of a record's elements: 1 s for 3,000 of them, a
# minute for 24,000. The longest of the real ones that were seen has 3,000.
MOST_ELEMENTS = 10_000
_NO_ACCESS = cast(Any, etree.XSLTAccessControl).DENY_ALL  # lxml's stubs do not have it


def faults(root: etree._Element, path: Path, folder: Path, title: str) -> Iterator[Fault]:
    """Yield what a record does not follow.

    Args:
        path: the Schematron; ``folder`` holds it and the stylesheets that compile it.
        title: what the rules are called.
    """
    count = sum(1 for _ in root.iter("*"))
    if count > MOST_ELEMENTS:
        found = f"the record has {count:,} elements, and was not judged by {title}"
        wanted = f"expected {MOST_ELEMENTS:,} or less"
        yield Fault("too-long-to-judge", named(root), found, wanted, xml.line_of(root))
        return
    report = _compiled(path, folder)(root).getroot()
    for failed in report.iter(f"{_SVRL}failed-assert", f"{_SVRL}successful-report"):
        yield _fault(root, failed, title)


def _fault(root: etree._Element, failed: etree._Element, title: str) -> Fault:
    text = failed.find(f"{_SVRL}text")
    words = " ".join(("" if text is None else str(text.xpath("string()"))).split()).rstrip(". ")
    element = _at(root, failed.get("location", ""))
    kind = _ELEMENT.sub("", words) + str(failed.get("test"))
    about = _ELEMENT.search(words)
    field = about[1].rpartition("/")[2] if about else named(element)
    words = _ELEMENT.sub(r"\1", words).removeprefix(f"{xml.local_name(element)}: ")
    if not about and field not in words:
        words = f"{field}: {words}"
    rest = f"this is a rule of {title}"
    also = field if about else ""
    return Fault("schematron", field, words, rest, xml.line_of(element), kind, also)


def _at(root: etree._Element, location: str) -> etree._Element:
    """The element that a rule is about: its path is an XPath that the stylesheet has built."""
    try:
        found: Any = root.xpath(location)
    except etree.XPathError:  # a namespace's name with an apostrophe breaks it
        return root
    nodes = [each for each in found if isinstance(each, etree._Element)]
    return next(iter(nodes), root)


@cache
def _compiled(path: Path, folder: Path) -> etree.XSLT:
    rules = xml.installed(path, folder)
    for step in _STEPS:
        rules = _stylesheet(folder / "schematron" / f"{step}.xsl", folder)(rules)
    return etree.XSLT(rules, access_control=_NO_ACCESS)


@cache
def _stylesheet(path: Path, folder: Path) -> etree.XSLT:
    return etree.XSLT(xml.installed(path, folder), access_control=_NO_ACCESS)
