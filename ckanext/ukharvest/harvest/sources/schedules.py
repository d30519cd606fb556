"""Schedules of sources: their next starts, in the time zone of each."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Any, NamedTuple

from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.core import schedule
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.model import SourceState

Session = model.Session

SPREAD = 30  # minutes after midnight over which starts without a time of day are spread


class SourceSchedule(NamedTuple):
    """A source's schedule apart from its frequency; ``zone`` is always set here."""

    time: str
    days: tuple[str, ...]
    zone: str


def portal_zone() -> str:
    """Return the portal's display time zone if it is a named one, else UTC."""
    zone = tk.config.get("ckan.display_timezone")
    return str(zone) if schedule.is_zone(zone) else "UTC"


def schedule_of(stored: dict[str, Any] | None) -> SourceSchedule:
    """Return ``SourceState.schedule``, with the portal's time zone as default.

    Invalid values, written by SQL, are ignored so that the tick goes on.
    """
    saved = stored or {}
    time, zone = saved.get("time", ""), saved.get("zone", "")
    return SourceSchedule(
        time=time if schedule.is_time(time) else "",
        days=tuple(day for day in saved.get("days") or () if day in schedule.DAYS),
        zone=zone if schedule.is_zone(zone) else portal_zone(),
    )


def next_start(source: HarvestSource, plan: SourceSchedule) -> dt.datetime | None:
    """Return the source's next scheduled start, None if it is manual."""
    return schedule.next_start(
        source.frequency or "",
        tables.utcnow(),
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
