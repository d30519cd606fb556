"""Records of location data: UK GEMINI 2.1 to 2.3 (ISO 19139), and fields common to its kin.

Specification: UK GEMINI 2.3 of the Association for Geographic Information; ISO 19139, 19115-2
and 19115-3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lxml import etree

from ckanext.ukharvest.core.errors import NotValid
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.xml import parser as xml
from ckanext.ukharvest.parsers import oai_dc, table
from ckanext.ukharvest.parsers.gemini import document as gemini_document
from ckanext.ukharvest.parsers.gemini import extent, identification, links, people, places, quality
from ckanext.ukharvest.parsers.gemini.document import Entry, IsoNode, Reads
from ckanext.ukharvest.parsers.gemini.rules import RULES, report
from ckanext.ukharvest.parsers.gemini.rules.rule import Metadata
from ckanext.ukharvest.parsers.table import Field, Row, collect
from ckanext.ukharvest.parsers.xml_fields import wrong_root

REPORT, REJECT, OFF = "report", "reject", "off"
# Limits of a rejected record's message; its problems list all faults.
_MOST_FAULTS = 10
_LONGEST = 200  # characters of one

_TABLE_A1 = _("ISO 19139, table A.1")
_NO_SCHEMA = _("ISO 19139, table A.1 (replaces a schema that is no longer checked)")

_VALIDATION_OPTIONS = (
    Option(
        "validation",
        "text",
        REPORT,
        "What happens to a record that does not follow the standard: report imports it and "
        "shows its problems, reject keeps the earlier version, off does not check.",
        choices={
            REPORT: _("Import what can be read and show the problems"),
            REJECT: _("Do not import them; keep the earlier version"),
            OFF: _("Do not check"),
        },
        alias="continue_on_validation_errors",
        alias_values={"true": REPORT, "false": REJECT},
        label=_("Records that do not follow the standard"),
        form_help="",
    ),
    Option(
        "validation_profiles",
        "list",
        (),
        "What records are checked against: the rules of gemini2-3, gemini2-1 or table-a1 (of ISO "
        "19139). ckanext-spatial's names choose one of these: gemini2 and gemini2-1.3 choose "
        "gemini2-1, constraints and constraints-1.4 table-a1, and so do the schemas iso19139, "
        "iso19139eden and iso19139ngdc, which are not checked. Empty: the edition of GEMINI that "
        "the record states.",
        choices={"gemini2-3": "GEMINI 2.3", "gemini2-1": "GEMINI 2.1", "table-a1": _TABLE_A1},
        old_choices={
            "gemini2": "GEMINI 2.1",
            "gemini2-1.3": "GEMINI 2.1",
            "constraints": _TABLE_A1,
            "constraints-1.4": _TABLE_A1,
            "iso19139": _NO_SCHEMA,
            "iso19139eden": _NO_SCHEMA,
            "iso19139ngdc": _NO_SCHEMA,
        },
        alias="validator_profiles",
        label=_("Check records against"),
        form_help=_("Choose none to check each record against the edition that it names."),
    ),
)


def _validate(entry: Entry, problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """Return the problems found by validation, without those already reported.

    Raises:
        NotValid: the source rejects such records.
    """
    # A parser may be called without options, and then only reads.
    how = entry.options.get("validation", OFF)
    if how == OFF:
        return ()
    metadata = Metadata(entry.record, entry.guid)
    rules = report.rules_for(RULES, metadata, entry.options.get("validation_profiles", ()))
    broken = report.failing(rules, metadata)
    unreported = tuple(report.problem(*pair) for pair in report.drop_reported(broken, problems))
    errors = [report.problem(rule, places) for rule, places in broken if rule.is_error]
    if how == REJECT and errors:
        title = identification.title(entry.identification)
        raise NotValid(_rejection(entry, errors), problems=(*problems, *unreported), title=title)
    return unreported


def _rejection(entry: Entry, errors: Sequence[Problem]) -> str:
    faults = [
        f"({number}) {_placed(error)}" for number, error in enumerate(errors[:_MOST_FAULTS], 1)
    ]
    if len(errors) > _MOST_FAULTS:
        faults.append(f"and {len(errors) - _MOST_FAULTS} more")
    return Message(
        "dataset '{guid}' is rejected, as it breaks its standard: {faults}",
        guid=entry.guid,
        faults="; ".join(faults),
    )


def _placed(problem: Problem) -> str:
    message = shorten(problem.message, _LONGEST)
    return f"line {problem.line}: {message}" if problem.line else message


VERSION = 5 + oai_dc.VERSION  # of records without ISO 19139
FORM = "xml"
OPTIONS = (
    *links.OPTIONS,
    *people.OPTIONS,
    *_VALIDATION_OPTIONS,
    Option(
        "require_location",
        "boolean",
        False,
        "Whether records without a place are refused instead of imported with a problem; an "
        "earlier version is kept. Those that say that they are not geographic are imported.",
        label=_("Refuse records without a place"),
        form_help=_("An earlier version of a refused record is kept."),
        is_rare=True,
    ),
)


def parse(raw: RawRecord, options: Mapping[str, Any]) -> DatasetRecord:
    """Read one record.

    Raises:
        ParseError: another document, or without title or identity.
        NotValid: an option rejects records that do not follow the standard.
        SkipRecord: an option excludes it.
    """
    root = _root(raw)
    if xml.local_name(root) in gemini_document.DUBLIN_CORE:
        return oai_dc.parse(raw, options)
    problems: list[Problem] = []
    entry = _entry(root, raw, options, problems)
    table.require(raw, raw.guid, "gmd:fileIdentifier", "missing-identifier")
    title = identification.title(entry.identification)
    table.require(raw, title, "gmd:title", "missing-title")
    values, extras = collect(MAPPING, entry)
    extras = table.add_unread(extras, entry.record.unread())
    # A contact of both record and resource is read for each, but reported once.
    reported = tuple(dict.fromkeys(problems))
    reported += _validate(entry, reported)
    reported += _location(entry, values | extras, reported, title)
    return DatasetRecord(raw.guid, title, extras=extras, problems=reported, **values)


def _location(
    entry: Entry, values: Mapping[str, Any], problems: tuple[Problem, ...], title: str
) -> tuple[Problem, ...]:
    """Return the problem of a record without a place that has none yet.

    Raises:
        NotValid: an option refuses such records.
    """
    is_located = values.get("spatial") or values.get("spatial_text")
    if is_located or values.get("resource-type") == "nonGeographicDataset":
        return ()
    field = places.BOX_FIELD
    words = Message(
        "{field}: missing; expected the box around the place that the data are about", field=field
    )
    if entry.options.get("require_location"):
        raise NotValid(
            Message("dataset '{guid}': {words}", guid=entry.guid, words=words),
            problems=problems,
            title=title,
        )
    is_reported = any(problem.field == field for problem in problems)
    is_off = entry.options.get("validation", OFF) == OFF
    return () if is_reported or is_off else (Problem("missing-field", field, words),)


def _entry(
    root: etree._Element, raw: RawRecord, options: Mapping[str, Any], problems: list[Problem]
) -> Entry:
    record = IsoNode(root, problems, Reads())
    identification = record.first("identificationInfo/*") or IsoNode(etree.Element("_"), problems)
    return Entry(record, identification, raw.guid, raw.url, options)


def _root(raw: RawRecord) -> etree._Element:
    try:
        root = xml.parse(raw.content or "", url=raw.url)
    except xml.HasDoctype as exc:
        # The kind of document is a better message than its forbidden parts.
        if not gemini_document.describe_other_root(exc.root):
            raise
        root = exc.root
    name = xml.local_name(root)
    is_core = name in gemini_document.DUBLIN_CORE and oai_dc.is_record(root)
    if name not in gemini_document.RECORDS and not is_core:
        words = gemini_document.describe_other_root(root)
        raise wrong_root(raw, root, gemini_document.ROOT, f" ({words})" if words else "")
    return root


MAPPING: tuple[Field | Row, ...] = (
    Field(("gmd:fileIdentifier",), "guid"),
    Field(("gmd:title",), "title"),
    *identification.MAPPING,
    *people.MAPPING,
    *quality.MAPPING,
    *extent.MAPPING,
    *places.MAPPING,
    *links.MAPPING,
    Field(("each of these elements in another shape",), "extras"),
)
