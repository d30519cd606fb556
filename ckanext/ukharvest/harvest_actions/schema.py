"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core import cron_expressions, schedule
from ckanext.ukharvest.core.outcomes import RunMode
from ckanext.ukharvest.harvest.sources import schedules
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.schema import (
    Schema,
    Validator,
    accept,
    page,
)

is_time = accept(schedule.is_time, schema.such_as("02:30"))
is_zone = accept(schedule.is_zone, schema.such_as("Europe/London"))


@tk.validator_args
def schedule_update_schema(default: Validator, ignore_empty: Validator) -> Schema:
    return {
        "frequency": [ignore_empty, schema.one_of(*schedule.FREQUENCIES)],
        "cron": [*schema.text_parameter(), cron_expressions.normalise],
        "time": [default(""), is_time],
        "days": [default(""), schema.list_of_words, schema.some_of(*schedule.DAYS)],
        "zone": [default(schedules.portal_zone()), is_zone],
    }


@tk.validator_args
def run_create_schema(default: Validator) -> Schema:
    return {"mode": [default(RunMode.NORMAL), schema.one_of(RunMode.NORMAL, RunMode.FORCE)]}


@tk.validator_args
def run_list_schema(ignore_missing: Validator, unicode_safe: Validator) -> Schema:
    return {
        **page(),
        "source": [ignore_missing, unicode_safe],
        "failed": schema.flag_parameter(),
    }
