"""Texts about the schedules of sources: frequencies and days."""

from __future__ import annotations

from ckanext.ukharvest.core.values.text import marked as _

FREQUENCIES = {
    "MANUAL": _("Manual"),
    "DAILY": _("Every day"),
    "WEEKLY": _("Every week"),
    "BIWEEKLY": _("Every two weeks"),
    "MONTHLY": _("Every month"),
    "ALWAYS": _("Always: each time the site starts runs"),
}
USUAL_FREQUENCY = "DAILY"

DAYS = {
    "mon": _("Monday"),
    "tue": _("Tuesday"),
    "wed": _("Wednesday"),
    "thu": _("Thursday"),
    "fri": _("Friday"),
    "sat": _("Saturday"),
    "sun": _("Sunday"),
}
