"""Actions about runs: ckanext-harvest's, chained, and start, stop and list them."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

from ckan import model
from ckan.logic import auth_audit_exempt
from ckan.plugins import toolkit as tk
from ckanext.harvest.logic import HarvestJobExists, HarvestSourceInactiveError
from ckanext.harvest.model import HarvestJob, HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.outcomes import RunMode
from ckanext.ukharvest.harvest import database, lists
from ckanext.ukharvest.harvest.consumers import failures
from ckanext.ukharvest.harvest.consumers.workers import load_limits
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.records import record_history
from ckanext.ukharvest.harvest.run import after_run, run_end, run_report, runs, stopping, sweeper
from ckanext.ukharvest.harvest.sources import schedules
from ckanext.ukharvest.harvest_actions import schema as harvest_schema
from ckanext.ukharvest.harvest_actions.actions import (
    SourceIsBeingCleared,
    SourceWaits,
    active_sources,
)
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.lookups import (
    CLEARING_FIRST,
    RUN_FIRST,
    find_record,
    not_found,
    source_of,
)
from ckanext.ukharvest.lib.schema import invalid
from ckanext.ukharvest.sources import approvals, description
from ckanext.ukharvest.sources import rules as source_rules


@tk.side_effect_free
def ukharvest_run_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List runs, newest first: of one source for users who may update it, of all for sysadmins.

    :param source: name or id of a harvest source (optional, default: all)
    :type source: string
    :param failed: only runs that failed (optional, default: ``False``)
    :type failed: boolean
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
    data = schema.validate(data_dict, harvest_schema.run_list_schema())
    wanted, limit, offset = data.get("source"), data["limit"], data["offset"]
    source_id = source_of({"source_id": wanted}).id if wanted else None
    failed = data["failed"]
    if source_id and not failed and not offset and limit <= description.NEWEST:
        count, newest = description.newest_runs(source_id)
        return {"count": count, "results": newest[:limit]}
    count, results = runs.list_runs(source_id=source_id, limit=limit, offset=offset, failed=failed)
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
        raise not_found()
    tk.check_access("ukharvest_run_stop", context, data_dict)
    if job.status not in objects.UNENDED:
        raise invalid("id", tk._("This run has ended already."))
    report = run_report.reports_of([job.id]).get(job.id)
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
    if job.status not in objects.UNENDED:
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

    Sysadmins only. ckanext-harvest's action answers everybody, and its command, without a number
    of days, ends with an error at a run of a source without a frequency.

    :param life_span: days that a run of a source without a frequency may take (optional,
        default: 7)
    :type life_span: int
    """
    tk.check_access("harvest_job_abort", context, data_dict)
    return str(original(context, {**data_dict, "life_span": data_dict.get("life_span") or 7}))


def _named(name_or_id: str) -> HarvestJob:
    package = model.Package.get(name_or_id)
    jobs = model.Session.query(HarvestJob)
    one_of = {"source_id": package.id} if package else {"id": name_or_id}
    job = jobs.filter_by(**one_of).order_by(HarvestJob.created.desc()).first()
    if job is None:
        raise not_found()
    return job


def _stop(job: HarvestJob, user: str) -> bool:
    """Stop a run of one of our types; return True if none of its work is under way."""
    source_id = str(job.source_id)
    is_over = stopping.stop_run(job, user, load_limits(), after_run.plugins_to_tell())
    if is_over:
        tk.get_action("harvest_source_reindex")(_own(user), {"id": source_id})
    return is_over


def _abort(original: Any, job: HarvestJob, user: str) -> None:
    """End a run of another extension's harvester, which does not check whether it should stop."""
    job_id, source_id = str(job.id), str(job.source_id)
    stopping.note_request(job, user)
    model.Session.commit()  # from now on no queue message counts its records as failed
    original(_own(user), {"id": job_id})
    stopping.note_end(HarvestJob.get(job_id))
    tk.get_action("harvest_source_reindex")(_own(user), {"id": source_id})


def _own(user: str) -> dict[str, Any]:
    # A new context: actions store their own settings in the one that they get.
    return {"ignore_auth": True, "model": model, "session": model.Session, "user": user}


