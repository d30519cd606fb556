"""Links that are due to be looked at."""

from __future__ import annotations

import datetime

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest import config, link_job
from ckanext.ukharvest.model import links
from ckanext.ukharvest.sweeper import pauses

NOTE = "ukharvest.links"  # key in system_info: when a tick last found that nothing is due


def enqueue_due() -> list[str]:
    """Have a background worker look at links, if any is due and none is at it.

    What is due is asked again an hour after nothing was, and as soon as a run has ended.
    """
    if not config.looks_at_links():
        return []
    quiet = pauses.since(NOTE)
    if quiet and not _ended_run_since(quiet):
        return []
    is_due = links.is_due()
    if not is_due:
        pauses.begin(NOTE)
    # What cannot be written because the portal refuses it is tried once a pause.
    if not (is_due or links.unfilled()) or not link_job.enqueue():
        return []
    return ["asked a background worker ('ckan jobs worker') to look at links"]


def _ended_run_since(time: datetime.datetime) -> bool:
    ended = sa.select(HarvestJob.id).where(HarvestJob.finished >= time).limit(1)
    return model.Session.scalar(ended) is not None
