"""Weekly summaries: one mail to each recipient, about all sources subscribed to."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from zoneinfo import ZoneInfo

from ckanext.ukharvest.model import broken_links, data_check_report, notes
from ckanext.ukharvest.model.health import SourceHealth
from ckanext.ukharvest.model.notifications import Recipient, Told
from ckanext.ukharvest.operations.notifications import mail_contents, sending
from ckanext.ukharvest.operations.notifications.mail_contents import Found
from ckanext.ukharvest.operations.sweeper import schedules

NOTE = "ukharvest.weekly"  # key in system_info: the last week summarised
START = dt.timedelta(hours=6)  # after the beginning of Monday, in the portal's time zone

Known = tuple[Told, SourceHealth, list[Recipient]]


def send_weekly(known: Sequence[Known]) -> list[str]:
    """Send the summaries at the first tick of a week; commit."""
    this, last = week(), notes.note(NOTE)
    if last == this:
        return []
    # Saved first: losing one is better than sending one at each tick.
    notes.set_note(NOTE, this)
    if not last:  # installed in the middle of a week
        return []
    ids = [source.id for source, _health, _to in known]
    counts = Found(data_check_report.count_invalid(ids), broken_links.count_of_sources(ids))
    sent = sum(_send(recipient, pairs, counts) for recipient, pairs in _by_recipient(known))
    return [f"sent {sent} weekly summaries"] if sent else []


def week(now: dt.datetime | None = None) -> str:
    """Return the week's Monday; a week starts on Monday at six in the morning."""
    local = (now or dt.datetime.now(dt.timezone.utc)).astimezone(ZoneInfo(schedules.portal_zone()))
    day = (local - START).date()
    return (day - dt.timedelta(days=day.weekday())).isoformat()


def _by_recipient(
    known: Iterable[Known],
) -> Iterable[tuple[Recipient, list[tuple[Told, SourceHealth]]]]:
    summaries: dict[str, tuple[Recipient, list[tuple[Told, SourceHealth]]]] = {}
    for source, health, recipients in known:
        for recipient in filter(source.settings.wants_weekly, recipients):
            key = recipient.address.casefold()
            summaries.setdefault(key, (recipient, []))[1].append((source, health))
    return summaries.values()


def _send(recipient: Recipient, pairs: list[tuple[Told, SourceHealth]], found: Found) -> bool:
    """Send one summary if a source needs attention."""
    is_needed = any(
        health.value in mail_contents.NEEDS_YOU or found.broken.get(source.id)
        for source, health in pairs
    )
    return is_needed and sending.send(mail_contents.compose_weekly(pairs, found), recipient)
