"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

from ckanext.ukharvest.lib.schema import Schema, page


def to_do_list_schema() -> Schema:
    return page()
