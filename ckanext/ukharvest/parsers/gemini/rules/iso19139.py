"""ISO 19139, table A.1: constraints that its schema cannot express, for every ISO 19139 record.

The rows follow version 1.4 of the table's Schematron, which data.gov.uk uses. Where that differs
from the table, ours follow the table: row 10 never fires there; rows 11 and 12 fire for a lineage
with both sources and steps; row 15 fires for every georectified picture without check points; row
16 for units without values; a quality without a level counts for row 8 alone.
"""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest.core.values.multivalue import is_yes
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.parsers.gemini.rules.checks import NIL_REASONS, needed, text_of
from ckanext.ukharvest.parsers.gemini.rules.iso_checks import has, iso_rule, one_of
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import DATASET, Failure, Test

# ISO 19115's default if no type is given is dataset.
_DATASETS = frozenset((DATASET, ""))
_PLACES = "identificationInfo/*/extent/*/geographicElement"


def _other_restrictions(name: str) -> Test:
    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.classes("MD_LegalConstraints"):
            if not has(node, "otherConstraints") and "otherRestrictions" in node.codes(name):
                found = f"is missing beside gmd:{name} with the code otherRestrictions"
                yield Failure(found, node)

    return test


def _restriction_text(metadata: Metadata) -> Iterator[Failure]:
    for block in metadata.classes("MD_LegalConstraints"):
        node = block.first("otherConstraints")
        if node and not clean_text(text_of(node)) and node.nil not in NIL_REASONS:
            yield Failure("is empty", node)


