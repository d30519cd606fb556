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
from ckanext.ukharvest.texts import gettext, ngettext

UTC = datetime.timezone.utc


def moment(time: Any) -> datetime.datetime | None:
    """Return a database time, or its ISO text, as UTC; None for nothing and for invalid text."""
    if isinstance(time, str):
        try:
            time = datetime.datetime.fromisoformat(time)
        except ValueError:
            return None
    if not isinstance(time, datetime.datetime):
        return None
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def when(time: Any, *, day_only: bool = False) -> Markup:
    """Return a ``<time>`` such as "20 November 2026, 02:14 UTC"; "" for nothing."""
    utc = moment(time)
    if utc is None:
        return Markup("")
    css = Markup(' class="ukharvest-day"') if day_only else ""
    stamp = utc.isoformat(timespec="seconds")
    words = format_time(utc, day_only=day_only)
    return Markup('<time{} datetime="{}">{}</time>').format(css, stamp, words)


def format_time(time: Any, *, day_only: bool = False) -> str:
    """Return the same as plain text, for mails and alternative texts."""
    utc = moment(time)
    if utc is None:
        return ""
    local = utc.astimezone(get_display_timezone())
    day = format_day(local, get_locale() or "en")
    zone = local.tzname() or ""
    full = gettext("{day}, {time} {zone}", day=day, time=local.strftime("%H:%M"), zone=zone)
    return day if day_only else full.strip()


def age(time: Any, now: datetime.datetime | None = None) -> str:
    """Return how long ago or ahead a time is, such as "3 hours ago" or "in 5 minutes"."""
    utc = moment(time)
    if utc is None:
        return ""
    seconds = ((now or datetime.datetime.now(UTC)) - utc).total_seconds()
    minutes = int(abs(seconds) // 60)
    if not minutes:
        return str(tk._("just now"))
    amount = _amount(minutes)
    return gettext("{time} ago", time=amount) if seconds > 0 else gettext("in {time}", time=amount)


def _amount(minutes: int) -> str:
    hours, days = round(minutes / 60), round(minutes / 1440)
    if minutes < 60:
        return ngettext("{n} minute", "{n} minutes", minutes)
    if hours < 48:
        return ngettext("{n} hour", "{n} hours", hours)
    return ngettext("{n} day", "{n} days", days)


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
