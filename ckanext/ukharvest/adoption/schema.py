"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.adoption.pairs import pairs_of
from ckanext.ukharvest.lib.schema import (
    Schema,
    Validator,
    strict_flag_parameter,
    text_parameter,
)


def source_adopt_schema() -> Schema:
    return {
        "as_type": text_parameter(),
        "by_guid": strict_flag_parameter(),
        "undo": strict_flag_parameter(),
        "finish": strict_flag_parameter(),
        "accept_losses": strict_flag_parameter(),
        "dry_run": strict_flag_parameter(),
    }


@tk.validator_args
def dataset_attach_schema(not_missing: Validator) -> Schema:
    return {"pairs": [not_missing, pairs_of], "dry_run": strict_flag_parameter()}
