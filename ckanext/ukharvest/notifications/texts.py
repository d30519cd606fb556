"""Texts of the page where people choose which emails a source sends."""

from __future__ import annotations

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib.texts import gettext
from ckanext.ukharvest.notifications import model as notification_model

EVENTS = {
    notification_model.FAILED: lambda: tk._("When runs start to fail"),
    notification_model.RECOVERED: lambda: tk._("When runs succeed again"),
    notification_model.HELD: lambda: tk._("When deletions wait for a decision"),
}
WEEKLY = {
    notification_model.NEVER: lambda: tk._("No weekly summary"),
    notification_model.NEEDED: lambda: tk._("On Mondays when a source needs attention"),
}


def describe_obstacle(reason: str) -> str:
    """Return why emails are not sent, for the middle of a sentence; "" without a reason.

    Args:
        reason: the name of a missing option, ``UNREACHABLE`` or ``REFUSED``.
    """
    texts = {
        "": "",
        notification_model.UNREACHABLE: tk._("the mail server could not be reached"),
        notification_model.REFUSED: tk._("the mail server refused the email"),
    }
    return texts[reason] if reason in texts else gettext("{option} is not set", option=reason)
