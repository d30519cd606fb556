"""One run, and what is wrong with a source's records: by kind, one by one, and by record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest.model import HarvestGatherError, HarvestJob

from ckanext.ukharvest.core.problem_words import LOST, PROBLEM, SEVERITIES, STOP
from ckanext.ukharvest.logic.may import reads
from ckanext.ukharvest.logic.paging import LARGEST_PAGE, validated
from ckanext.ukharvest.logic.sources import source_of
from ckanext.ukharvest.model import health, held, problem_groups, reports, run_figures, run_records
from ckanext.ukharvest.model.ownership import UNENDED
from ckanext.ukharvest.model.problem_groups import Scope
from ckanext.ukharvest.words import problems as words

LARGEST_LIST = 10_000  # of problems, for files
PROBLEMS_OF_A_ROW = 3

Say = Callable[[str, str], words.Shown]  # the same few kinds again and again


@tk.side_effect_free
def ukharvest_run_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show a run of a harvest source.

    :param id: id of the run
    :type id: string

    :returns: ``id``, ``source_id``, ``status`` (of the harvest job), ``created``, ``started``,
        ``gathered`` (the source was read), ``finished`` (UTC in ISO 8601, null where it has not
        come to that), ``seconds``, ``mode`` ("normal", "force", or "approval" of deletions that
        waited), ``asked_by`` ("" for the schedule), ``stopped_by``, ``outcome`` ("finished",
        "errors", "held", "failed", "stopped", "unchanged", "running", "queued"), ``reason``,
        ``error`` (of a run that failed: ``code``, ``message``, ``passes``: it often passes by
        itself), ``complete`` (it read the whole source), ``seen`` (records that the source
        listed), ``counts`` with ``added``, ``updated``, ``unchanged``, ``skipped``, ``deleted``,
        ``missing``, ``held``, ``lost`` (not brought in) and ``with_problems`` (brought in, and no
        later run brought them in again), ``is_last``: no later run of the source has ended, and
        ``waits``: deletions that it held wait for a decision
    :rtype: dictionary
    """
    job = _job_of(context, data_dict, "ukharvest_run_show", "id")
    (row,) = run_figures.of([job])
    later = model.Session.query(HarvestJob.id).filter(
        HarvestJob.source_id == job.source_id,
        HarvestJob.created > job.created,
        HarvestJob.status.notin_(UNENDED),
    )
    waits = row["outcome"] == "held" and held.held_by(job.source_id) == job.id
    return {**row, "is_last": later.first() is None, "waits": waits}


@tk.side_effect_free
def ukharvest_problem_groups(context: Any, data_dict: dict[str, Any]) -> list[dict[str, Any]]:
    """List what is wrong by kind, the worst first: in a run, or in a source as it is now.

    Of a source: what its records lack that it still lists, and why its last run failed, if it
    did. Of a run: what it could not bring in, and what the records lack that it was the last to
    bring in.

    :param source_id: id or name of a harvest source
    :type source_id: string
    :param job_id: id of a run, instead of the source
    :type job_id: string

    :returns: for each kind ``code``, ``severity`` ("stop": the run stopped; "lost": the records
        were not brought in; "problem": they were, and something is missing; "note"), ``title``,
        ``meaning`` and ``tip`` in words, ``records`` and ``occurrences`` (numbers), and
        ``examples``: of the first five records ``record_id`` (null if it has no page), ``guid``,
        ``title`` ("" where the dataset is another organisation's private one), ``message``,
        ``field`` and ``line``
    :rtype: list of dictionaries
    """
    scope = _scope(context, data_dict, "ukharvest_problem_groups")
    found = [*_stops(scope), *map(_group, problem_groups.groups(scope))]
    return sorted(found, key=lambda group: (SEVERITIES.index(group["severity"]), -group["records"]))


def _stops(scope: Scope) -> list[dict[str, Any]]:
    """Why the run failed, or the last one of the source."""
    job_id = scope.job_id or health.failed_run(scope.source_id)
    if not job_id:
        return []
    report = reports.reports_of([job_id]).get(job_id)
    if report and report.outcome != "failed":
        return []
    messages = model.Session.query(HarvestGatherError.message).filter_by(harvest_job_id=job_id)
    found = [row[0] for row in messages.order_by(HarvestGatherError.created).limit(5)]
    if not report and not found:
        return []
    code = ((report and report.error) or {}).get("code", "")
    examples = [_example(message) for message in found or [report.reason if report else ""]]
    return [_worded(code, STOP, 0, len(examples), examples)]


def _example(message: str) -> dict[str, Any]:
    nothing = {"record_id": None, "guid": "", "title": "", "field": "", "line": None}
    return {**nothing, "message": message}


def _group(group: problem_groups.Group) -> dict[str, Any]:
    kind = LOST if group.kind == LOST else PROBLEM
    examples = [{**each, "message": _message(each)} for each in group.examples]
    return _worded(group.code, kind, group.records, group.occurrences, examples)


def _message(row: Mapping[str, Any]) -> str:
    """What a record lacks; of one that was lost before messages were kept, nobody knows."""
    return row["message"] or tk._("The next run that reads the record tells why.")


def _worded(
    code: str, kind: str, records: int, occurrences: int, examples: list[dict[str, Any]]
) -> dict[str, Any]:
    shown = words.shown(code, kind)
    return {
        "code": code,
        "severity": shown.severity,
        "title": shown.title,
        "meaning": shown.meaning,
        "tip": shown.tip,
        "records": records,
        "occurrences": occurrences,
        "examples": examples,
    }


