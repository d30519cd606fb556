"""Actions: show a run, and list the problems of records by kind, one by one, or by record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.errors import DuplicateGuid
from ckanext.ukharvest.core.outcomes import RecordState, RunOutcome
from ckanext.ukharvest.core.problems.texts import LOST, PROBLEM, SEVERITIES, Severity
from ckanext.ukharvest.logic import schema
from ckanext.ukharvest.logic.permissions import readable_organisations
from ckanext.ukharvest.logic.source_state import count_broken_links
from ckanext.ukharvest.logic.sources import run_row, source_of
from ckanext.ukharvest.model import (
    broken_links,
    changed_identifiers,
    link_checks,
    pending_deletions,
    problem_groups,
    run_records,
    runs,
)
from ckanext.ukharvest.model.problem_groups import Scope
from ckanext.ukharvest.model.runs import RunRow
from ckanext.ukharvest.presentation.messages import links as link_texts
from ckanext.ukharvest.presentation.messages import problems as words
from ckanext.ukharvest.texts import gettext

PROBLEMS_OF_A_ROW = 3

Say = Callable[[str, str, str], words.ProblemTexts]  # cached: only a few kinds of problem


@tk.side_effect_free
def ukharvest_run_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show a run of a harvest source. For users who may update the source.

    :param id: id of the run
    :type id: string

    :returns: ``id``, ``source`` (name), ``source_id``, ``status`` (of the harvest job),
        ``created``, ``started``, ``gathered`` (end of reading the source), ``finished`` (times are
        UTC in ISO 8601, null if not reached), ``seconds``, ``mode`` ("normal", "force", or
        "approval" of pending deletions), ``asked_by`` ("" for the schedule), ``stopped_by``,
        ``outcome`` ("finished",
        "errors", "held", "decided" (what was held is decided), "settled" (nothing of it waits any
        more), "empty", "shrunk", "failed", "stopped", "unchanged", "running",
        "queued"), ``reason``, ``error`` (of a failed run: ``code``, ``message``, ``passes``:
        whether such errors are often temporary), ``complete`` (whether it read the whole source),
        ``seen`` (number of records that the source listed), ``counts`` with ``added``,
        ``updated``, ``unchanged``, ``skipped``, ``deleted``, ``missing``, ``held``,
        ``new_identifiers`` (new records that wait because identifiers may have changed), ``same``
        (skipped because their dataset is here already, or was deleted here), ``lost``
        (failed) and ``with_problems`` (imported with a problem), ``is_last`` (no later run of the
        source has ended), ``waits`` (deletions that the run held are still pending) and
        ``identifiers_wait`` (such new records still wait for a decision)
    :rtype: dictionary
    """
    run = runs.describe(_run_of(context, data_dict, "ukharvest_run_show", "id"))
    is_held = run["outcome"] == RunOutcome.HELD
    return {
        **run,
        "waits": is_held and pending_deletions.held_by(run["source_id"]) == run["id"],
        "identifiers_wait": is_held and changed_identifiers.job_of(run["source_id"]) == run["id"],
    }


@tk.side_effect_free
def ukharvest_problem_group_list(context: Any, data_dict: dict[str, Any]) -> list[dict[str, Any]]:
    """List errors and problems by kind, the worst first, of a run or of a source as it is now.

    For users who may update the source. Of a source: errors and problems of the records that it
    still lists, why its last run failed, if it did, and the links of its datasets that did not
    work at their last check (code ``broken-link``; ``occurrences`` counts links, ``records`` their
    datasets; ``ukharvest_broken_link_list`` has all). Of a run: errors of the records that it did
    not import, and problems of the records that no later run has imported.

    :param source_id: id or name of a harvest source
    :type source_id: string
    :param job_id: id of a run, instead of the source
    :type job_id: string

    :returns: dicts with ``code``, ``field`` (without numbers of entries), ``severity`` ("stop": the
        run stopped; "lost": the records were not imported; "problem": they were imported with a
        problem; "note"), ``title``,
        ``meaning`` and ``tip`` (texts), ``records`` and ``occurrences`` (numbers), and
        ``examples``: for the first five records ``record_id`` (null if it has no page), ``guid``,
        ``title`` ("" if the dataset is another organisation's private one), ``message``,
        ``field`` and ``line``
    :rtype: list of dictionaries
    """
    scope = _scope(context, data_dict, "ukharvest_problem_group_list")
    groups = problem_groups.groups(scope)
    examples = [(group.code, example) for group in groups for example in group.examples]
    _name_first_records(scope, examples)
    rows = [*map(_group, groups), *_broken_links(context, scope)]
    return sorted(rows, key=lambda group: (SEVERITIES.index(group["severity"]), -group["records"]))


