"""Schedules of sources: their next starts, in the time zone of each."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any, NamedTuple

from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.core import cron_expressions, schedule
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.model import SourceState

Session = model.Session

SPREAD = 30  # minutes after midnight over which starts without a time of day are spread
SHOWN_STARTS = 5


class SourceSchedule(NamedTuple):
    """A source's schedule apart from its frequency; ``zone`` is always set here.

    With ``cron``, a valid expression, ``time`` and ``days`` have no meaning.
    """

    time: str
    days: tuple[str, ...]
    zone: str
    cron: str = ""


def portal_zone() -> str:
    """Return the portal's display time zone if it is a named one, else UTC."""
    zone = tk.config.get("ckan.display_timezone")
    return str(zone) if schedule.is_zone(zone) else "UTC"


def schedule_of(stored: dict[str, Any] | None) -> SourceSchedule:
    """Return ``SourceState.schedule``, with the portal's time zone as default.

    Invalid values, written by SQL, are ignored so that the tick goes on.
    """
    saved = stored or {}
    time, zone, cron = (saved.get(name, "") for name in ("time", "zone", "cron"))
    return SourceSchedule(
        time=time if schedule.is_time(time) else "",
        days=tuple(day for day in saved.get("days") or () if day in schedule.DAYS),
        zone=zone if schedule.is_zone(zone) else portal_zone(),
        cron=cron if schedule.is_cron(cron) else "",
    )


def find_cron_error(cron: str) -> Message | None:
    """Return why no source may have a cron expression, in its normal form; None if it may.

    It is wrong, or has starts that are closer than this portal allows.
    """
    if error := cron_expressions.find_error(cron):
        return error
    least = config.schedule_least_minutes()
    if cron_expressions.shortest_interval(cron) >= least:
        return None
    return Message("On this site, starts must be at least {minutes} min apart.", minutes=least)


def next_starts(source: HarvestSource, plan: SourceSchedule) -> list[dt.datetime]:
    """Return the source's next five starts, fewer if it has no times of its own."""
    starts: list[dt.datetime] = []
    while len(starts) < SHOWN_STARTS and source.frequency != schedule.ALWAYS:
        start = next_start(source, plan, after=starts[-1] if starts else None)
        if start is None:
            break
        starts.append(start)
    return starts


def next_start(
    source: HarvestSource, plan: SourceSchedule, *, after: dt.datetime | None = None
) -> dt.datetime | None:
    """Return the source's next scheduled start after now, or after another time; None: manual."""
    return schedule.next_start(
        source.frequency or "",
        after or tables.utcnow(),
        cron=plan.cron,
        time=plan.time,
        days=plan.days,
        zone=plan.zone,
        offset=schedule.offset_of(source.id, SPREAD),
    )


def align_schedules() -> list[str]:
    """Update the next starts of new sources, and of changed frequencies.

    Returns:
        The ids of the sources that are due now, which ckanext-harvest is about to start.
    """
    now = tables.utcnow()
    due = []
    for source, stored in _scheduled():
        if source.next_run is not None and source.next_run <= now:
            due.append(source.id)
        else:
            source.next_run = next_start(source, schedule_of(stored))
    Session.commit()
    return due


def set_next_starts(ids: Iterable[str]) -> None:
    """Set the next start of sources that were just started; commit."""
    wanted = set(ids)
    for source, stored in _scheduled() if wanted else ():
        if source.id in wanted:
            source.next_run = next_start(source, schedule_of(stored))
    Session.commit()


def _scheduled() -> list[tuple[HarvestSource, dict[str, Any] | None]]:
    query = (
        Session.query(HarvestSource, SourceState.schedule)
        .outerjoin(SourceState, SourceState.source_id == HarvestSource.id)
        .filter(HarvestSource.active.is_(True), HarvestSource.frequency != schedule.MANUAL)
    )
    return query.all()  # type: ignore[no-any-return]
