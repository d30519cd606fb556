"""Datasets whose search documents may be older than their rows."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import write_batch
from ckanext.ukharvest.harvest.database import UNHURRIED, execute, upsert_statement
from ckanext.ukharvest.harvest.model import utcnow

Session = model.Session


class PendingIndex(tk.BaseModel):  # type: ignore[misc, name-defined]
    """A dataset whose search document may be older than its row.

    Added in the transaction that writes the dataset, removed once the index has accepted it.

    Attributes:
        package_id: the dataset; one that is deleted or purged leaves the index.
        attempts: failed index requests so far.
    """

    __tablename__ = "ukharvest_index_pending"

    package_id = sa.Column(sa.UnicodeText, primary_key=True)
    since = sa.Column(sa.DateTime, nullable=False, default=utcnow, index=True)
    attempts = sa.Column(sa.Integer, nullable=False, default=0, server_default="0")


def mark_pending(*package_ids: str) -> None:
    """Note that datasets of the batch that is being written have to be indexed after its commit."""
    batch = write_batch.written()
    if batch is None:
        raise RuntimeError("a dataset can be noted only while a batch is written")
    if new := [id_ for id_ in package_ids if id_ not in batch.pending]:
        batch.pending |= add_pending(new)


def add_pending(package_ids: Sequence[str]) -> dict[str, dt.datetime]:
    """Note that datasets have to be indexed; the caller commits it with the datasets.

    Returns:
        Package id → mark of this write, for ``remove_pending``: a later write has another.
    """
    since = utcnow()
    # In one order everywhere, so that two processes wait for each other and never both.
    values = [{"package_id": id_, "since": since, "attempts": 0} for id_ in sorted(package_ids)]
    execute(upsert_statement(PendingIndex, ["package_id"], values))
    return dict.fromkeys(package_ids, since)


def add_of_organization(organization_id: str) -> None:
    """Note, in one statement, that all datasets and sources of an organisation have to be indexed.

    The caller commits it with the organisation.
    """
    Session.execute(_ADD_OF_ORGANIZATION, {"organization": organization_id, "since": utcnow()})


# In the order of ``add_pending``.
_ADD_OF_ORGANIZATION = sa.text(
    f"""
    INSERT INTO {PendingIndex.__tablename__} (package_id, since, attempts)
    SELECT id, :since, 0 FROM package
     WHERE owner_org = :organization AND state <> 'deleted' ORDER BY id
        ON CONFLICT (package_id) DO UPDATE SET since = excluded.since, attempts = 0
    """  # noqa: S608 - a name of our own
)


def remove_pending(indexed: Mapping[str, dt.datetime]) -> set[str]:
    """Remove datasets that are indexed, unless they were written again since; commits.

    Args:
        indexed: package id → mark of the write that was indexed.

    Returns:
        The ids that were removed.
    """
    if not indexed:
        return set()
    Session.execute(UNHURRIED)  # what is lost is only indexed once more
    key = sa.tuple_(PendingIndex.package_id, PendingIndex.since)
    statement = sa.delete(PendingIndex).where(key.in_(list(indexed.items())))
    gone = {row[0] for row in execute(statement.returning(PendingIndex.package_id))}
    Session.commit()
    return gone


def count_attempt(package_ids: list[str]) -> None:
    """Note that the index refused these datasets' documents once more; commits."""
    refused = sa.update(PendingIndex).where(PendingIndex.package_id.in_(package_ids))
    execute(refused.values(attempts=PendingIndex.attempts + 1))
    Session.commit()


def oldest_pending(
    limit: int, *, after: tuple[dt.datetime, str] | None, attempts: int
) -> dict[str, dt.datetime]:
    """Return package id → mark of the datasets that have waited longest.

    Args:
        limit: how many at most.
        after: mark and package id of the last one of the page before; many can have one mark.
        attempts: leave out what was refused so often.
    """
    query = Session.query(PendingIndex.package_id, PendingIndex.since)
    query = query.filter(PendingIndex.attempts < attempts)
    if after is not None:
        query = query.filter(sa.tuple_(PendingIndex.since, PendingIndex.package_id) > after)
    ordered = query.order_by(PendingIndex.since, PendingIndex.package_id)
    return {row[0]: row[1] for row in ordered.limit(limit)}


def load_marks(package_ids: set[str]) -> dict[str, dt.datetime]:
    """Return package id → mark of those of these datasets that wait."""
    query = Session.query(PendingIndex.package_id, PendingIndex.since)
    return {row[0]: row[1] for row in query.filter(PendingIndex.package_id.in_(package_ids))}


def measure_backlog(before: dt.datetime) -> Any:
    """Return how many datasets wait since before that time: a row (number, oldest, refused).

    ``oldest_pending``: since when the first of them waits, None without any.
    """
    columns = (
        sa.func.count().label("number"),
        sa.func.min(PendingIndex.since).label("oldest"),
        sa.func.count().filter(PendingIndex.attempts > 0).label("refused"),
    )
    return Session.query(*columns).filter(PendingIndex.since < before).one()
