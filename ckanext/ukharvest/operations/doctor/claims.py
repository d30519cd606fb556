"""Check of claims: locks on harvest objects that fetch consumers hold while they import them."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest import config
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.model import Claim, Worker, database_time
from ckanext.ukharvest.operations.doctor.finding import STUCK, WARNING, Finding

Session = model.Session


def unowned() -> Any:
    """Return a query of claims whose consumer has no heartbeat any more."""
    alive = database_time() - datetime.timedelta(seconds=config.worker_timeout())
    owner = sa.exists().where(Worker.id == Claim.worker_id, Worker.heartbeat > alive)
    return Session.query(Claim).filter(~owner, Claim.since < alive)


def held_by_none() -> Iterator[Finding]:
    """Find claims that a consumer left when it ended."""
    if number := unowned().count():
        yield Finding(
            WARNING,
            "claims",
            f"{counted(number, 'harvest object')} held by consumers that have ended.",
            "'ckan harvester run', from cron, gives them to other consumers; so does "
            "'ckan ukharvest doctor --fix'.",
            STUCK,
        )


def release_ended() -> int:
    """Delete unowned claims of harvest objects that have ended; return their number; no commit."""
    ended = sa.exists().where(
        HarvestObject.id == Claim.harvest_object_id,
        HarvestObject.state.notin_(("FETCH", "IMPORT")),
    )
    return int(unowned().filter(ended).delete(synchronize_session=False))
