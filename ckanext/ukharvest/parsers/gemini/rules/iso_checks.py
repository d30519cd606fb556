"""Checks of ISO 19139, table A.1: constraints that its schema cannot express, for every record.

The rows follow version 1.4 of the table's Schematron, which data.gov.uk uses. Where that differs
from the table, ours follow the table: row 10 never fires there; rows 11 and 12 fire for a lineage
with both sources and steps; row 15 fires for every georectified picture without check points; row
16 for units without values; a quality without a level counts for row 8 alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.core.values.multivalue import is_yes
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.parsers.gemini.iso_node import IsoNode
from ckanext.ukharvest.parsers.gemini.rules.checks import NIL_REASONS, has, text_of, written_name
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import DATA, DATASET, Failure

_GCO = "{http://www.isotc211.org/2005/gco}"
# Elements that hold text, or that other rules check.
_VALUES = (_GCO, "{http://www.isotc211.org/2005/gmx}", "{http://www.opengis.net/gml")
_CODES = frozenset(("codeList", "codeListValue", "{http://www.w3.org/1999/xlink}href"))
_NIL = _GCO + "nilReason"


def other_restrictions(metadata: Metadata, name: str) -> Iterator[Failure]:
    """Require a text beside the code otherRestrictions."""
    for node in metadata.classes("MD_LegalConstraints"):
        if not has(node, "otherConstraints") and "otherRestrictions" in node.codes(name):
            yield Failure(f"is missing beside gmd:{name} with the code otherRestrictions", node)


def restriction_text(metadata: Metadata) -> Iterator[Failure]:
    """Require text in a restriction, or a nilReason."""
    for block in metadata.classes("MD_LegalConstraints"):
        node = block.first("otherConstraints")
        if node and not clean_text(text_of(node)) and node.nil not in NIL_REASONS:
            yield Failure("is empty", node)


def quality(metadata: Metadata) -> Iterator[Failure]:
    """Require a level, and for a dataset lineage or a report."""
    for node in metadata.classes("DQ_DataQuality"):
        levels = node.codes("scope/*/level")
        if not levels:
            yield Failure("does not say what it is about: its gmd:level is missing", node)
        elif DATASET in levels and not has(node, "report", "lineage"):
            yield Failure("has neither gmd:report nor gmd:lineage", node)


def level(metadata: Metadata) -> Iterator[Failure]:
    """Require a description of a level that is neither dataset nor series."""
    for node in metadata.classes("DQ_Scope"):
        levels = node.codes("level")
        if levels and DATA.isdisjoint(levels) and not has(node, "levelDescription"):
            yield Failure(f"is missing beside gmd:level '{shorten(levels[0])}'", node)


def lineage(metadata: Metadata) -> Iterator[Failure]:
    """Require a statement, a source or a step of a lineage."""
    for node in metadata.classes("LI_Lineage"):
        if not has(node, "statement", "source", "processStep"):
            yield Failure("has no gmd:statement, no gmd:source and no gmd:processStep", node)


def check_points(metadata: Metadata) -> Iterator[Failure]:
    """Require a description of check points that are available."""
    for node in metadata.classes("MD_Georectified"):
        is_available = is_yes(node.text("checkPointAvailability"))
        if is_available and not has(node, "checkPointDescription"):
            yield Failure("is missing, although check points are said to be available", node)


def band_units(metadata: Metadata) -> Iterator[Failure]:
    """Require the unit of a band's values."""
    for node in metadata.classes("MD_Band"):
        if has(node, "maxValue", "minValue") and not has(node, "units"):
            yield Failure("is missing beside gmd:maxValue or gmd:minValue", node)


def density(metadata: Metadata) -> Iterator[Failure]:
    """Require that a medium has both a density and its unit, or neither."""
    for first, second in (("density", "densityUnits"), ("densityUnits", "density")):
        for node in metadata.classes("MD_Medium"):
            if has(node, first) and not has(node, second):
                yield Failure(f"has gmd:{first} without gmd:{second}", node)


def measure(metadata: Metadata) -> Iterator[Failure]:
    """Require the unit of each measure."""
    for node in metadata.elements_named("Distance", "Length", "Scale", "Angle"):
        if node.element.get("uom") is None and str(node.element.tag).startswith(_GCO):
            yield Failure("has no uom", node)


def extension_unless(metadata: Metadata, name: str, *types: str) -> Iterator[Failure]:
    """Require a part of an element added by a profile, but not for these data types."""
    return _extension(metadata, name, types, is_for=False)


def extension_for(metadata: Metadata, name: str, *types: str) -> Iterator[Failure]:
    """Require a part of an element added by a profile, for these data types only."""
    return _extension(metadata, name, types, is_for=True)


def _extension(
    metadata: Metadata, name: str, types: tuple[str, ...], *, is_for: bool
) -> Iterator[Failure]:
    for node in metadata.classes("MD_ExtendedElementInformation"):
        part = node.first(name)
        if part is None and is_for == bool({*types} & {*node.codes("dataType")}):
            yield Failure(f"is missing in the element '{shorten(node.text('name'))}'", node)
        elif part is not None and not _has_value(part):
            yield Failure("is empty", part)


def _has_value(node: IsoNode) -> bool:
    return bool(node.own_code()) or node.nil in NIL_REASONS


def condition(metadata: Metadata) -> Iterator[Failure]:
    """Require the condition of a conditional element added by a profile."""
    for node in metadata.classes("MD_ExtendedElementInformation"):
        part = node.first("condition")
        if part is None and "conditional" in node.codes("obligation"):
            name = shorten(node.text("name"))
            yield Failure(f"is missing in the conditional element '{name}'", node)
        elif part is not None and not _has_value(part):
            yield Failure("is empty", part)


def empty(metadata: Metadata) -> Iterator[Failure]:
    """Require a value in each element, or the reason why there is none."""
    for element in metadata.record.element.iter("*"):
        if len(element) or str(element.tag).startswith(_VALUES):
            continue
        node = IsoNode(element, [])
        # The text of a class, such as MD_TopicCategoryCode and URL, is its value.
        if element.text and element.text.strip() and not node.name[0].islower():
            continue
        reason = str(element.get(_NIL) or "")
        is_nil = reason in NIL_REASONS or reason.startswith("other:")
        if not is_nil and _CODES.isdisjoint(element.keys()):
            content = "bare text in" if text_of(node).strip() else "an empty"
            yield Failure(f"has {content} {written_name(element)}", node)
