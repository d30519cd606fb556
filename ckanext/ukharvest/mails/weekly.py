"""The weekly summary: one mail for each recipient, of all sources that they want it of."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from ckan import model
from ckan.model.system_info import set_system_info

from ckanext.ukharvest.mails import letters, post
from ckanext.ukharvest.model.health import SourceHealth
from ckanext.ukharvest.model.mail import ALWAYS, Recipient, Told
from ckanext.ukharvest.sweeper import schedules

NOTE = "ukharvest.weekly"  # key in system_info: the week that was summed up last
START = dt.timedelta(hours=6)  # after the beginning of Monday, in the portal's time zone

Known = tuple[Told, SourceHealth, list[Recipient]]


def tell(known: Iterable[Known]) -> list[str]:
    """Send the summaries at the first tick of a week; commits."""
    this = week()
    last = model.Session.scalar(
        sa.select(model.SystemInfo.value).where(model.SystemInfo.key == NOTE)
    )
    if last == this:
        return []
    # Noted first: one that is lost is better than one that comes at each tick.
    set_system_info(NOTE, this)
    if not last:  # the extension was set up in the middle of a week
        return []
    sent = sum(_send(recipient, pairs) for recipient, pairs in _by_recipient(known))
    return [f"sent {sent} weekly summaries"] if sent else []


def week(now: dt.datetime | None = None) -> str:
    """Return the week's Monday, as the summaries count: from six in the morning on."""
    local = (now or dt.datetime.now(dt.timezone.utc)).astimezone(ZoneInfo(schedules.portal_zone()))
    day = (local - START).date()
    return (day - dt.timedelta(days=day.weekday())).isoformat()


def _by_recipient(
    known: Iterable[Known],
) -> Iterable[tuple[Recipient, list[tuple[Told, SourceHealth]]]]:
    found: dict[str, tuple[Recipient, list[tuple[Told, SourceHealth]]]] = {}
    for told, health, recipients in known:
        for recipient in recipients:
            if not told.settings.wants_weekly(recipient):
                continue
            pairs = found.setdefault(recipient.address.casefold(), (recipient, []))[1]
            pairs.append((told, health))
    return found.values()


def _send(recipient: Recipient, pairs: list[tuple[Told, SourceHealth]]) -> bool:
    """Send one summary, if there is something to tell or somebody wants it always."""
    is_needed = any(health.value in letters.NEEDS_YOU for _told, health in pairs)
    is_wanted = any(told.settings.weekly == ALWAYS for told, _health in pairs)
    if not (is_needed or is_wanted):
        return False
    return post.send(letters.weekly(pairs), recipient)
