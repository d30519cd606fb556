"""Actions: the periodic work of ``ckan harvester run``, schedules, and runs on demand."""

from __future__ import annotations

import datetime as dt
import logging
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest.logic import HarvestJobExists, HarvestSourceInactiveError
from ckanext.harvest.model import HarvestJob, HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core import schedule
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.logic import schema, source_adoption
from ckanext.ukharvest.logic.sources import source_of
from ckanext.ukharvest.model import SourceState, locks, open_work, stopping
from ckanext.ukharvest.model.source_state import ensure_source_state
from ckanext.ukharvest.operations import notifications, sweeper
from ckanext.ukharvest.operations.sweeper import schedules

log = logging.getLogger(__name__)


class SourceIsBeingCleared(HarvestJobExists):
    """No run can be created while the source is being cleared."""


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
    due = [] if data_dict.get("source_id") else schedules.align()
    try:
        answer: list[Any] = original(context, data_dict)
    except Exception:
        compat.rollback()
        raise
    finally:
        # Also after a failure, such as of an email: else the runs would start again at each call.
        schedules.set_next(due)
        notifications.send_due()
    return answer


@tk.chained_action
def harvest_job_create(original: Any, context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Create a run of a harvest source, as ckanext-harvest does, and record who started it.

    Refused while the source is being cleared. Authorised as ckanext-harvest's action.

    :param source_id: id of the harvest source
    :type source_id: string
    :param run: whether to send it to the gather consumer (optional, default: ``True``)
    :type run: boolean
    """
    # The lock lasts until the job is committed, so that clearing sees it. On this error cron skips
    # the source.
    if not locks.hold_off_clearing(str(data_dict.get("source_id"))):
        raise SourceIsBeingCleared(
            tk._("The datasets of this source are being removed. Start the run when that is done.")
        )
    job: dict[str, Any] = original(context, data_dict)
    user = context.get("user") or ""
    source = HarvestSource.get(job["source_id"])
    if source.type in config.our_type_names() and _is_person(user):
        stopping.open_report(job["id"], source.id, asked_by=user)
        model.Session.commit()
    return job


def _is_person(user: str) -> bool:
    """Tell whether a user name is a person's, not that of cron and commands."""
    machines = (config.harvest_user(), tk.config.get("ckan.site_id"))
    return user not in machines and model.User.get(user) is not None


@tk.side_effect_free
def ukharvest_schedule_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show when a harvest source runs. For users who may update the source.

    :param source_id: id or name of the harvest source
    :type source_id: string

    :returns: ``frequency``, ``time`` ("HH:MM" or ""), ``days`` (of "mon" … "sun"), ``zone``,
        ``next_run`` (UTC, None if it is not scheduled) and ``text``, all that as a sentence
    :rtype: dictionary
    """
    tk.check_access("ukharvest_schedule_show", context, data_dict)
    source = source_of(data_dict)
    state = model.Session.get(SourceState, source.id)
    return _shown(source, schedules.plan_of(state.schedule if state else None))


def ukharvest_schedule_update(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Set time of day, days and time zone of a harvest source's runs.

    For users who may update the source. A parameter that is left out is set to its default.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param time: "HH:MM"; "": soon after midnight, each source at its own minute (optional,
        default: "")
    :type time: string
    :param days: of "mon", "tue", "wed", "thu", "fri", "sat", "sun"; DAILY, WEEKLY and BIWEEKLY
        sources run only on these, MONTHLY ones on the first of them in a month (optional,
        default: any day)
    :type days: list of strings
    :param zone: time zone such as ``Europe/London`` (optional, default: the portal's)
    :type zone: string

    :returns: as :py:func:`ukharvest_schedule_show`
    :rtype: dictionary
    """
    tk.check_access("ukharvest_schedule_update", context, data_dict)
    source = source_of(data_dict)
    plan = _plan(schema.validate(data_dict, schema.schedule_update_schema()))
    state = ensure_source_state(source.id)
    state.schedule = {"time": plan.time, "days": list(plan.days), "zone": plan.zone}
    source.next_run = schedules.next_start(source, plan)
    model.Session.commit()
    return _shown(source, plan)


def _plan(data: dict[str, Any]) -> schedules.Plan:
    days = tuple(day for day in schedule.DAYS if day in data["days"])
    return schedules.Plan(data["time"], days, data["zone"])


def _start(source: HarvestSource, plan: schedules.Plan) -> dt.datetime | None:
    return schedules.next_start(source, plan) if source.active else None


def _shown(source: HarvestSource, plan: schedules.Plan) -> dict[str, Any]:
    start = _start(source, plan)
    minutes = config.schedule_cron_minutes()
    if start is None:
        text = tk._("Runs only when you start it")
    elif source.frequency == schedule.ALWAYS:
        text = tk._("Scheduled to start within {minutes} minutes").format(minutes=minutes)
    else:
        text = tk._("Scheduled to start within {minutes} minutes after {start} UTC").format(
            minutes=minutes, start=start.strftime("%Y-%m-%d %H:%M")
        )
    return {
        "source_id": source.id,
        "frequency": source.frequency,
        "time": plan.time,
        "days": list(plan.days),
        "zone": plan.zone,
        "next_run": iso(start),
        "text": text,
    }


def ukharvest_run_create(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Start a run of a harvest source: create its job and send it to the gather consumer.

    For users who may call ``harvest_job_create``.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param mode: ``normal``, or ``force`` to import every record whether it changed or not, and
        bring back datasets that were deleted by hand (optional, default: ``normal``)
    :type mode: string

    :returns: the job, as ``harvest_job_show`` returns it
    :rtype: dictionary
    """
    source = source_of(data_dict)
    tk.check_access("ukharvest_run_create", context, {**data_dict, "source_id": source.id})
    mode = schema.validate(data_dict, schema.run_create_schema())["mode"]
    if refusal := source_adoption.hint(source.type, model.Package.get(source.id).name):
        raise tk.ValidationError({"source_id": [refusal]})
    own = {"model": model, "session": model.Session, "user": context.get("user")}
    own["ignore_auth"] = True  # checked above
    try:
        job = tk.get_action("harvest_job_create")(own, {"source_id": source.id, "run": False})
    except HarvestJobExists as exc:
        is_cleared = isinstance(exc, SourceIsBeingCleared)
        message = str(exc) if is_cleared else _is_running(source.id)
        raise tk.ValidationError({"source_id": [message]}) from exc
    except HarvestSourceInactiveError as exc:
        message = tk._("The source is switched off; switch it on before it can run.")
        raise tk.ValidationError({"source_id": [message]}) from exc
    if source.type in config.our_type_names():
        stopping.open_report(job["id"], source.id, mode=mode)
        model.Session.commit()
    sent = tk.get_action("harvest_send_job_to_gather_queue")(own, {"id": job["id"]})
    return dict(tk.get_action("harvest_job_show")(own, {"id": sent["id"]}))


def _is_running(source_id: str) -> str:
    query = model.Session.query(HarvestJob.id).filter(
        HarvestJob.source_id == source_id, HarvestJob.status.in_(open_work.UNENDED)
    )
    (job_id,) = query.first() or ("?",)
    message = tk._("The run {id} of this source has not ended. Wait for it, or stop it.")
    return str(message.format(id=job_id))
