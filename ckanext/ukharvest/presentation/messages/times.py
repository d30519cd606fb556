"""Times and durations as text.

Times are stored as naive UTC, and shown in the portal's zone (``ckan.display_timezone``) with its
name.
"""

from __future__ import annotations

import datetime
from typing import Any

import ckan.plugins.toolkit as tk
from ckan.lib.helpers import get_display_timezone
from flask_babel import get_locale
from markupsafe import Markup

from ckanext.ukharvest.presentation.rendering.dates import format_day

UTC = datetime.timezone.utc


def moment(given: Any) -> datetime.datetime | None:
    """Return a database time, or its ISO text, as UTC; None for nothing and for invalid text."""
    if isinstance(given, str):
        try:
            given = datetime.datetime.fromisoformat(given)
        except ValueError:
            return None
    if not isinstance(given, datetime.datetime):
        return None
    return given.replace(tzinfo=UTC) if given.tzinfo is None else given.astimezone(UTC)


def when(given: Any, *, day_only: bool = False) -> Markup:
    """Return a ``<time>`` such as "20 November 2026, 02:14 UTC"; "" for nothing."""
    found = moment(given)
    if found is None:
        return Markup("")
    words = format_time(found, day_only=day_only)
    css = Markup(' class="ukharvest-day"') if day_only else ""
    stamp = found.isoformat(timespec="seconds")
    return Markup('<time{} datetime="{}">{}</time>').format(css, stamp, words)


def format_time(given: Any, *, day_only: bool = False) -> str:
    """Return the same as plain text, for mails and alternative texts."""
    found = moment(given)
    if found is None:
        return ""
    local = found.astimezone(get_display_timezone())
    day = format_day(local, get_locale() or "en")
    if day_only:
        return day
    return str(
        tk._("{day}, {time} {zone}").format(
            day=day, time=local.strftime("%H:%M"), zone=local.tzname() or ""
        )
    ).strip()


def age(given: Any, now: datetime.datetime | None = None) -> str:
    """Return how long ago or ahead a time is, such as "3 hours ago" or "in 5 minutes"."""
    found = moment(given)
    if found is None:
        return ""
    seconds = ((now or datetime.datetime.now(UTC)) - found).total_seconds()
    amount = _amount(abs(seconds))
    if not amount:
        return str(tk._("just now"))
    return str((tk._("{time} ago") if seconds > 0 else tk._("in {time}")).format(time=amount))


def _amount(seconds: float) -> str:
    minutes = int(seconds // 60)
    if minutes < 1:
        return ""
    if minutes < 60:
        return str(tk.ungettext("{n} minute", "{n} minutes", minutes).format(n=minutes))
    hours = round(minutes / 60)
    if hours < 48:
        return str(tk.ungettext("{n} hour", "{n} hours", hours).format(n=hours))
    days = round(minutes / 1440)
    return str(tk.ungettext("{n} day", "{n} days", days).format(n=days))


def duration(seconds: float | None) -> str:
    """Return a number of seconds as "41 s", "1 min 12 s" or "2 h 5 min"; "" for None."""
    if seconds is None:
        return ""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        rest = f" {whole % 60} s" if whole % 60 else ""
        return f"{whole // 60} min{rest}"
    rest = f" {whole % 3600 // 60} min" if whole % 3600 >= 60 else ""
    return f"{whole // 3600} h{rest}"
