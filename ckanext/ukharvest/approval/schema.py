"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib.schema import Schema, Validator, strict_flag_parameter, strip


@tk.validator_args
def _place(not_empty: Validator, unicode_safe: Validator) -> Schema:
    return {"url": [not_empty, unicode_safe], "source_type": [not_empty, unicode_safe]}


def source_approve_schema() -> Schema:
    return {**_place(), "run": strict_flag_parameter()}


@tk.validator_args
def source_refuse_schema(not_empty: Validator, unicode_safe: Validator) -> Schema:
    return {**_place(), "reason": [unicode_safe, strip, not_empty]}
