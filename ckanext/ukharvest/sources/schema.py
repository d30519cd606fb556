"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.schema import (
    PAGE,
    Schema,
    Validator,
    flag_parameter,
    page,
    text_parameter,
)
from ckanext.ukharvest.sources import model as source_model

# Sources.


@tk.validator_args
def source_list_schema(default: Validator, one_of: Validator) -> Schema:
    return {
        **page(),
        "q": text_parameter(),
        **{facet: text_parameter() for facet in source_model.FACETS},
        "mine": flag_parameter(),
        "include_inactive": flag_parameter(),
        "sort": [default("name"), one_of(list(source_model.SORTS))],
    }


def decision_list_schema() -> Schema:
    return {**page(), "source": text_parameter()}


@tk.validator_args
def place_list_schema(
    default: Validator,
    not_empty: Validator,
    unicode_safe: Validator,
    natural_number_validator: Validator,
) -> Schema:
    return {
        "q": [not_empty, unicode_safe],
        "limit": [default(10), natural_number_validator, schema.at_most(PAGE)],
    }
