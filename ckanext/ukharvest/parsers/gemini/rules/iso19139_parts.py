"""ISO 19139, table A.1, rows 19 to 28 and empty elements: parts found anywhere in a record."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode
from ckanext.ukharvest.parsers.gemini.rules.checks import NIL_REASONS, text_of, written_name
from ckanext.ukharvest.parsers.gemini.rules.iso_checks import iso_rule, one_of
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import Failure, Test

_GCO = "{http://www.isotc211.org/2005/gco}"
# Elements that hold text, or that other rules check.
_VALUES = (_GCO, "{http://www.isotc211.org/2005/gmx}", "{http://www.opengis.net/gml")
_SAYS = frozenset(("codeList", "codeListValue", "{http://www.w3.org/1999/xlink}href"))
_NIL = _GCO + "nilReason"


_CODES = ("codelist", "enumeration", "codelistElement")
_ADDED = "Elements that the profile adds"


def _measures(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.elements_named("Distance", "Length", "Scale", "Angle"):
        if node.element.get("uom") is None and str(node.element.tag).startswith(_GCO):
            yield Failure("has no uom", node)


def _extension(name: str, *kinds: str, is_for: bool) -> Test:
    """Require, by dataType, a part of an element added by a profile, with text or a nilReason.

    Args:
        kinds: data types.
        is_for: the part is required for these types, else for all others.
    """

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.classes("MD_ExtendedElementInformation"):
            part = node.first(name)
            if part is None and is_for == bool({*kinds} & {*node.codes("dataType")}):
                yield Failure(f"is missing in the element '{shorten(node.text('name'))}'", node)
            elif part is not None and not _says(part):
                yield Failure("is empty", part)

    return test


def _says(node: IsoNode) -> bool:
    return bool(node.own_code()) or node.nil in NIL_REASONS


def _condition(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.classes("MD_ExtendedElementInformation"):
        part = node.first("condition")
        if part is None and "conditional" in node.codes("obligation"):
            yield Failure(
                f"is missing in the conditional element '{shorten(node.text('name'))}'", node
            )
        elif part is not None and not _says(part):
            yield Failure("is empty", part)


def _empty(metadata: Metadata) -> Iterator[Failure]:
    for element in metadata.record.element.iter("*"):
        if len(element) or str(element.tag).startswith(_VALUES):
            continue
        node = IsoNode(element, [])
        # The text of a class, such as MD_TopicCategoryCode and URL, is its value.
        if element.text and element.text.strip() and not node.name[0].islower():
            continue
        reason = str(element.get(_NIL) or "")
        is_nil = reason in NIL_REASONS or reason.startswith("other:")
        if not is_nil and _SAYS.isdisjoint(element.keys()):
            has = "bare text in" if text_of(node).strip() else "an empty"
            yield Failure(f"has {has} {written_name(element)}", node)


RULES = (
    *(
        iso_rule(
            f"iso-19-{word}",
            _ADDED,
            f"gmd:{name}",
            _extension(name, *_CODES, is_for=False),
            "it wherever gmd:dataType is no code list, its codes or an enumeration",
            example,
            number="A.1 row 19",
        )
        for word, name, example in (
            ("obligation", "obligation", "optional"),
            ("occurrence", "maximumOccurrence", "1"),
            ("domain", "domainValue", "Any text"),
        )
    ),
    iso_rule(
        "iso-20-condition",
        _ADDED,
        "gmd:condition",
        _condition,
        "when the element has to be there",
        "if the resource is a service",
        number="A.1 row 20",
    ),
    iso_rule(
        "iso-21-code",
        _ADDED,
        "gmd:domainCode",
        _extension("domainCode", "codelistElement", is_for=True),
        "the number of a code",
        "1",
        number="A.1 row 21",
    ),
    iso_rule(
        "iso-22-short",
        _ADDED,
        "gmd:shortName",
        _extension("shortName", "codelistElement", is_for=False),
        "a short name, without blanks",
        "landUse",
        number="A.1 row 22",
    ),
    iso_rule(
        "iso-23-extent",
        "Extent",
        "gmd:EX_Extent",
        one_of(
            "EX_Extent",
            "description",
            "geographicElement",
            "temporalElement",
            "verticalElement",
            found="has nothing in it",
        ),
        "a place, a time, a height or a description, or no such element",
        number="A.1 row 23",
    ),
    iso_rule(
        "iso-24-party",
        "Responsible party",
        "gmd:CI_ResponsibleParty",
        one_of(
            "CI_ResponsibleParty",
            "individualName",
            "organisationName",
            "positionName",
            found="names nobody",
        ),
        "gmd:organisationName, gmd:individualName or gmd:positionName",
        "<gco:CharacterString>Borchester Borough Council</gco:CharacterString>",
        number="A.1 row 24",
        is_rest=True,
    ),
    iso_rule(
        "iso-25-uom",
        "Spatial resolution and other measures",
        "gco:Distance, gco:Length, gco:Scale, gco:Angle",
        _measures,
        "the unit in the attribute uom",
        '<gco:Distance uom="urn:ogc:def:uom:EPSG::9001">10</gco:Distance>',
        number="A.1 rows 25 to 28",
    ),
    iso_rule(
        "iso-30-empty",
        "Elements without a value",
        "gmd:MD_Metadata",
        _empty,
        "a value in an element inside it, a gco:nilReason, or no such element",
        '<gmd:purpose gco:nilReason="unknown"/>',
        number="A.1 TestValues",
        is_rest=True,
    ),
)
