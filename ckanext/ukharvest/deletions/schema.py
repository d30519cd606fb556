"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

import sys

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.outcomes import PendingKind
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.schema import (
    Schema,
    Validator,
    page,
    strict_flag_parameter,
    text_parameter,
)


@tk.validator_args
def pending_list_schema(default: Validator, natural_number_validator: Validator) -> Schema:
    return {
        **page(),
        "limit": [default(sys.maxsize), natural_number_validator],
        "kind": [
            default(PendingKind.DELETION),
            schema.one_of(PendingKind.DELETION, PendingKind.IDENTIFIER),
        ],
    }


def pending_decide_schema(*decisions: str) -> Schema:
    return {
        "decision": [tk.get_validator("not_missing"), schema.one_of(*decisions)],
        "version": text_parameter(),
        "guids": [tk.get_validator("ignore_missing"), schema.list_of_words],
        "background": strict_flag_parameter(),
    }
