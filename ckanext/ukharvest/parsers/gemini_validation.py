"""A GEMINI record judged: by which rules, and what comes of it.

Without a setting of the source the record itself tells its edition of GEMINI, and our own table
of rules (``gemini_rules``) is asked; a source may name profiles instead, ours and those of
ckanext-spatial (``gemini_schemas``). What is found becomes problems of the record, unless the
source is set to reject: then what the standard demands and the record lacks costs the record.
"""

from __future__ import annotations

from collections.abc import Sequence

from ckanext.ukharvest.core.errors import NotValid
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values import shorten
from ckanext.ukharvest.parsers import gemini_citation, gemini_schemas
from ckanext.ukharvest.parsers.gemini_entry import Entry
from ckanext.ukharvest.parsers.gemini_rules import RULES, edition, report
from ckanext.ukharvest.parsers.gemini_rules.metadata import Metadata
from ckanext.ukharvest.parsers.gemini_rules.rule import Rule

REPORT, REJECT, OFF = "report", "reject", "off"
# Of the message of a rejected record, which has all of its faults as problems beside it.
_SAID = 10  # faults
_LONGEST = 200  # characters of one

OPTIONS = (
    Option(
        "validation",
        "text",
        REPORT,
        "What happens to a record that does not follow the standard: it comes in and its problems"
        " are shown (report), it is rejected and its earlier version stays (reject), or it is not"
        " asked (off).",
        choices=(REPORT, REJECT, OFF),
        alias="continue_on_validation_errors",
        alias_values={"true": REPORT, "false": REJECT},
    ),
    Option(
        "validation_profiles",
        "list",
        (),
        "What records are judged by, whatever they say of themselves: gemini2-3, gemini2-1 and"
        " table-a1 (of ISO 19139) are rules of this extension; the others are the schemas and"
        " Schematrons of ckanext-spatial, which has to be installed (constraints and gemini2 with"
        " their versions are slow). Without any the record tells its edition of GEMINI.",
        choices=(*edition.PROFILES, *gemini_schemas.PROFILES),
        check=gemini_schemas.unavailable,
        alias="validator_profiles",
    ),
)


def check(entry: Entry, problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """Return what a record does not follow, beside the problems that it has already.

    Raises:
        NotValid: the source rejects such records.
    """
    # A parser may be called without options, which then asks for nothing beyond reading.
    how = entry.options.get("validation", OFF)
    if how == OFF:
        return ()
    profiles = entry.options.get("validation_profiles", ())
    metadata = Metadata(entry.record, entry.guid)
    foreign = gemini_schemas.judge(profiles, entry.record.element, metadata.type)
    broken = report.failing(_rules(metadata, profiles), metadata)
    found = (*foreign, *(report.problem(*each) for each in report.news(broken, problems)))
    errors = [*foreign, *(report.problem(*each) for each in broken if each[0].is_error)]
    if how == REJECT and errors:
        title = gemini_citation.title(entry.identification)
        raise NotValid(_rejection(entry, errors), problems=(*problems, *found), title=title)
    return found


def _rules(metadata: Metadata, profiles: Sequence[str]) -> tuple[Rule, ...]:
    """Our own rules: those that the source names, and none where it names others alone."""
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