@tk.chained_action
def harvest_jobs_run(original: Any, context: Any, data_dict: dict[str, Any]) -> list[Any]:
    """Do the periodic work: cron calls this with ``ckan harvester run``.

    Sends stuck work again or ends it, lets ckanext-harvest start the runs that are due and close
    those that have ended, sets the next starts by the sources' schedules, and sends emails.
    Authorised as ckanext-harvest's action.

    :param source_id: only close ended jobs of this source, and start none (optional)
    :type source_id: string
    """
    tk.check_access("harvest_jobs_run", context, data_dict)
    sweeper.sweep()
    if source_id := data_dict.get("source_id"):
        run_end.end_done(source_id)  # also while another tick sweeps
    due = [] if data_dict.get("source_id") else schedules.align_schedules()
    try:
        answer: list[Any] = original(context, data_dict)
    except Exception:
        compat.rollback()
        raise
    finally:
        # Also after a failure, such as of an email: else the runs would start again at each call.
        schedules.set_next_starts(due)
        for step in (run_end.send_status_mails, *lists.AFTER_TICK):
            sweeper.run_step(step)
    return answer


@tk.chained_action
def harvest_job_create(original: Any, context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Create a run of a harvest source, as ckanext-harvest does, and record who started it.

    Refused while the source is being cleared, and until a sysadmin has accepted it. Authorised as
    ckanext-harvest's action.

    :param source_id: id of the harvest source
    :type source_id: string
    :param run: whether to send it to the gather consumer (optional, default: ``True``)
    :type run: boolean
    """
    # The lock lasts until the job is committed, so that clearing sees it. On this error cron skips
    # the source.
    if not database.hold_off_clearing(str(data_dict.get("source_id"))):
        raise SourceIsBeingCleared(tk._(CLEARING_FIRST))
    tk.check_access("harvest_job_create", context, data_dict)
    waiting = HarvestSource.get(str(data_dict.get("source_id")))
    if refusal := approvals.start_refusal(waiting):
        raise SourceWaits(refusal)
    job: dict[str, Any] = original(context, data_dict)
    user = context.get("user") or ""
    source = HarvestSource.get(job["source_id"])
    if source.type in config.our_type_names() and _is_person(user):
        run_report.open_report(job["id"], source.id, asked_by=user)
        model.Session.commit()
    return job


@tk.chained_action
def harvest_job_create_all(
    _original: Any, context: Any, data_dict: dict[str, Any]
) -> list[dict[str, Any]]:
    """Create a run of each active harvest source that has none under way. Sysadmins only.

    ckanext-harvest's action asks none of the rules of :py:func:`harvest_job_create`, and takes
    100 sources at most.

    :param run: whether to send them to the gather consumer (optional, default: ``True``)
    :type run: boolean
    """
    tk.check_access("harvest_job_create_all", context, data_dict)
    create, run = tk.get_action("harvest_job_create"), data_dict.get("run", True)
    jobs = []
    for source_id in active_sources():
        with suppress(HarvestJobExists, HarvestSourceInactiveError):
            jobs.append(create({**context}, {"source_id": source_id, "run": run}))
    return jobs


@tk.chained_action
def harvest_send_job_to_gather_queue(
    original: Any, context: Any, data_dict: dict[str, Any]
) -> dict[str, Any]:
    """Send a job to the gather consumer; another harvester's waits if no queue can be reached.

    Then ``ckan harvester run`` sends it, once Redis (or RabbitMQ) answers again. A job of ours is
    found without the queue. Authorised as ckanext-harvest's action.

    :param id: id of the job
    :type id: string

    :returns: the job, and ``queued``: whether a consumer will find it
    :rtype: dictionary
    """
    sent = failures.try_to_queue(partial(original, context, data_dict))
    if sent is None:
        job: dict[str, Any] = tk.get_action("harvest_job_show")(context, {"id": data_dict["id"]})
        return {**job, "queued": _show_to_consumers(data_dict["id"])}
    return {**sent, "queued": True}


def _show_to_consumers(job_id: str) -> bool:
    """Let consumers find a job of ours without a message; return False if it is not ours."""
    job = HarvestJob.get(job_id)
    if job.source.type not in config.our_type_names() or not job.source.active:
        return False
    job.status = "Running"
    model.Session.commit()
    return True


def _is_person(user: str) -> bool:
    """Tell whether a user name is a person's, not that of cron and commands."""
    machines = (config.harvest_user(), tk.config.get("ckan.site_id"))
    return user not in machines and model.User.get(user) is not None


def ukharvest_run_create(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Start a run of a harvest source: create its job and send it to the gather consumer.

    For users who may call ``harvest_job_create``.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param record_id: instead of ``source_id``: number of a record, which is imported again,
        changed or not; other records are imported as ``mode`` says
    :type record_id: integer
    :param mode: ``normal``, or ``force`` to import every record whether it changed or not, and
        bring back datasets that were deleted by hand (optional, default: ``normal``)
    :type mode: string

    :returns: the job, as ``harvest_job_show`` returns it, and ``queued`` as in
        :py:func:`harvest_send_job_to_gather_queue`
    :rtype: dictionary
    """
    record = find_record(data_dict["record_id"]).row if data_dict.get("record_id") else None
    source = source_of(
        {"source_id": data_dict.get("source_id") or record.source_id} if record else data_dict
    )
    if record and record.source_id != source.id:
        raise not_found()
    tk.check_access("ukharvest_run_create", context, {"source_id": source.id})
    mode = schema.validate(data_dict, harvest_schema.run_create_schema())["mode"]
    if refusal := source_rules.adoption_hint(source.type, model.Package.get(source.id).name):
        raise invalid("source_id", refusal)
    own = {"model": model, "session": model.Session, "user": context.get("user")}
    own["ignore_auth"] = True  # checked above
    if record:
        record_history.forget_stamp(record)
        model.Session.flush()
    # This commits; if it raises, nothing is committed.
    try:
        job = tk.get_action("harvest_job_create")(own, {"source_id": source.id, "run": False})
    except (HarvestJobExists, HarvestSourceInactiveError) as exc:
        if record:
            model.Session.rollback()
        raise invalid("source_id", _refusal(exc)) from exc
    if source.type in config.our_type_names():
        run_report.open_report(job["id"], source.id, mode=mode)
        model.Session.commit()
    sent = tk.get_action("harvest_send_job_to_gather_queue")(own, {"id": job["id"]})
    shown = tk.get_action("harvest_job_show")(own, {"id": job["id"]})
    return {**shown, "queued": sent["queued"]}


def _refusal(exc: Exception) -> str:
    if isinstance(exc, SourceIsBeingCleared):
        return str(exc)
    if isinstance(exc, SourceWaits):
        return str(exc.error_dict["source_id"][0])
    if isinstance(exc, HarvestSourceInactiveError):
        return str(tk._("The source is switched off: switch it on first."))
    return tk._(RUN_FIRST)


@tk.side_effect_free
@tk.chained_action
def harvest_job_show(original: Any, context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show a harvest job, with the figures of unchanged and missing records.

    Like ckanext-harvest's action; in addition ``stats["not modified"]`` counts unchanged records
    (which have no harvest object), ``stats["missing"]`` counts records that the source no longer
    lists, and ``ukharvest`` has ``mode``, ``outcome``, ``reason``, ``complete`` and ``counts``.

    :param id: the id of the job
    :type id: string
    """
    job: dict[str, Any] = original(context, data_dict)
    runs.add_to_stock([job])
    return job


@tk.side_effect_free
@tk.chained_action
def harvest_job_list(original: Any, context: Any, data_dict: dict[str, Any]) -> list[Any]:
    """List harvest jobs, each with the figures of :py:func:`harvest_job_show`.

    :param source_id: only jobs of this source (optional)
    :type source_id: string
    :param status: only jobs with this status, such as ``Running`` (optional)
    :type status: string
    """
    jobs: list[Any] = original(context, data_dict)
    runs.add_to_stock(jobs)
    return jobs
