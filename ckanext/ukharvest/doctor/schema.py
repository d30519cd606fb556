"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

from ckanext.ukharvest.lib import actions as action_tools
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.schema import Schema, accept, strict_flag_parameter, text_parameter
from ckanext.ukharvest.lib.texts import gettext

is_notice = accept(
    lambda text: len(text) <= action_tools.LONGEST,
    lambda: gettext("Write at most {n} characters.", n=action_tools.LONGEST),
)


# The portal.


def dashboard_show_schema() -> Schema:
    return {"thorough": strict_flag_parameter()}


def notice_update_schema() -> Schema:
    return {"text": [*text_parameter(), schema.strip, is_notice]}
