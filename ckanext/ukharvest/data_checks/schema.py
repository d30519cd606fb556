"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib.schema import Schema, Validator, _names, page, text_parameter


@tk.validator_args
def data_check_list_schema(ignore_empty: Validator, one_of: Validator) -> Schema:
    verdicts = one_of(["valid", "invalid", "unchecked"])
    own = {
        "organization": text_parameter(),
        "schema": text_parameter(),
        "verdict": [ignore_empty, verdicts],
    }
    return {**page(), **own, "group_by": _names("organization", "schema")}
