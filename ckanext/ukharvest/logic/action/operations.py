"""Actions: the periodic work of ``ckan harvester run``, schedules, and runs on demand."""

from __future__ import annotations

import logging
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest.logic import HarvestJobExists, HarvestSourceInactiveError
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core import schedule
from ckanext.ukharvest.logic import schema, source_adoption
from ckanext.ukharvest.logic.schema import invalid
from ckanext.ukharvest.logic.source_state import describe_schedule
from ckanext.ukharvest.logic.sources import find_record, find_unended_run, source_of
from ckanext.ukharvest.model import locks, record_history, stopping
from ckanext.ukharvest.model.source_state import ensure_source_state
from ckanext.ukharvest.operations import notifications, sweeper
from ckanext.ukharvest.operations.sweeper import schedules
from ckanext.ukharvest.texts import gettext

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

    :returns: ``source_id``, ``frequency``, and as ``schedule`` of
        :py:func:`ukharvest_source_show`
    :rtype: dictionary
    """
    tk.check_access("ukharvest_schedule_update", context, data_dict)
    source = source_of(data_dict)
    data = schema.validate(data_dict, schema.schedule_update_schema())
    days = tuple(day for day in schedule.DAYS if day in data["days"])
    plan = schedules.Plan(data["time"], days, data["zone"])
    state = ensure_source_state(source.id)
    state.schedule = {"time": plan.time, "days": list(plan.days), "zone": plan.zone}
    source.next_run = schedules.next_start(source, plan)
    model.Session.commit()
    of = {"source_id": source.id, "frequency": source.frequency}
    return {**of, **describe_schedule(source, plan)}


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

    :returns: the job, as ``harvest_job_show`` returns it
    :rtype: dictionary
    """
    record = find_record(data_dict["record_id"]).row if data_dict.get("record_id") else None
    source = source_of({"source_id": record.source_id} if record else data_dict)
    tk.check_access("ukharvest_run_create", context, {"source_id": source.id})
    mode = schema.validate(data_dict, schema.run_create_schema())["mode"]
    if refusal := source_adoption.hint(source.type, model.Package.get(source.id).name):
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
        raise invalid("source_id", _refusal(exc, source.id)) from exc
    if source.type in config.our_type_names():
        stopping.open_report(job["id"], source.id, mode=mode)
        model.Session.commit()
    sent = tk.get_action("harvest_send_job_to_gather_queue")(own, {"id": job["id"]})
    return dict(tk.get_action("harvest_job_show")(own, {"id": sent["id"]}))


def _refusal(exc: Exception, source_id: str) -> str:
    if isinstance(exc, SourceIsBeingCleared):
        return str(exc)
    if isinstance(exc, HarvestSourceInactiveError):
        return str(tk._("The source is switched off; switch it on before it can run."))
    job_id = find_unended_run(source_id) or "?"
    return gettext("The run {id} of this source has not ended. Wait for it, or stop it.", id=job_id)
