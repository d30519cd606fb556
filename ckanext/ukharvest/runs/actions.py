"""Actions: show a run, list problems and records, show and import a record."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from ckan import model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.outcomes import RecordState, RunOutcome
from ckanext.ukharvest.core.problems.texts import LOST, PROBLEM
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.datasets.records import describe_record
from ckanext.ukharvest.harvest.records import record_history
from ckanext.ukharvest.harvest.run import outcomes, runs
from ckanext.ukharvest.harvest.sources import accepted_problems, decision_log
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib import texts as lib_texts
from ckanext.ukharvest.lib.lookups import find_record, not_found, run_row, source_of
from ckanext.ukharvest.lib.permissions import readable_organisations
from ckanext.ukharvest.lib.schema import invalid
from ckanext.ukharvest.rendering import problem_texts
from ckanext.ukharvest.runs import model as run_model
from ckanext.ukharvest.runs import problems
from ckanext.ukharvest.runs import schema as run_schema
from ckanext.ukharvest.runs import texts as run_texts
from ckanext.ukharvest.runs.model import Scope
from ckanext.ukharvest.sources.decisions import describe_decision

PROBLEMS_OF_A_ROW = 3

Say = Callable[[str, str, str], problem_texts.ProblemTexts]  # cached: only a few kinds of problem


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
        source has ended), ``waits`` (deletions that the run held are still pending),
        ``identifiers_wait`` (such new records still wait for a decision), ``decisions`` (what
        was decided about them, as in :py:func:`ukharvest_decision_list`), and what the run's page
        shows: ``heading``, ``css``, ``text`` (list of sentences: how it ended), ``note`` and
        ``about`` (list of sentences: who started it, how long it took, how much it read)
    :rtype: dictionary
    """
    row = run_row(tk.get_or_bust(data_dict, "id"))
    tk.check_access("ukharvest_run_show", context, {"id": row.job.id})
    run = runs.describe_run(row)
    is_held = run["outcome"] == RunOutcome.HELD  # then it counts what still waits
    run |= {
        "waits": is_held and run["counts"]["held"] > 0,
        "identifiers_wait": is_held and run["counts"]["new_identifiers"] > 0,
        "decisions": [describe_decision(row) for row in decision_log.of_run(run["id"])]
        if run["outcome"] == RunOutcome.DECIDED
        else [],
    }
    return run | run_texts.describe(run)


