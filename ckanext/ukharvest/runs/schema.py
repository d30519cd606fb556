"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

import datetime as dt
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.outcomes import CHANGED, WITH_PROBLEMS, RecordState
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.schema import (
    LARGEST_PAGE,
    Schema,
    Validator,
    accept,
    flag_parameter,
    page,
    text_parameter,
)
from ckanext.ukharvest.lib.texts import gettext

LONGEST_ACCEPTANCE = dt.timedelta(days=365)
LONGEST_REASON = 1000  # characters
is_short = accept(
    lambda value: len(value) <= LONGEST_REASON,
    lambda: gettext("Write at most {n} characters.", n=LONGEST_REASON),
)


def record_number(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        raise tk.Invalid(tk._("Expected a number.")) from None


PAGE_OF_RECORDS, LARGEST_LIST_OF_PROBLEMS = 50, 10_000  # a CSV file has all problems


# Runs, records and deletions.


@tk.validator_args
def problem_list_schema(default: Validator, natural_number_validator: Validator) -> Schema:
    largest = schema.at_most(LARGEST_LIST_OF_PROBLEMS)
    return {
        **record_list_schema(),
        "limit": [default(PAGE_OF_RECORDS), natural_number_validator, largest],
    }


@tk.validator_args
def record_list_schema(default: Validator, natural_number_validator: Validator) -> Schema:
    return {
        **page(),
        "limit": [default(PAGE_OF_RECORDS), natural_number_validator, schema.at_most(LARGEST_PAGE)],
        "outcome": [*text_parameter(), schema.one_of("", *RecordState, CHANGED, WITH_PROBLEMS)],
        "code": text_parameter(),
        "field": text_parameter(),
        "q": text_parameter(),
    }


def first_and_last_day() -> tuple[dt.date, dt.date]:
    """Return the days between which an acceptance can end: tomorrow, and a year from now."""
    today = utcnow().date()
    return today + dt.timedelta(days=1), today + LONGEST_ACCEPTANCE


def _day(value: Any) -> dt.date:
    """Accept one of these days."""
    try:
        day = dt.date.fromisoformat(str(value))
    except ValueError:
        raise tk.Invalid(schema.such_as("2027-03-31")()) from None
    first, last = first_and_last_day()
    if not first <= day <= last:
        raise tk.Invalid(tk._("Choose a day from tomorrow to a year from now."))
    return day


def problem_decide_schema(is_accepted: bool = True) -> Schema:
    """Return the schema; a reason and a day are needed to accept a problem."""
    needed = [tk.get_validator("not_empty"), tk.get_validator("unicode_safe"), schema.strip]
    return {
        "code": list(needed),
        "field": text_parameter(),
        "decision": [tk.get_validator("not_missing"), schema.one_of("accept", "list")],
        "reason": [*needed, is_short, tk.get_validator("not_empty")]
        if is_accepted
        else text_parameter(),
        "until": [tk.get_validator("not_empty"), _day] if is_accepted else text_parameter(),
        "new_records": flag_parameter(),
    }


@tk.validator_args
def record_show_schema(not_missing: Validator) -> Schema:
    return {"id": [not_missing, record_number]}