@tk.side_effect_free
def ukharvest_problem_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List what is wrong with records one by one, lost records first; the CSV files are this.

    :param source_id: id or name of a harvest source, for what is open now
    :type source_id: string
    :param job_id: id of a run, instead of the source
    :type job_id: string
    :param code: only this kind (optional)
    :type code: string
    :param limit: how many to return (optional, default: 50, at most 10,000)
    :type limit: integer
    :param offset: how many to leave out (optional, default: 0)
    :type offset: integer

    :returns: ``count`` and ``results``: dicts with ``outcome`` ("lost", or "problem": brought
        in), ``severity``, ``code``, ``title`` of the kind, ``message``, ``field``, ``line``,
        ``record_id``, ``guid``, ``record_title``, ``record_url`` and ``dataset_name`` (null where
        there is none, or it is another organisation's private one: it has no title either)
    :rtype: dictionary
    """
    scope = _scope(context, data_dict, "ukharvest_problem_list")
    data = _checked(data_dict, largest=LARGEST_LIST)
    page = {"limit": data["limit"], "offset": data["offset"]}
    rows = problem_groups.problems(scope, code=data["code"], **page)
    say = cache(words.shown)
    return {
        "count": problem_groups.count_problems(scope, code=data["code"]),
        "results": [_problem(row, say(row["code"], row["kind"])) for row in rows],
    }


def _problem(row: dict[str, Any], shown: words.Shown) -> dict[str, Any]:
    few = ("code", "message", "field", "line", "record_id", "guid", "dataset_name")
    return {
        **{key: row[key] for key in few},
        "message": _message(row),
        "outcome": row["kind"],
        "severity": shown.severity,
        "title": shown.title,
        "record_title": row["title"],
        "record_url": row["url"],
    }


@tk.side_effect_free
def ukharvest_record_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List the records of a run, or of a source as they are now, the worst first, then by title.

    What a run left unchanged or did not find is listed for the last run alone: nothing else is
    kept of it than its number.

    :param source_id: id or name of a harvest source
    :type source_id: string
    :param job_id: id of a run, instead of the source
    :type job_id: string
    :param outcome: only records that are ``lost``, ``held`` (would be deleted), ``missing``,
        ``deleted``, ``added``, ``updated``, ``waiting`` (not imported), ``skipped`` (left out),
        ``unchanged``, or ``problems``: brought in with problems (optional)
    :type outcome: string
    :param code: only records with this kind of problem (optional)
    :type code: string
    :param q: a part of the title or the identifier (optional)
    :type q: string
    :param limit: how many to return (optional, default: 50, at most 1000)
    :type limit: integer
    :param offset: how many to leave out (optional, default: 0)
    :type offset: integer

    :returns: ``count`` and ``results``: dicts with ``record_id`` (null: it has no page), ``guid``,
        ``title``, ``outcome``, ``dataset_name`` (null where there is none, or it is another
        organisation's private one: it has no title either), ``problems`` (the first three:
        ``code``, ``severity``, ``title``, ``message``, ``field``, ``line``) and
        ``problems_count``; ``listed``: outcome → how many records are listed with it in all
    :rtype: dictionary
    """
    scope = _scope(context, data_dict, "ukharvest_record_list")
    data = _checked(data_dict)
    page = run_records.records(scope, **data)
    problems = run_records.problems_of(page.rows)
    say = cache(words.shown)
    return {
        "count": page.count,
        "listed": page.listed,
        "results": [_record(row, problems[row["who"]], say) for row in page.rows],
    }


def _record(row: dict[str, Any], problems: list[dict[str, Any]], say: Say) -> dict[str, Any]:
    few = ("record_id", "guid", "title", "outcome", "dataset_name")
    first = problems[:PROBLEMS_OF_A_ROW]
    return {
        **{key: row[key] for key in few},
        "problems": [_short(each, say(each["code"], each["kind"])) for each in first],
        "problems_count": len(problems),
    }


def _short(problem: dict[str, Any], shown: words.Shown) -> dict[str, Any]:
    few = {key: problem[key] for key in ("code", "message", "field", "line")}
    return {**few, "severity": shown.severity, "title": shown.title}


def _checked(data_dict: dict[str, Any], *, largest: int = LARGEST_PAGE) -> dict[str, Any]:
    text = [tk.get_validator("default")(""), tk.get_validator("unicode_safe")]
    schema = {"outcome": [*text, _is_outcome], "code": text, "q": text}
    return validated(data_dict, schema, page=50, largest=largest)


def _is_outcome(value: str) -> str:
    if value and value not in (*run_records.OUTCOMES, run_records.PROBLEMS):
        raise tk.Invalid(tk._("Expected the outcome of a record, such as lost or added."))
    return value


def _scope(context: Any, data_dict: dict[str, Any], action: str) -> Scope:
    """Return whose problems are asked for, once it is clear that they may be."""
    if data_dict.get("job_id"):
        job = _job_of(context, data_dict, action, "job_id")
        return Scope(job.source_id, job.id, reads(context))
    source = source_of(data_dict)
    tk.check_access(action, context, {"source_id": source.id})
    return Scope(source.id, "", reads(context))


def _job_of(context: Any, data_dict: dict[str, Any], action: str, key: str) -> HarvestJob:
    job = HarvestJob.get(str(tk.get_or_bust(data_dict, key)))
    if job is None:
        raise tk.ObjectNotFound(tk._("There is no run of this id."))
    tk.check_access(action, context, {key: job.id})
    return job
