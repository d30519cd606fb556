"""Schemas of actions: the parameters that each takes, and how they are checked and converted.

Actions whose only parameter is an id have no schema (they use ``tk.get_or_bust``), nor has
``ukharvest_theme_suggest``, which takes any data of a form.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.link_states import LinkState
from ckanext.ukharvest.core.outcomes import RunMode
from ckanext.ukharvest.logic import parameter_validators as check
from ckanext.ukharvest.model import broken_links, changes, notifications, source_list
from ckanext.ukharvest.operations.sweeper import schedules

Schema = dict[str, list[Any]]
Validator = Callable[..., Any]
Errors = dict[str, list[str]]

PAGE, LARGEST_PAGE = 100, 1000
PAGE_OF_RECORDS, LARGEST_LIST_OF_PROBLEMS = 50, 10_000  # a CSV file has all problems
LARGEST_PAGE_OF_CHANGES = 100


def invalid(field: str, message: str) -> tk.ValidationError:
    """Return the error of a wrong parameter, to be raised."""
    return tk.ValidationError({field: [message]})


def validate(data_dict: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Return an action's parameters, converted; drop those that are not in the schema.

    Raises:
        ValidationError: with a message for each wrong parameter.
    """
    data, errors = convert(data_dict, schema)
    if errors:
        raise tk.ValidationError(errors)
    return data


def convert(data_dict: Mapping[str, Any], schema: Schema) -> tuple[dict[str, Any], Errors]:
    """Do the same, but return the errors, for an action that adds its own."""
    asked = {key: data_dict[key] for key in schema if key in data_dict}
    data, errors = tk.navl_validate(asked, schema)
    return data, errors


@tk.validator_args
def _page(default: Validator, natural_number_validator: Validator) -> Schema:
    return {
        "limit": [default(PAGE), natural_number_validator, check.at_most(LARGEST_PAGE)],
        "offset": [default(0), natural_number_validator],
    }


@tk.validator_args
def _text(default: Validator, unicode_safe: Validator) -> list[Validator]:
    return [default(""), unicode_safe]


def _names(*names: str) -> list[Validator]:
    return [tk.get_validator("default")(""), check.list_of_words, check.some_of(*names)]


@tk.validator_args
def _flag(default: Validator, boolean_validator: Validator) -> list[Validator]:
    return [default(False), boolean_validator]


@tk.validator_args
def _strict_flag(default: Validator) -> list[Validator]:
    """Validate a flag that decides about a change: an unclear value is an error, not false."""
    return [default(False), check.flag]


# Sources.


@tk.validator_args
def source_list_schema(default: Validator, one_of: Validator) -> Schema:
    return {
        **_page(),
        "q": _text(),
        **{facet: _text() for facet in source_list.FACETS},
        "mine": _flag(),
        "include_inactive": _flag(),
        "sort": [default("name"), one_of(list(source_list.SORTS))],
    }


def source_adopt_schema() -> Schema:
    return {"by_guid": _strict_flag(), "undo": _strict_flag(), "dry_run": _strict_flag()}


def source_preview_create_schema() -> Schema:
    return {
        "source_type": _text(),
        "url": [*_text(), check.strip],
        "config": [*_text(), check.strip],
    }


def check_create_schema() -> Schema:
    return {
        "source_type": _text(),
        "url": [*_text(), check.strip],
        "text": _text(),
        "schema_url": [*_text(), check.strip],
        "schema_text": _text(),
    }


@tk.validator_args
def dry_run_create_schema(not_empty: Validator, unicode_safe: Validator) -> Schema:
    return {
        "url": [not_empty, unicode_safe, check.strip],
        "source_type": [*_text(), check.strip],
        "config": [*_text(), check.strip],
    }


@tk.validator_args
def source_move_schema(not_empty: Validator, unicode_safe: Validator) -> Schema:
    return {"dry_run_id": [not_empty, unicode_safe], "even_if_few_match": _strict_flag()}


@tk.validator_args
def schedule_update_schema(default: Validator) -> Schema:
    return {
        "time": [default(""), check.is_time],
        "days": [default(""), check.list_of_words, check.are_days],
        "zone": [default(schedules.portal_zone()), check.is_zone],
    }


