"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.schema import Schema, page, text_parameter


def duplicate_list_schema() -> Schema:
    return page()


def duplicate_decide_schema() -> Schema:
    return {
        "id": [tk.get_validator("not_empty"), tk.get_validator("natural_number_validator")],
        "decision": [tk.get_validator("not_missing"), schema.one_of("same", "different")],
        "keep": text_parameter(),
    }


def duplicate_undo_schema() -> Schema:
    return {"id": [tk.get_validator("not_empty"), tk.get_validator("natural_number_validator")]}