def _broken_links(context: Any, scope: Scope) -> list[dict[str, Any]]:
    """Return a group of the source's links that do not work, none for a run."""
    number, datasets = (0, 0) if scope.job_id else count_broken_links(context, scope.source_id)
    if not number:
        return []
    wanted = broken_links.Wanted(scope.source_id, reads=scope.reads)
    _number, rows = broken_links.links(wanted, problem_groups.EXAMPLES, 0)
    nothing = {"record_id": None, "guid": "", "field": "", "line": None}
    examples = [
        {
            **nothing,
            "title": row.title or row.name,
            "message": f"{row.url}: {link_texts.describe_state(link_checks.as_dict(row.Link))}",
        }
        for row in rows
    ]
    return [
        {
            "code": link_texts.BROKEN,
            "field": "",
            "severity": str(PROBLEM),
            **link_texts.describe_broken(),
            "records": datasets,
            "occurrences": number,
            "examples": examples,
        }
    ]


def _group(group: Any) -> dict[str, Any]:
    texts = words.describe_problem(group.code, Severity(group.kind), group.of_field)
    return {
        "code": group.code,
        "field": group.of_field,
        "severity": texts.severity,
        "title": texts.title,
        "meaning": texts.meaning,
        "tip": texts.tip,
        "records": group.records,
        "occurrences": group.occurrences,
        "examples": [{**example, "message": _message(example)} for example in group.examples],
    }


def _message(row: Mapping[str, Any]) -> str:
    """Return a row's message; an error of another harvester may have none."""
    return row["message"] or tk._("The reason is shown after the next run that reads the record.")


def _name_first_records(scope: Scope, problems: list[tuple[str, dict[str, Any]]]) -> None:
    """Add to the messages about used identifiers the title of the record that has each of them.

    Args:
        problems: code, and the dict with ``guid`` and ``message``.
    """
    used = [problem for code, problem in problems if code == DuplicateGuid.code]
    titles = problem_groups.titles(scope, {problem["guid"] for problem in used})
    for problem in used:
        if title := titles.get(problem["guid"]):
            first = gettext("The title of the imported record is “{title}”.", title=title)
            problem["message"] = f"{problem['message']} {first}"


