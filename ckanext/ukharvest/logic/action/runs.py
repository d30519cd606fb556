"""Actions: show a source with its status, list its runs, and stop a run."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckan.logic import auth_audit_exempt
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest import config
from ckanext.ukharvest.core.outcomes import RunMode
from ckanext.ukharvest.logic import schema, source_state
from ckanext.ukharvest.logic.schema import invalid
from ckanext.ukharvest.logic.sources import is_insider, source_of, source_row_of
from ckanext.ukharvest.model import open_work, run_results, runs, stopping
from ckanext.ukharvest.model.workers import limits
from ckanext.ukharvest.operations.sweeper import schedules


@tk.side_effect_free
def ukharvest_source_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show a harvest source, and to users who may update it also its status.

    For users who may read the source.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param since: ``version`` of an earlier result, to compare with (optional)
    :type since: string

    :returns: ``id``, ``name``, ``title``, ``url``, ``type``, ``type_label``, ``organization``,
        ``frequency``, ``frequency_label``, ``created``, ``datasets`` (number of public ones) and
        ``harvested`` (when its last run that did not fail ended).

        For users who may update it also ``version``, ``unchanged`` (``version`` equals
        ``since``), ``state`` ("new", "idle", "queued", "gathering", "importing", "deleting",
        "checking", "finishing", "stopping", "held", "stuck", "off"), ``heading`` and ``text``
        (sentences) of the source status on its page, with ``badge`` and ``css``, ``actions`` that
        are possible now, ``progress`` ({``run_id``, ``stage``, ``seen``, ``done``, ``total``,
        ``lost``, ``eta_seconds``, ``started``, ``asked_by``, ``mode``} or null),
        ``queue_position``, ``held`` (number of pending deletions), ``renamed`` (number of datasets
        whose records seem to have new identifiers), ``missing`` ({``records``,
        ``of``, ``asks_after``: complete runs until deleting them needs approval}; null if few or
        no records are missing), ``health`` and ``health_reason``, ``failing_since``, ``failures``
        (runs in a row), ``last_run`` ({``id``, ``finished``, ``outcome``, ``lost``} or null),
        ``last_good_run``, ``next_run``, ``schedule`` ({``time``: "HH:MM" or "", ``days``: of "mon"
        … "sun", ``zone``, ``next_run``: null if it is not scheduled, ``text``: that as a sentence})
        and ``datasets`` (private ones included); times are UTC in ISO 8601
    :rtype: dictionary
    """
    row = source_row_of(data_dict)
    id_ = row.source.id
    tk.check_access("ukharvest_source_show", context, {"source_id": id_})
    answer = source_state.describe_source(row)
    if not is_insider(context, id_):
        return {**answer, **source_state.describe_harvest(id_)}
    answer |= source_state.describe_status(context, row.source)
    plan = schedules.plan_of(row.schedule)
    answer["schedule"] = source_state.describe_schedule(row.source, plan)
    answer["unchanged"] = data_dict.get("since") == answer["version"]
    return answer


@tk.side_effect_free
def ukharvest_run_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List runs, newest first: of one source for users who may update it, of all for sysadmins.

    :param source: name or id of a harvest source (optional, default: all)
    :type source: string
    :param limit: how many to return (optional, default: 100, at most 1000)
    :type limit: integer
    :param offset: how many to skip (optional, default: 0)
    :type offset: integer

    :returns: ``count`` and ``results``: dicts with ``id``, ``source`` (name), ``source_id``,
        ``status`` (of the harvest job), ``created``, ``started``, ``gathered``, ``finished``,
        ``seconds`` (null while it runs), ``asked_by`` ("" for the schedule), ``stopped_by``,
        ``mode`` ("normal", "force", "approval"), ``outcome`` ("finished", "errors", "held",
        "decided": what was held is decided, "settled": nothing of it waits any more, "empty",
        "shrunk", "failed", "stopped", "unchanged", "running", "queued"), ``reason``, ``error``,
        ``complete``, ``seen``, ``shortfall`` (as ``missing`` in
        :py:func:`ukharvest_source_show`), ``counts`` ({``added``, ``updated``, ``unchanged``,
        ``skipped``, ``deleted``, ``missing``, ``held``, ``new_identifiers``, ``same``,
        ``lost``, ``with_problems``}; all as in
        :py:func:`ukharvest_run_show`) and ``stats``, as in ``harvest_job_show``; times are UTC in
        ISO 8601
    :rtype: dictionary
    """
    tk.check_access("ukharvest_run_list", context, data_dict)
    data = schema.validate(data_dict, schema.run_list_schema())
    wanted, limit, offset = data.get("source"), data["limit"], data["offset"]
    source_id = source_of({"source_id": wanted}).id if wanted else None
    if source_id and not offset and limit <= source_state.NEWEST:
        count, newest = source_state.newest_runs(source_id)
        return {"count": count, "results": newest[:limit]}
    count, results = runs.list_runs(source_id=source_id, limit=limit, offset=offset)
    return {"count": count, "results": results}


def ukharvest_run_stop(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Stop a run of a harvest source. Records imported before that are kept.

    For users who may update the source. Records that wait are left for the next run: they are
    neither imported nor counted as failed or missing, and nothing is deleted. What is being read
    or imported at this moment is finished.

    :param id: id of the run
    :type id: string

    :returns: ``id``, and ``ended`` (false while some of its work is being finished)
    :rtype: dictionary
    """
    job = HarvestJob.get(tk.get_or_bust(data_dict, "id"))
    if job is None:
        raise tk.ObjectNotFound(tk._("No run has this id."))
    tk.check_access("ukharvest_run_stop", context, data_dict)
    if job.status not in open_work.UNENDED:
        raise invalid("id", tk._("This run has ended already."))
    report = run_results.reports_of([job.id]).get(job.id)
    if report is not None and report.mode == RunMode.APPROVAL:
        raise invalid("id", tk._("Approved deletions cannot be stopped."))
    user = str(context.get("user") or config.harvest_user())
    if job.source.type in config.our_type_names():
        return {"id": job.id, "ended": _stop(job, user)}
    answer = tk.get_action("harvest_job_abort")(_own(user), {"id": job.id})
    return {"id": answer["id"], "ended": True}


