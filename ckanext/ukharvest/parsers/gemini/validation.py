"""Validation of a GEMINI record: the choice of rules, and the outcome.

By default the record's edition of GEMINI is detected, and its rules (``rules/``) apply; a source
may choose other rules instead. Broken rules become problems of the record, unless the source is set
to reject: then a record that breaks a requirement of the standard fails.
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

REPORT, REJECT, OFF = "report", "reject", "off"
# Limits of a rejected record's message; its problems list all faults.
_MOST_FAULTS = 10
_LONGEST = 200  # characters of one

_TABLE_A1 = _("ISO 19139, table A.1")
_NO_SCHEMA = _("ISO 19139, table A.1 (before: a schema, which is no longer checked)")

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
    metadata = Metadata(entry.record, entry.guid)
    rules = edition.rules(RULES, metadata, entry.options.get("validation_profiles", ()))
    broken = report.failing(rules, metadata)
    unreported = tuple(report.problem(*pair) for pair in report.drop_reported(broken, problems))
    errors = [report.problem(rule, places) for rule, places in broken if rule.is_error]
    if how == REJECT and errors:
        title = citation.title(entry.identification)
        raise NotValid(_rejection(entry, errors), problems=(*problems, *unreported), title=title)
    return unreported


def _rejection(entry: Entry, errors: Sequence[Problem]) -> str:
    faults = [
        f"({number}) {_placed(error)}" for number, error in enumerate(errors[:_MOST_FAULTS], 1)
    ]
    if len(errors) > _MOST_FAULTS:
        faults.append(f"and {len(errors) - _MOST_FAULTS} more")
    return f"dataset '{entry.guid}' is rejected, as it breaks its standard: {'; '.join(faults)}"


def _placed(problem: Problem) -> str:
    message = shorten(problem.message, _LONGEST)
    return f"line {problem.line}: {message}" if problem.line else message
