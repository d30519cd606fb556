"""Validation of a GEMINI record: the choice of rules, and the outcome.

By default the record's edition of GEMINI is detected, and our own rules (``gemini_rules``) apply; a
source may name profiles instead, ours and those of ckanext-spatial (``gemini_schemas``). Faults
become problems of the record, unless the source is set to reject: then a record that breaks a
requirement of the standard fails.
"""

from __future__ import annotations

from collections.abc import Sequence

from ckanext.ukharvest.core.errors import NotValid
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini import citation
from ckanext.ukharvest.parsers.gemini.entry import Entry
from ckanext.ukharvest.parsers.gemini.rules import RULES, edition, report
from ckanext.ukharvest.parsers.gemini.rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini.rules.rule import Rule
from ckanext.ukharvest.parsers.gemini.validation import profiles as gemini_schemas

REPORT, REJECT, OFF = "report", "reject", "off"
# Limits of a rejected record's message; its problems list all faults.
_SAID = 10  # faults
_LONGEST = 200  # characters of one

OPTIONS = (
    Option(
        "validation",
        "text",
        REPORT,
        "What happens to a record that does not follow the standard: report imports it and "
        "shows its problems, reject keeps the earlier version, off does not check.",
        choices={
            REPORT: _("Import them and show their problems"),
            REJECT: _("Do not import them; keep the earlier version"),
            OFF: _("Do not check"),
        },
        alias="continue_on_validation_errors",
        alias_values={"true": REPORT, "false": REJECT},
        label=_("Records that do not follow the standard"),
        form_help=_("What happens to a record or document with faults."),
    ),
    Option(
        "validation_profiles",
        "list",
        (),
        "What records are checked against: gemini2-3, gemini2-1 and table-a1 (of ISO 19139) "
        "are rules of this extension. The others are the schemas and Schematrons of "
        "ckanext-spatial, which must be installed (constraints and gemini2 with their versions "
        "are slow). Empty: the edition of GEMINI that the record states.",
        choices={
            "gemini2-3": "GEMINI 2.3",
            "gemini2-1": "GEMINI 2.1",
            "table-a1": _("ISO 19139, table A.1"),
            "iso19139": _("ISO 19139 schema"),
            "iso19139eden": _("ISO 19139 schema (EDEN)"),
            "iso19139ngdc": _("ISO 19139 schema (NGDC)"),
            "constraints": _("ISO constraints (slow)"),
            "constraints-1.4": _("ISO constraints 1.4 (slow)"),
            "gemini2": _("GEMINI 2 Schematron (slow)"),
            "gemini2-1.3": _("GEMINI 2 Schematron 1.3 (slow)"),
        },
        check=gemini_schemas.unavailable,
        alias="validator_profiles",
        label=_("Check records against"),
        form_help=_(
            "Records are checked against these. Choose none to check each record against the "
            "edition that it names."
        ),
    ),
)


def check(entry: Entry, problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """Return the problems found by validation, without those already reported.

    Raises:
        NotValid: the source rejects such records.
    """
    # A parser may be called without options, and then only reads.
    how = entry.options.get("validation", OFF)
    if how == OFF:
        return ()
    profiles = entry.options.get("validation_profiles", ())
    metadata = Metadata(entry.record, entry.guid)
    foreign = gemini_schemas.judge(profiles, entry.record.element, metadata.type)
    broken = report.failing(_rules(metadata, profiles), metadata)
    found = (*foreign, *(report.problem(*each) for each in report.drop_reported(broken, problems)))
    errors = [*foreign, *(report.problem(*each) for each in broken if each[0].is_error)]
    if how == REJECT and errors:
        title = citation.title(entry.identification)
        raise NotValid(_rejection(entry, errors), problems=(*problems, *found), title=title)
    return found


def _rules(metadata: Metadata, profiles: Sequence[str]) -> tuple[Rule, ...]:
    """Return the source's choice of our own rules; none if it names only other profiles."""
    own = [name for name in profiles if name in edition.PROFILES]
    return edition.rules(RULES, metadata, own) if own or not profiles else ()


def _rejection(entry: Entry, errors: Sequence[Problem]) -> str:
    said = [f"({number}) {_placed(each)}" for number, each in enumerate(errors[:_SAID], 1)]
    if len(errors) > _SAID:
        said.append(f"and {len(errors) - _SAID} more")
    return f"dataset '{entry.guid}' is rejected, as it breaks its standard: {'; '.join(said)}"


def _placed(problem: Problem) -> str:
    said = shorten(problem.message, _LONGEST)
    return f"line {problem.line}: {said}" if problem.line else said
