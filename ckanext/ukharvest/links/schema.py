"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.link_states import STATE_NAMES
from ckanext.ukharvest.lib.schema import (
    Schema,
    Validator,
    _names,
    flag_parameter,
    page,
    text_parameter,
)
from ckanext.ukharvest.links import model as link_model


@tk.validator_args
def link_list_schema(
    ignore_empty: Validator, ignore_missing: Validator, unicode_safe: Validator, one_of: Validator
) -> Schema:
    states = one_of(list(STATE_NAMES))
    source = [ignore_missing, unicode_safe]
    return {
        **page(),
        "source": source,
        "unknown": flag_parameter(),
        "state": [ignore_empty, states],
    }


@tk.validator_args
def broken_link_list_schema(ignore_empty: Validator, one_of: Validator) -> Schema:
    states = one_of([str(state) for state in link_model.STATES])
    return {
        **page(),
        "source": text_parameter(),
        "organization": text_parameter(),
        "host": text_parameter(),
        "state": [ignore_empty, states],
        "group_by": _names("source", "organization", "host"),
    }