@tk.side_effect_free
def ukharvest_problem_group_list(context: Any, data_dict: dict[str, Any]) -> list[dict[str, Any]]:
    """List errors and problems by kind, what to fix first at first, of a run or a source as it is.

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
        ``meaning`` and ``tip`` (texts), ``snippet`` (the field with a value that is right, as
        JSON, or ""), ``records`` and ``occurrences`` (numbers), ``priority``
        (weight of the kind times its records; 0: never among what to fix first), ``standard``
        ("GEMINI 2.3" if it is a rule of that standard, else ""), ``in_standard`` (number of
        records with any rule of that standard not met), ``accepted`` (null, or ``until``,
        ``reason`` and ``user`` of the decision), ``can_be_accepted`` and ``examples``: for the
        first five records ``record_id`` (null if it has no page), ``guid``,
        ``title`` ("" if the dataset is another organisation's private one), ``message``
        (English), ``wording`` (what it is made of: template and arguments, or null), ``field``
        and ``line``
    :rtype: list of dictionaries
    """
    scope = _scope(context, data_dict, "ukharvest_problem_group_list")
    return problems.list_groups(context, scope)


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
        ``severity``, ``code``, ``title`` of the kind, ``message``, ``tip``, ``snippet``,
        ``field``, ``line``,
        ``record_id``, ``guid``, ``record_title``, ``record_url``, ``dataset_name`` (null if
        there is none, or if it is another organisation's private one: then there is no title
        either) and ``accepted_until`` (last day on which the kind is accepted, or null)
    :rtype: dictionary
    """
    scope = _scope(context, data_dict, "ukharvest_problem_list")
    data = schema.validate(data_dict, run_schema.problem_list_schema())
    page = {"limit": data["limit"], "offset": data["offset"]}
    asked = {"code": data["code"], "field": data["field"]}
    rows = run_model.grouped_problems(scope, **asked, **page)
    problems.name_first_records(scope, [(row["code"], row) for row in rows])
    say = cache(lib_texts.describe_problem)
    return {
        "count": run_model.count_problems(scope, **asked),
        "results": [_problem(row, say(row["code"], row["kind"], row["field"])) for row in rows],
    }


def _problem(row: dict[str, Any], shown: problem_texts.ProblemTexts) -> dict[str, Any]:
    few = ("code", "message", "field", "line", "record_id", "guid", "dataset_name")
    return {
        **{key: row[key] for key in few},
        "message": problems.message_of(row),
        "accepted_until": row["accepted_until"],
        "outcome": row["kind"],
        "severity": shown.severity,
        "title": shown.title,
        "tip": shown.tip,
        "snippet": shown.snippet,
        "record_title": row["title"],
        "record_url": row["url"],
    }


def ukharvest_problem_decide(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Accept a kind of problem of a harvest source until a day, or list it again.

    For administrators of the source's organisation. An accepted kind is left out of counts, badges
    and what to fix first, and stays in lists as accepted. It is listed again after that day.
    Records that get it later are listed, unless it is accepted for them too. Errors that keep
    datasets out cannot be accepted.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param code: of the kind, as in :py:func:`ukharvest_problem_group_list`
    :type code: string
    :param field: of the kind, as there (optional, default: "")
    :type field: string
    :param decision: ``accept`` or ``list``
    :type decision: string
    :param reason: why it is accepted, at most 1,000 characters; needed to accept it
    :type reason: string
    :param until: last day of the acceptance, such as 2027-03-31, at most a year from now; needed to
        accept it
    :type until: string
    :param new_records: accept it also for records that get it later (optional, default: false)
    :type new_records: boolean

    :returns: ``records``: number of records with it
    :rtype: dictionary
    """
    tk.check_access("ukharvest_problem_decide", context, data_dict)
    source_id = str(source_of(data_dict).id)
    is_accepted = data_dict.get("decision") == "accept"
    data = schema.validate(data_dict, run_schema.problem_decide_schema(is_accepted))
    if problems.keeps_out(data["code"]):
        raise invalid(
            "code", tk._("This error keeps datasets out of the portal, so it cannot be accepted.")
        )
    number, job_ids = accepted_problems.decide_kind(
        source_id,
        str(context.get("user") or ""),
        data["code"],
        data["field"],
        reason=data["reason"],
        until=data["until"] if is_accepted else None,
        new_records=data["new_records"],
    )
    if not number:
        raise invalid("code", tk._("No record of this source has this problem."))
    outcomes.refresh_open(job_ids)
    model.Session.commit()
    return {"records": number}


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
        ``skipped`` (by the source's options), ``unchanged``, ``problems`` (imported with a
        problem), or ``changed`` (neither skipped, unchanged nor waiting) (optional, default: all)
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
        first three, those with the ``code`` asked for before others: ``code``, ``severity``,
        ``title``, ``message``, ``wording``, ``field``, ``line``) and ``problems_count``;
        ``listed``: outcome → number of records in all
    :rtype: dictionary
    """
    scope = _scope(context, data_dict, "ukharvest_record_list")
    data = schema.validate(data_dict, run_schema.record_list_schema())
    page = run_model.records(scope, **data)
    say = cache(lib_texts.describe_problem)
    return {
        "count": page.count,
        "listed": page.listed,
        "results": [_record(row, data["code"], say) for row in page.rows],
    }


def _record(row: dict[str, Any], code: str, say: Say) -> dict[str, Any]:
    few = ("record_id", "guid", "title", "outcome", "dataset_name")
    kind = LOST if row["outcome"] == RecordState.LOST else PROBLEM
    first = sorted(row["problems"], key=lambda problem: problem["code"] != code)
    return {
        **{key: row[key] for key in few},
        "problems": [
            _short(row, say(row["code"], kind, row["field"])) for row in first[:PROBLEMS_OF_A_ROW]
        ],
        "problems_count": len(row["problems"]),
    }


def _short(problem: dict[str, Any], shown: problem_texts.ProblemTexts) -> dict[str, Any]:
    few = {key: problem[key] for key in ("code", "message", "wording", "field", "line")}
    return {**few, "severity": shown.severity, "title": shown.title}


def _scope(context: Any, data_dict: dict[str, Any], action: str) -> Scope:
    """Return the source or run that the parameters name, after checking access to the source.

    Raises:
        ObjectNotFound: there is none, or the run is not one of the source.
    """
    job_id, source_id = data_dict.get("job_id"), data_dict.get("source_id")
    job = run_row(job_id).job if job_id else None
    source = source_of({"source_id": source_id or job.source_id} if job else data_dict)
    if job and job.source_id != source.id:
        raise not_found()
    tk.check_access(action, context, {"source_id": source.id})
    return Scope(source.id, job.id if job else "", readable_organisations(context))


@tk.side_effect_free
def ukharvest_record_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show one record of a harvest source. For users who may update the source. Times are UTC.

    :param id: number of the record: ``record_id`` in :py:func:`ukharvest_record_list`
    :type id: integer

    :returns: ``id``, ``source_id``, ``guid``, ``title`` ("" if none could be read yet), ``url``
        (where it was read, "" if that is the source itself), ``outcome`` (``added``, ``updated``,
        ``unchanged``, ``deleted``, ``missing``, ``held``: its deletion is pending, ``kept``: a
        person kept its dataset, ``deleted_here``: a person deleted it, ``lost``: failed,
        ``skipped``, ``waiting``), ``missed_runs``,
        ``runs_left`` (runs that have to miss it before its dataset is deleted), ``first_seen``,
        ``last_seen``, ``dataset`` (``id``, ``name``, ``title``, ``state``, ``languages``: codes of
        those of its translations; None if there is none or the user may not read it), ``same_as``
        (``id``, ``name`` and ``title`` of the dataset that a skipped record would be once more,
        because it comes back from another portal or by two routes, and ``is_elsewhere``: whether it
        is another organisation's; else None), ``came_back``
        (skipped because it comes back from another portal, also if its dataset was purged),
        ``error``
        (why the last import failed: ``code``, ``title``, ``meaning``, ``message``, ``wording``,
        ``tip``, ``line``), ``problems`` (of the record as last imported: the same with
        ``severity``, ``field`` and ``accepted_until``, the last day on which it is accepted, or
        null),
        ``history`` (the latest first: ``date``, ``job_id``, ``outcome``, ``fields`` as
        in :py:func:`ukharvest_dataset_change_list`, ``more``, ``message``, ``wording``),
        ``content_type`` and ``content_size`` (bytes) of its text, "" and 0 if it is not stored or
        the user may not read it
    :rtype: dictionary
    """
    record = find_record(schema.validate(data_dict, run_schema.record_show_schema())["id"])
    tk.check_access("ukharvest_record_show", context, {"id": record.row.id})
    return describe_record(context, record)


@tk.side_effect_free
def ukharvest_record_version_list(context: Any, data_dict: dict[str, Any]) -> list[dict[str, Any]]:
    """List the stored versions of a record, the oldest first.

    For users who may update the source.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param guid: the source's identifier of the record
    :type guid: string

    :returns: dicts with ``version`` (number), ``created`` (UTC), ``job_id`` (None if the job's
        history was cleared) and ``size`` in bytes
    :rtype: list of dictionaries
    """
    tk.check_access("ukharvest_record_version_list", context, data_dict)
    source = source_of(data_dict)
    guid = str(tk.get_or_bust(data_dict, "guid"))
    return [
        {
            "version": version.number,
            "created": iso(version.created),
            "job_id": version.job_id,
            "size": len(version.content.encode("utf-8")),
        }
        for version in record_history.versions_of(source.id, guid)
    ]
