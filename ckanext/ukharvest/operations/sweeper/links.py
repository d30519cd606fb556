"""Start the background job that checks due links."""

from __future__ import annotations

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest import config
from ckanext.ukharvest.engine.jobs import link_check
from ckanext.ukharvest.model import data_checks, link_checks
from ckanext.ukharvest.operations.sweeper import pauses

NOTE = "ukharvest.links"  # key in system_info: when a tick last found nothing to check


def enqueue_due() -> list[str]:
    """Queue a link check if links are due, the day's budget is not spent and none is running.

    After a tick without anything to check, that is looked up again an hour later, or when a run
    ends.
    """
    if not config.checks_links():
        return []
    quiet = pauses.since(NOTE)
    ended = sa.select(HarvestJob.id).where(HarvestJob.finished >= sa.literal(quiet)).limit(1)
    if quiet and model.Session.scalar(ended) is None:
        return []
    can_check = (
        link_checks.is_due() or (config.checks_data() and data_checks.count_due())
    ) and link_check.has_budget()
    if not can_check:
        pauses.begin(NOTE)
    # A dataset that the portal refuses is tried again only once per pause.
    is_asked = (can_check or link_checks.unfilled()) and link_check.enqueue()
    return ["asked a background worker ('ckan jobs worker') to check links"] * bool(is_asked)
