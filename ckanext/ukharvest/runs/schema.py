"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.outcomes import WITH_PROBLEMS, RecordState
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.schema import (
    LARGEST_PAGE,
    Schema,
    Validator,
    accept,
    page,
    text_parameter,
)

is_record_outcome = accept(
    lambda value: value in ("", *RecordState, WITH_PROBLEMS),
    lambda: tk._("Expected the outcome of a record, for example lost or added."),
)


def record_number(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        raise tk.Invalid(tk._("Expected a number.")) from None


PAGE_OF_RECORDS, LARGEST_LIST_OF_PROBLEMS = 50, 10_000  # a CSV file has all problems


# Runs, records and deletions.


@tk.validator_args
def run_list_schema(ignore_missing: Validator, unicode_safe: Validator) -> Schema:
    return {
        **page(),
        "source": [ignore_missing, unicode_safe],
        "failed": schema.flag_parameter(),
    }


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
        "outcome": [*text_parameter(), is_record_outcome],
        "code": text_parameter(),
        "field": text_parameter(),
        "q": text_parameter(),
    }


@tk.validator_args
def record_show_schema(not_missing: Validator) -> Schema:
    return {"id": [not_missing, record_number]}
