"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

from ckanext.ukharvest.lib.schema import Schema, strict_flag_parameter, text_parameter


def source_adopt_schema() -> Schema:
    return {
        "as_type": text_parameter(),
        "by_guid": strict_flag_parameter(),
        "undo": strict_flag_parameter(),
        "finish": strict_flag_parameter(),
        "accept_losses": strict_flag_parameter(),
        "dry_run": strict_flag_parameter(),
    }


def dataset_attach_schema() -> Schema:
    return {"dry_run": strict_flag_parameter()}
