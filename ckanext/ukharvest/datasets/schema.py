"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.harvest.records import changes
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.schema import Schema, Validator, page

LARGEST_PAGE_OF_CHANGES = 100


# Datasets and links.


@tk.validator_args
def dataset_change_list_schema(default: Validator, natural_number_validator: Validator) -> Schema:
    largest = schema.at_most(LARGEST_PAGE_OF_CHANGES)
    return {**page(), "limit": [default(changes.KEPT_CHANGES), natural_number_validator, largest]}