@tk.chained_action
def harvest_job_abort(
    original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> dict[str, Any]:
    """Stop a run as :py:func:`ukharvest_run_stop` does, of any harvester.

    Records that wait are not counted as failed. Unlike ckanext-harvest's own action it lets a
    live consumer finish its work: such a run is still ``Running`` in the result. Authorised as
    ckanext-harvest's action.

    :param id: id of the run, or id or name of a harvest source to stop its newest run
    :type id: string
    :param source_id: id or name of the harvest source (optional)
    :type source_id: string

    :returns: the run, as ``harvest_job_show`` returns it
    :rtype: dictionary
    """
    tk.check_access("harvest_job_abort", context, data_dict)
    job = _named(str(data_dict.get("source_id") or tk.get_or_bust(data_dict, "id")))
    if job.status not in open_work.UNENDED:
        return dict(original(context, data_dict))
    job_id, user = str(job.id), str(context.get("user") or config.harvest_user())
    if job.source.type in config.our_type_names():
        _stop(job, user)
    else:
        _abort(original, job, user)
    return dict(tk.get_action("harvest_job_show")(_own(user), {"id": job_id}))


@auth_audit_exempt  # CKAN expects an auth function of the action's name
@tk.chained_action
def harvest_abort_failed_jobs(
    original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> str:
    """Stop runs that take longer than their source's frequency, as ckanext-harvest does.

    Sysadmins only. ckanext-harvest's action answers everybody.

    :param life_span: days that a run of a source without a frequency may take
    :type life_span: int
    """
    tk.check_access("harvest_job_abort", context, data_dict)
    return str(original(context, data_dict))


def _named(name_or_id: str) -> HarvestJob:
    package = model.Package.get(name_or_id)
    jobs = model.Session.query(HarvestJob)
    one_of = {"source_id": package.id} if package else {"id": name_or_id}
    job = jobs.filter_by(**one_of).order_by(HarvestJob.created.desc()).first()
    if job is None:
        raise tk.ObjectNotFound(tk._("No run has this id."))
    return job


def _stop(job: HarvestJob, user: str) -> bool:
    """Stop a run of one of our types; return True if none of its work is under way."""
    source_id = str(job.source_id)
    is_over = stopping.stop(job, user, limits())
    if is_over:
        tk.get_action("harvest_source_reindex")(_own(user), {"id": source_id})
    return is_over


def _abort(original: Any, job: HarvestJob, user: str) -> None:
    """End a run of another extension's harvester, which does not check whether it should stop."""
    job_id, source_id = str(job.id), str(job.source_id)
    stopping.open_report(job_id, source_id, stopped_by=user)
    model.Session.commit()  # from now on no queue message counts its records as failed
    original(_own(user), {"id": job_id})
    stopping.note_end(HarvestJob.get(job_id))
    tk.get_action("harvest_source_reindex")(_own(user), {"id": source_id})


def _own(user: str) -> dict[str, Any]:
    # A new context: actions store their own settings in the one that they get.
    return {"ignore_auth": True, "model": model, "session": model.Session, "user": user}