@tk.validator_args
def mail_update_schema(default: Validator) -> Schema:
    return {
        "people": [default(""), check.list_of_texts],
        "addresses": [default(""), check.list_of_texts, check.are_emails],
        "events": [default(""), check.list_of_texts, check.some_of(*notifications.EVENTS)],
        "weekly": [default(notifications.NEVER), check.one_of(*notifications.WEEKLY)],
        "test": _strict_flag(),
    }


# Runs, records and deletions.


@tk.validator_args
def run_list_schema(ignore_missing: Validator, unicode_safe: Validator) -> Schema:
    return {**_page(), "source": [ignore_missing, unicode_safe]}


@tk.validator_args
def run_create_schema(default: Validator) -> Schema:
    return {"mode": [default(RunMode.NORMAL), check.one_of(RunMode.NORMAL, RunMode.FORCE)]}


@tk.validator_args
def problem_list_schema(default: Validator, natural_number_validator: Validator) -> Schema:
    largest = check.at_most(LARGEST_LIST_OF_PROBLEMS)
    return {
        **record_list_schema(),
        "limit": [default(PAGE_OF_RECORDS), natural_number_validator, largest],
    }


@tk.validator_args
def record_list_schema(default: Validator, natural_number_validator: Validator) -> Schema:
    return {
        **_page(),
        "limit": [default(PAGE_OF_RECORDS), natural_number_validator, check.at_most(LARGEST_PAGE)],
        "outcome": [*_text(), check.is_record_outcome],
        "code": _text(),
        "field": _text(),
        "q": _text(),
    }


@tk.validator_args
def record_show_schema(not_missing: Validator) -> Schema:
    return {"id": [not_missing, check.record_number]}


@tk.validator_args
def deletion_list_schema(default: Validator, natural_number_validator: Validator) -> Schema:
    return {**_page(), "limit": [default(sys.maxsize), natural_number_validator]}


def decision_schema(*decisions: str) -> Schema:
    return {
        "decision": [tk.get_validator("not_missing"), check.one_of(*decisions)],
        "version": _text(),
        "background": _strict_flag(),
    }


# Datasets and links.


@tk.validator_args
def dataset_change_list_schema(default: Validator, natural_number_validator: Validator) -> Schema:
    largest = check.at_most(LARGEST_PAGE_OF_CHANGES)
    return {**_page(), "limit": [default(changes.KEPT), natural_number_validator, largest]}


@tk.validator_args
def link_list_schema(
    ignore_empty: Validator, ignore_missing: Validator, unicode_safe: Validator, one_of: Validator
) -> Schema:
    states = one_of([str(state) for state in LinkState if state])
    source = [ignore_missing, unicode_safe]
    return {**_page(), "source": source, "unknown": _flag(), "state": [ignore_empty, states]}


@tk.validator_args
def place_list_schema(
    default: Validator,
    not_empty: Validator,
    unicode_safe: Validator,
    natural_number_validator: Validator,
) -> Schema:
    return {
        "q": [not_empty, unicode_safe],
        "limit": [default(10), natural_number_validator, check.at_most(PAGE)],
    }


@tk.validator_args
def broken_link_list_schema(ignore_empty: Validator, one_of: Validator) -> Schema:
    states = one_of([str(state) for state in broken_links.STATES])
    return {
        **_page(),
        "source": _text(),
        "organization": _text(),
        "host": _text(),
        "state": [ignore_empty, states],
        "group_by": _names("source", "organization", "host"),
    }


@tk.validator_args
def data_check_list_schema(ignore_empty: Validator, one_of: Validator) -> Schema:
    verdicts = one_of(["valid", "invalid", "unchecked"])
    own = {"organization": _text(), "schema": _text(), "verdict": [ignore_empty, verdicts]}
    return {**_page(), **own, "group_by": _names("organization", "schema")}


@tk.validator_args
def stars_list_schema(ignore_missing: Validator, natural_number_validator: Validator) -> Schema:
    return {
        **_page(),
        "organization": _text(),
        "stars": [ignore_missing, natural_number_validator],
        "group_by": _names("organization"),
    }


# The portal.


def dashboard_show_schema() -> Schema:
    return {"thorough": _strict_flag()}


def notice_update_schema() -> Schema:
    return {"text": [*_text(), check.strip, check.is_notice]}