@tk.side_effect_free
def ukharvest_problem_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List errors and problems of records one by one, errors first, as in the CSV files.

    For users who may update the source.

    :param source_id: id or name of a harvest source, for its records as they are now
    :type source_id: string
    :param job_id: id of a run, instead of the source
    :type job_id: string
    :param code: only this kind of problem (optional, default: all)
    :type code: string
    :param field: only problems of this field, without numbers of entries, such as
        ``distribution.mediaType`` (optional, default: all)
    :type field: string
    :param limit: how many to return (optional, default: 50, at most 10,000)
    :type limit: integer
    :param offset: how many to skip (optional, default: 0)
    :type offset: integer

    :returns: ``count`` and ``results``: dicts with ``outcome`` ("lost", or "problem": imported),
        ``severity``, ``code``, ``title`` of the kind, ``message``, ``tip``, ``field``, ``line``,
        ``record_id``, ``guid``, ``record_title``, ``record_url`` and ``dataset_name`` (null if
        there is none, or if it is another organisation's private one: then there is no title
        either)
    :rtype: dictionary
    """
    scope = _scope(context, data_dict, "ukharvest_problem_list")
    data = schema.validate(data_dict, schema.problem_list_schema())
    page = {"limit": data["limit"], "offset": data["offset"]}
    asked = {"code": data["code"], "field": data["field"]}
    rows = problem_groups.problems(scope, **asked, **page)
    _name_first_records(scope, [(row["code"], row) for row in rows])
    say = cache(words.describe_problem)
    return {
        "count": problem_groups.count_problems(scope, **asked),
        "results": [_problem(row, say(row["code"], row["kind"], row["field"])) for row in rows],
    }


def _problem(row: dict[str, Any], shown: words.ProblemTexts) -> dict[str, Any]:
    few = ("code", "message", "field", "line", "record_id", "guid", "dataset_name")
    return {
        **{key: row[key] for key in few},
        "message": _message(row),
        "outcome": row["kind"],
        "severity": shown.severity,
        "title": shown.title,
        "tip": shown.tip,
        "record_title": row["title"],
        "record_url": row["url"],
    }


@tk.side_effect_free
def ukharvest_record_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List the records of a run, or of a source as they are now, the worst first, then by title.

    For users who may update the source. Unchanged records, and those missed again, are listed for
    the last run only: of earlier runs only their numbers are stored.

    :param source_id: id or name of a harvest source
    :type source_id: string
    :param job_id: id of a run, instead of the source
    :type job_id: string
    :param outcome: only records that are ``lost`` (failed), ``held`` (their deletion is pending),
        ``missing``, ``deleted``, ``added``, ``updated``, ``waiting`` (not imported yet),
        ``skipped`` (by the source's options), ``unchanged``, or ``problems`` (imported with a
        problem) (optional, default: all)
    :type outcome: string
    :param code: only records with this kind of problem (optional, default: all)
    :type code: string
    :param field: only records with a problem of this field (optional, default: all)
    :type field: string
    :param q: a part of the title or the identifier (optional, default: all)
    :type q: string
    :param limit: how many to return (optional, default: 50, at most 1000)
    :type limit: integer
    :param offset: how many to skip (optional, default: 0)
    :type offset: integer

    :returns: ``count`` and ``results``: dicts with ``record_id`` (null if it has no page),
        ``guid``, ``title``, ``outcome``, ``dataset_name`` (null if there is none, or if it is
        another organisation's private one: then there is no title either), ``problems`` (the
        first three: ``code``, ``severity``, ``title``, ``message``, ``field``, ``line``) and
        ``problems_count``; ``listed``: outcome → number of records in all
    :rtype: dictionary
    """
    scope = _scope(context, data_dict, "ukharvest_record_list")
    data = schema.validate(data_dict, schema.record_list_schema())
    page = run_records.records(scope, **data)
    say = cache(words.describe_problem)
    return {
        "count": page.count,
        "listed": page.listed,
        "results": [_record(row, say) for row in page.rows],
    }


def _record(row: dict[str, Any], say: Say) -> dict[str, Any]:
    few = ("record_id", "guid", "title", "outcome", "dataset_name")
    kind = LOST if row["outcome"] == RecordState.LOST else PROBLEM
    first = row["problems"][:PROBLEMS_OF_A_ROW]
    return {
        **{key: row[key] for key in few},
        "problems": [_short(row, say(row["code"], kind, row["field"])) for row in first],
        "problems_count": len(row["problems"]),
    }


def _short(problem: dict[str, Any], shown: words.ProblemTexts) -> dict[str, Any]:
    few = {key: problem[key] for key in ("code", "message", "field", "line")}
    return {**few, "severity": shown.severity, "title": shown.title}


def _scope(context: Any, data_dict: dict[str, Any], action: str) -> Scope:
    """Return the source or run that the parameters name, after checking access."""
    if data_dict.get("job_id"):
        job = _run_of(context, data_dict, action, "job_id").job
        return Scope(job.source_id, job.id, readable_organisations(context))
    source = source_of(data_dict)
    tk.check_access(action, context, {"source_id": source.id})
    return Scope(source.id, "", readable_organisations(context))


def _run_of(context: Any, data_dict: dict[str, Any], action: str, key: str) -> RunRow:
    row = run_row(str(tk.get_or_bust(data_dict, key)))
    tk.check_access(action, context, {key: row.job.id})
    return row
