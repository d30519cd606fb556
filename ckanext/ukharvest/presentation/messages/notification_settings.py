"""Texts of the page where people choose which emails a source sends."""

from __future__ import annotations

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.model import notifications as settings

EVENTS = {
    settings.FAILED: lambda: tk._("When runs start to fail"),
    settings.RECOVERED: lambda: tk._("When runs succeed again"),
    settings.HELD: lambda: tk._("When deletions wait for a decision"),
}
WEEKLY = {
    settings.NEVER: lambda: tk._("No weekly summary"),
    settings.NEEDED: lambda: tk._("On Mondays when a source needs attention"),
    settings.ALWAYS: lambda: tk._("Every Monday"),
}
