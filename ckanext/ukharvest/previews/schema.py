"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.schema import Schema, Validator, strict_flag_parameter, text_parameter


def source_preview_create_schema() -> Schema:
    return {
        "source_type": text_parameter(),
        "url": [*text_parameter(), schema.strip],
        "config": [*text_parameter(), schema.strip],
        "owner_org": [*text_parameter(), schema.strip],
        "text": text_parameter(),
        "schema_url": [*text_parameter(), schema.strip],
        "schema_text": text_parameter(),
    }


def source_search_schema() -> Schema:
    return {"near": strict_flag_parameter()}


@tk.validator_args
def source_move_schema(not_empty: Validator, unicode_safe: Validator) -> Schema:
    return {"dry_run_id": [not_empty, unicode_safe], "even_if_few_match": strict_flag_parameter()}
