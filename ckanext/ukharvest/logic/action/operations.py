"""The tick, the schedules and runs on demand."""

from __future__ import annotations

import logging
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest.logic import HarvestJobExists, HarvestSourceInactiveError
from ckanext.harvest.model import HarvestJob, HarvestSource

from ckanext.ukharvest import compat, config, mails, sweeper
from ckanext.ukharvest.core import schedule
from ckanext.ukharvest.core.moments import iso
from ckanext.ukharvest.logic.sources import source_of
from ckanext.ukharvest.model import SourceState, stopping
from ckanext.ukharvest.sweeper import schedules

log = logging.getLogger(__name__)

Errors = dict[str, list[str]]
MODES = ("normal", "force")


@tk.chained_action
def harvest_jobs_run(original: Any, context: Any, data_dict: dict[str, Any]) -> list[Any]:
    """Do everything that has to happen now and then: cron calls it by ``ckan harvester run``.

    What got stuck is sent again or ended, then ckanext-harvest starts the runs that are due and
    closes those that are done, the next starts are set by the sources' schedules, and mails about
    the sources are sent.

    :param source_id: only close the done jobs of this source, and start none (optional)
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
        # Also after a failure, such as a mail that could not be sent: else it starts every tick.
        schedules.set_next(due)
        mails.tell()
    return answer


@tk.chained_action
def harvest_job_create(original: Any, context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Create a run of a harvest source, as ckanext-harvest does, and note who asked for it.

    :param source_id: id of the harvest source
    :type source_id: string
    :param run: whether to send it to the gather consumer too (optional, default: ``True``)
    :type run: boolean
    """
    job: dict[str, Any] = original(context, data_dict)
    user = context.get("user") or ""
    source = HarvestSource.get(job["source_id"])
    if source.type in config.our_type_names() and _is_person(user):
        stopping.open_report(job["id"], source.id, asked_by=user)
        model.Session.commit()
    return job


def _is_person(user: str) -> bool:
    """Tell whether a name is a user's and not that of cron and commands."""
    machines = (config.harvest_user(), tk.config.get("ckan.site_id"))
    return user not in machines and model.User.get(user) is not None


@tk.side_effect_free
def ukharvest_schedule_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show when a harvest source runs.

    :param source_id: id or name of the harvest source
    :type source_id: string

    :returns: ``frequency``, ``time`` ("HH:MM" or ""), ``days`` (of "mon" … "sun"), ``zone``,
        ``next_run`` (UTC, None where a person starts the runs) and ``text`` for people
    :rtype: dictionary
    """
    tk.check_access("ukharvest_schedule_show", context, data_dict)
    source = source_of(data_dict)
    state = model.Session.get(SourceState, source.id)
    return _shown(source, schedules.plan_of(state.schedule if state else None))


def ukharvest_schedule_update(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Set time of day, days and time zone of a harvest source's runs, as a whole.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param time: "HH:MM"; empty: soon after midnight, each source at its own minute (optional)
    :type time: string
    :param days: of "mon", "tue", "wed", "thu", "fri", "sat", "sun"; DAILY runs on these only,
        WEEKLY and BIWEEKLY on these, MONTHLY on the first of them in a month (optional)
    :type days: list of strings
    :param zone: time zone such as ``Europe/London``; default: the portal's (optional)
    :type zone: string

    :returns: as :py:func:`ukharvest_schedule_show`
    :rtype: dictionary
    """
    tk.check_access("ukharvest_schedule_update", context, data_dict)
    source = source_of(data_dict)
    plan = _checked(data_dict)
    state = model.Session.get(SourceState, source.id)
    if state is None:
        state = SourceState(source_id=source.id)
        model.Session.add(state)
    state.schedule = {"time": plan.time, "days": list(plan.days), "zone": plan.zone}
    source.next_run = schedules.next_start(source, plan)
    model.Session.commit()
    return _shown(source, plan)


def _checked(data_dict: dict[str, Any]) -> schedules.Plan:
    time = data_dict.get("time") or ""
    zone = data_dict.get("zone") or schedules.portal_zone()
    days = tk.aslist(data_dict.get("days") or [], sep=None)
    errors: Errors = {}
    if not schedule.is_time(time):
        errors["time"] = [tk._('Expected a time of day such as "02:30", or nothing.')]
    if not all(day in schedule.DAYS for day in days):
        errors["days"] = [tk._("Expected days of the week: mon, tue, wed, thu, fri, sat, sun.")]
    if not schedule.is_zone(zone):
        errors["zone"] = [tk._('Expected the name of a time zone, such as "Europe/London".')]
    if errors:
        raise tk.ValidationError(errors)
    return schedules.Plan(time, tuple(day for day in schedule.DAYS if day in days), zone)


def _shown(source: HarvestSource, plan: schedules.Plan) -> dict[str, Any]:
    start = schedules.next_start(source, plan) if source.active else None
    minutes = config.schedule_tick_minutes()
    if start is None:
        text = tk._("Runs only when somebody starts it")
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
    """Start a run of a harvest source: make its job and send it to the gather consumer.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param mode: ``normal``, or ``force`` to import every record whether it changed or not, and
        bring back datasets that were deleted by hand (optional, default: ``normal``)
    :type mode: string

    :returns: the job, as ``harvest_job_show`` does
    :rtype: dictionary
    """
    source = source_of(data_dict)
    tk.check_access("ukharvest_run_create", context, {**data_dict, "source_id": source.id})
    mode = data_dict.get("mode") or "normal"
    if mode not in MODES:
        raise tk.ValidationError({"mode": [tk._("Expected one of: normal, force.")]})
    own = {"model": model, "session": model.Session, "user": context.get("user")}
    own["ignore_auth"] = True  # checked above
    try:
        job = tk.get_action("harvest_job_create")(own, {"source_id": source.id, "run": False})
    except HarvestJobExists as exc:
        raise tk.ValidationError({"source_id": [_is_running(source.id)]}) from exc
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
        HarvestJob.source_id == source_id, HarvestJob.status.in_(("New", "Running"))
    )
    (job_id,) = query.first() or ("?",)
    message = tk._("The run {id} of this source has not ended; wait for it, or stop it.")
    return str(message.format(id=job_id))
