"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib.schema import Schema, Validator, _names, page, text_parameter


@tk.validator_args
def stars_list_schema(ignore_missing: Validator, natural_number_validator: Validator) -> Schema:
    return {
        **page(),
        "organization": text_parameter(),
        "stars": [ignore_missing, natural_number_validator],
        "group_by": _names("organization"),
    }
