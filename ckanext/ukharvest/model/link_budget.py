"""The daily budget of link checks, and what was spent.

Days are UTC. Nothing here commits.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import model as tables
from ckanext.ukharvest.model import LinkDay
from ckanext.ukharvest.model.statements import execute

Session = model.Session

KEPT = 60  # days
# Text, since SQLAlchemy 2.0 compiles an "insert … on conflict" each time: 3 ms for each link.
_SPEND = sa.text(
    """
    INSERT INTO ukharvest_link_day AS noted (day, requests, received, links)
    VALUES (:day, :requests, :received, :links)
    ON CONFLICT (day) DO UPDATE SET
        requests = noted.requests + excluded.requests,
        received = noted.received + excluded.received,
        links = noted.links + excluded.links
    """
)


@dataclass(frozen=True, slots=True)
class Budget:
    """What link checks may cost a day; 0 is no limit.

    Attributes:
        requests: with redirects.
        received: bytes, unpacked.
    """

    requests: int
    received: int

    def allows(self, spent: Spent, requests: int) -> bool:
        """Tell whether so many more requests may be sent today."""
        has_requests = not self.requests or spent.requests + requests <= self.requests
        return has_requests and (not self.received or spent.received < self.received)


@dataclass(frozen=True, slots=True)
class Spent:
    """What link checks have cost on one day."""

    requests: int = 0
    received: int = 0
    links: int = 0


def spent_today() -> Spent:
    """Return what was spent since midnight."""
    row = Session.get(LinkDay, tables.utcnow().date(), populate_existing=True)
    return Spent(row.requests, row.received, row.links) if row else Spent()


def spend(requests: int, received: int, links: int = 1) -> None:
    """Note the check of a link; of data or a schema if ``links`` is 0."""
    Session.execute(
        _SPEND,
        {
            "day": tables.utcnow().date(),
            "requests": requests,
            "received": received,
            "links": links,
        },
    )


def forget_old_days() -> None:
    """Delete days that are older than KEPT."""
    oldest = tables.utcnow().date() - dt.timedelta(days=KEPT)
    execute(sa.delete(LinkDay).where(LinkDay.day < oldest))
