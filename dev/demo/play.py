"""Bring the showcase's sources into the states that the start page links to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .api import Api, tell
from .processes import PublisherServer
from .publishers import LATER
from .runs import Row, Source, ensure_sources

Run = Callable[[str, list[Source]], list[Row]]
# The one whose publisher lists fewer: what a second run misses too would be deleted.
HELD = "fernley-district-council"
SCHEDULES = (("DAILY", "02:30"), ("WEEKLY", "04:00"), ("DAILY", "05:15"), ("MONTHLY", "03:00"))


def play(api: Api, server: PublisherServer, run: Run) -> list[Row]:
    """Run the sources before and after their publishers changed; later, once more."""
    sources = ensure_sources(api, [server])
    if any(api("harvest_job_list", source_id=source.id) for source in sources):
        tell(server.control, fault=LATER)
        return run("", sources)
    rows = run("first", sources)
    tell(server.control, fault=LATER)
    rows += run("second", sources)
    return rows + run("third", [each for each in sources if each.name == HELD])


def set_schedules(api: Api, sources: Sequence[Source]) -> None:
    """Give sources that only a person starts a frequency and a time of day."""
    for number, source in enumerate(sources):
        shown = api("harvest_source_show", id=source.id)
        if shown["frequency"] != "MANUAL":
            continue
        frequency, time = SCHEDULES[number % len(SCHEDULES)]
        api("harvest_source_patch", id=source.id, frequency=frequency)
        api("ukharvest_schedule_update", source_id=source.id, time=time)
