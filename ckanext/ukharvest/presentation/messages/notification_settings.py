"""Texts of the page where people choose which emails a source sends."""

from __future__ import annotations

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.model import notifications as settings
from ckanext.ukharvest.texts import gettext

EVENTS = {
    settings.FAILED: lambda: tk._("When runs start to fail"),
    settings.RECOVERED: lambda: tk._("When runs succeed again"),
    settings.HELD: lambda: tk._("When deletions wait for a decision"),
}
WEEKLY = {
    settings.NEVER: lambda: tk._("No weekly summary"),
    settings.NEEDED: lambda: tk._("On Mondays when a source needs attention"),
}


def describe_obstacle(reason: str) -> str:
    """Return why emails are not sent, for the middle of a sentence; "" without a reason.

    Args:
        reason: the name of a missing option, ``UNREACHABLE`` or ``REFUSED``.
    """
    texts = {
        "": "",
        settings.UNREACHABLE: tk._("the mail server could not be reached"),
        settings.REFUSED: tk._("the mail server refused the email"),
    }
    return texts[reason] if reason in texts else gettext("{option} is not set", option=reason)