def _quality(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.classes("DQ_DataQuality"):
        levels = node.codes("scope/*/level")
        if not levels:
            yield Failure("does not say what it is about: its gmd:level is missing", node)
        elif DATASET in levels and not has(node, "report", "lineage"):
            yield Failure("has neither gmd:report nor gmd:lineage", node)


def _level(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.classes("DQ_Scope"):
        levels = node.codes("level")
        if levels and not {"dataset", "series"} & set(levels) and not has(node, "levelDescription"):
            yield Failure(f"is missing beside gmd:level '{shorten(levels[0])}'", node)


def _lineage(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.classes("LI_Lineage"):
        if not has(node, "statement", "source", "processStep"):
            yield Failure("has no gmd:statement, no gmd:source and no gmd:processStep", node)


def _check_points(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.classes("MD_Georectified"):
        is_available = is_yes(node.text("checkPointAvailability"))
        if is_available and not has(node, "checkPointDescription"):
            yield Failure("is missing, although check points are said to be available", node)


def _band_units(metadata: Metadata) -> Iterator[Failure]:
    for node in metadata.classes("MD_Band"):
        if has(node, "maxValue", "minValue") and not has(node, "units"):
            yield Failure("is missing beside gmd:maxValue or gmd:minValue", node)


def _density(metadata: Metadata) -> Iterator[Failure]:
    yield from _follows("MD_Medium", "density", "densityUnits")(metadata)
    yield from _follows("MD_Medium", "densityUnits", "density")(metadata)


def _follows(name: str, given: str, needed: str) -> Test:
    """Require that an element of a class with one child also has another one."""

    def test(metadata: Metadata) -> Iterator[Failure]:
        for node in metadata.classes(name):
            if has(node, given) and not has(node, needed):
                yield Failure(f"has gmd:{given} without gmd:{needed}", node)

    return test


RULES = (
    iso_rule(
        "iso-04-extent",
        "Extent",
        "gmd:extent",
        needed(f"{_PLACES}/EX_GeographicBoundingBox", f"{_PLACES}/EX_GeographicDescription"),
        "a bounding box or the name of a place",
        "a gmd:EX_GeographicBoundingBox with west -2.11, east -1.78, south 52.04, north 52.31",
        number="A.1 row 4",
        types=_DATASETS,
        is_error=True,
        unless=("gemini-44-needed",),
    ),
    iso_rule(
        "iso-05-topic",
        "Topic category",
        "gmd:topicCategory",
        needed("identificationInfo/*/topicCategory"),
        "at least one of ISO's nineteen topics",
        "<gmd:MD_TopicCategoryCode>inlandWaters</gmd:MD_TopicCategoryCode>",
        number="A.1 row 5",
        types=_DATASETS,
        is_error=True,
        unless=("gemini-05-needed",),
    ),
    iso_rule(
        "iso-06-aggregate",
        "Related resource",
        "gmd:aggregationInfo",
        one_of(
            "MD_AggregateInformation",
            "aggregateDataSetName",
            "aggregateDataSetIdentifier",
            found="does not say which resource it means",
        ),
        "gmd:aggregateDataSetName or gmd:aggregateDataSetIdentifier",
        "a gmd:aggregateDataSetName with the title Land use of Borchester",
        number="A.1 row 6",
    ),
    iso_rule(
        "iso-07-access-other",
        "Limitations on public access",
        "gmd:otherConstraints",
        _other_restrictions("accessConstraints"),
        "the restrictions as text",
        "no limitations to public access",
        number="A.1 row 7",
        unless=("gemini-25-one", "gemini-25-other"),
    ),
    iso_rule(
        "iso-07-use-other",
        "Use constraints",
        "gmd:otherConstraints",
        _other_restrictions("useConstraints"),
        "the conditions as text, or the licence",
        "Open Government Licence v3.0",
        number="A.1 row 7",
        unless=("gemini-25-other",),
    ),
    iso_rule(
        "iso-07-value",
        "Limitations on public access, use constraints",
        "gmd:otherConstraints",
        _restriction_text,
        "the restrictions or the licence as text",
        "Open Government Licence v3.0",
        number="A.1 row 7",
        is_rest=True,
    ),
    iso_rule(
        "iso-08-report",
        "Data quality",
        "gmd:DQ_DataQuality",
        _quality,
        "gmd:scope with the level, and for a dataset its lineage or a report",
        "a gmd:LI_Lineage with the statement Digitised from maps at 1:10 000 in 2019",
        number="A.1 row 8",
        unless=("gemini-10-needed", "gemini-10-scope-d"),
    ),
    iso_rule(
        "iso-09-description",
        "Quality scope",
        "gmd:levelDescription",
        _level,
        "a gmd:levelDescription wherever the level is neither dataset nor series",
        "a gmd:MD_ScopeDescription with the gmd:other service",
        number="A.1 row 9",
        is_error=True,
        unless=("gemini-48-desc",),
    ),
    iso_rule(
        "iso-10-statement",
        "Lineage",
        "gmd:LI_Lineage",
        _lineage,
        "a statement of where the data comes from",
        "<gco:CharacterString>Digitised from maps at 1:10 000 in 2019</gco:CharacterString>",
        number="A.1 rows 10 to 12",
        unless=("gemini-10-needed",),
    ),
    iso_rule(
        "iso-13-source",
        "Lineage",
        "gmd:LI_Source",
        one_of("LI_Source", "description", "sourceExtent", found="does not say what source it is"),
        "a gmd:description or a gmd:sourceExtent",
        "<gco:CharacterString>Aerial photographs of June 2025</gco:CharacterString>",
        number="A.1 rows 13, 14",
    ),
    iso_rule(
        "iso-15-checkpoints",
        "Grid",
        "gmd:checkPointDescription",
        _check_points,
        "a description of the check points, or gmd:checkPointAvailability false",
        "Twelve trig pillars, listed in the survey's report",
        number="A.1 row 15",
    ),
    iso_rule(
        "iso-16-units",
        "Band",
        "gmd:units",
        _band_units,
        "the unit of these values",
        '<gmd:units xlink:href="urn:ogc:def:uom:EPSG::9001"/>',
        number="A.1 row 16",
    ),
    iso_rule(
        "iso-17-density",
        "Medium",
        "gmd:MD_Medium",
        _density,
        "both, or neither",
        "1600 in gmd:density with bpi in gmd:densityUnits",
        number="A.1 row 17",
    ),
    iso_rule(
        "iso-18-format",
        "Data format",
        "gmd:distributionFormat",
        one_of(
            "MD_Distribution",
            "distributionFormat",
            "distributor/*/distributorFormat",
            found="is missing",
        ),
        "gmd:name and gmd:version of each file format, or of the service's protocol",
        "GeoPackage and 1.3, or OGC WMS and 1.3.0",
        number="A.1 row 18",
        is_error=True,
        unless=("gemini-21-needed",),
    ),
)
