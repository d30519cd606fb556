"""The schedule in a source's form: its values, what is wrong with them, and how they are saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.core import cron_expressions, schedule
from ckanext.ukharvest.harvest.sources import schedules
from ckanext.ukharvest.lib.actions import context
from ckanext.ukharvest.lib.schema import Errors
from ckanext.ukharvest.lib.texts import day_names, translate
from ckanext.ukharvest.sources.form_values import Form

FIELDS = ("frequency", "cron", "time", "days")


def find_frequency_errors(frequency: str, cron: str, before: str, *, sysadmin: bool) -> Errors:
    """Return field name → messages about a frequency and a cron expression.

    Args:
        frequency: a key of ``FREQUENCIES``.
        cron: in its normal form; only that of ``CRON`` counts.
        before: the source's frequency until now.
    """
    if frequency == schedule.ALWAYS != before and not sysadmin:
        return {"frequency": [tk._("Only sysadmins can choose this.")]}
    if frequency == schedule.HOURLY:
        field, error = "frequency", schedules.find_cron_error(cron_expressions.HOURLY)
    elif frequency == schedule.CRON:
        field, error = "cron", schedules.find_cron_error(cron)
    else:
        return {}
    return {field: [translate(error)]} if error else {}


def find_schedule_errors(form: Form, source: Mapping[str, Any] | None, *, sysadmin: bool) -> Errors:
    """Return field name → messages about the schedule that a form sends.

    Args:
        source: the source to edit, with ``frequency`` and ``schedule``; None for a new one.
    """
    before = source["frequency"] if source else ""
    frequency, cron = _sent_frequency(form, source), _sent_cron(form, source)
    errors = find_frequency_errors(frequency, cron, before, sysadmin=sysadmin)
    if not schedule.is_time(form.get("time", "").strip()):
        errors["time"] = [tk._("Enter a time such as 02:00, or leave it empty")]
    if not set(form.getlist("days")) <= set(schedule.DAYS):
        errors["days"] = [tk._("Choose days of the week")]
    return errors


def stored_frequency(form: Form, source: Mapping[str, Any] | None) -> str:
    """Return what ckanext-harvest stores of the frequency that a form sends."""
    frequency = _sent_frequency(form, source)
    is_ours = frequency in (schedule.HOURLY, schedule.CRON)
    return schedule.CRON_STORED_AS if is_ours else frequency


def save_schedule(form: Form, source_id: str, source: Mapping[str, Any] | None) -> None:
    """Save the schedule that a form sends; what it does not send stays as it is.

    Args:
        source: as before the form was sent, None for a new one.
    """
    if not any(name in form for name in FIELDS):
        return
    before = source["schedule"] if source else {"time": "", "days": (), "zone": ""}
    frequency = _sent_frequency(form, source)
    plan: dict[str, Any] = {"source_id": source_id, "zone": before["zone"]}
    if frequency == schedule.HOURLY:
        plan["cron"] = cron_expressions.HOURLY
    elif frequency == schedule.CRON:
        plan["cron"] = _sent_cron(form, source)
    else:
        # A browser sends no field for boxes that are not ticked.
        is_sent = "time" in form or "days" in form
        plan["time"] = str(form.get("time", "" if is_sent else before["time"])).strip()
        plan["days"] = form.getlist("days") if is_sent else list(before["days"])
    tk.get_action("ukharvest_schedule_update")(context(), plan)


def _sent_frequency(form: Form, source: Mapping[str, Any] | None) -> str:
    stored = source["frequency"] if source else ""
    return str(form.get("frequency") or stored or schedule.MANUAL)


def _sent_cron(form: Form, source: Mapping[str, Any] | None) -> str:
    stored = source["schedule"]["cron"] if source else ""
    return cron_expressions.normalise(form.get("cron", stored))


def stored_values(source: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the fields of a source that is not changed yet."""
    plan = source["schedule"]
    is_hourly = plan["cron"] == cron_expressions.HOURLY
    return {"time": plan["time"], "days": plan["days"], "cron": "" if is_hourly else plan["cron"]}


def describe_fields(
    values: Mapping[str, Any], source: Mapping[str, Any] | None, *, sysadmin: bool
) -> dict[str, Any]:
    """Return what the form's page shows of the schedule beside its values."""
    hidden = {
        # Only sysadmins can choose ALWAYS, which loads the site.
        *(() if sysadmin else (schedule.ALWAYS,)),
        *((schedule.HOURLY,) if schedules.find_cron_error(cron_expressions.HOURLY) else ()),
    } - {values["frequency"]}
    return {
        "frequencies": {
            value: label for value, label in schedule.FREQUENCIES.items() if value not in hidden
        },
        "days": dict(zip(schedule.DAYS, day_names(), strict=True)),
        "zone": source["schedule"]["zone"] if source else schedules.portal_zone(),
        "minutes": config.schedule_cron_minutes(),
        "least_minutes": config.schedule_least_minutes(),
        "cron_example": cron_expressions.EXAMPLE,
    }
