"""What people decided about sources: add a decision, list them, and what holds now.

Rows are only added, so that the table is also the history of these decisions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.core.outcomes import DecisionKind
from ckanext.ukharvest.harvest.database import execute
from ckanext.ukharvest.harvest.model import Decision, Record
from ckanext.ukharvest.harvest.run import run_report

Session = model.Session


def add_decision(source_id: str, user: str, kind: DecisionKind, **values: Any) -> Decision:
    """Store a decision; the caller commits.

    Args:
        user: name of the person, "" for a command.
        values: further columns of ``Decision``.
    """
    decision = Decision(source_id=source_id, user_name=user, kind=kind, **values)
    Session.add(decision)
    Session.flush()
    return decision


def add_hand_overs(numbers: Mapping[tuple[str, str, str], int]) -> None:
    """Store that datasets changed hands, with both sources, once a run; the caller commits.

    Args:
        numbers: (id of the source that had them, id of the one that has them now, id of the run)
            → their number.
    """
    for (before, now, run_id), number in numbers.items():
        for id_, kind, other in (
            (before, DecisionKind.HANDED_OVER, now),
            (now, DecisionKind.TAKEN_OVER, before),
        ):
            title = Session.get(HarvestSource, other).title
            options = {"source_id": other, "source": title, "run_id": run_id}
            query = sa.select(Decision).filter_by(source_id=id_, kind=kind, options=options)
            decision = Session.scalar(query.with_for_update().limit(1)) or add_decision(
                id_, config.harvest_user(), kind, options=options
            )
            decision.number += number


def load_decisions(
    source_id: str | None, *, limit: int, offset: int = 0
) -> tuple[int, Sequence[Any]]:
    """Return the number of decisions, about one source or all, and a page of them, newest first.

    Each with the source's name and title.
    """
    package = model.Package
    query = (
        Session.query(Decision, package.name, package.title, sa.func.count().over())
        .join(package, package.id == Decision.source_id)
        .order_by(Decision.id.desc())
    )
    if source_id is not None:
        query = query.filter(Decision.source_id == source_id)
    rows = query.limit(limit).offset(offset).all()
    # Without rows, nothing says how many there are.
    return rows[0][-1] if rows else query.count(), rows


def of_run(job_id: str) -> list[Decision]:
    """Return what was decided about what a run asked for, the oldest first."""
    query = sa.select(Decision).filter_by(job_id=job_id).order_by(Decision.id)
    return list(Session.scalars(query.where(Decision.kind != DecisionKind.RUN_STOPPED)))


def stop_keeping(source_id: str, user: str) -> int:
    """Let records of kept datasets count as missing again; return their number; commits."""
    gone = sa.update(Record).where(Record.source_id == source_id, Record.missed_runs > 0)
    number = int(execute(gone.where(Record.kept).values(kept=False)).rowcount)
    if number:
        add_decision(source_id, user, DecisionKind.NOT_KEPT, number=number)
    Session.commit()
    return number


def confirm_options(source_id: str, user: str, options: Mapping[str, Any]) -> None:
    """Store options as confirmed, replacing all earlier ones; the caller commits.

    Stores nothing where these are confirmed already.
    """
    if dict(options) != confirmed_options(source_id):
        add_decision(source_id, user, DecisionKind.OPTIONS_CONFIRMED, options=dict(options))


def confirmed_options(source_id: str) -> dict[str, Any]:
    """Return the options that a sysadmin confirmed for this source."""
    query = sa.select(Decision.options).filter_by(
        source_id=source_id, kind=DecisionKind.OPTIONS_CONFIRMED
    )
    return dict(Session.scalar(query.order_by(Decision.id.desc()).limit(1)) or {})


def note_edit(context: Mapping[str, Any], edited: Mapping[str, Any]) -> None:
    """Store that a person switches a source off or on or changes its URL; the caller commits.

    Our plugin is called before ckanext-harvest's, which changes the source.

    Args:
        context: of the action.
        edited: the source's package from now on, its ``id`` at least; datasets are ignored.
    """
    package = model.Package.get(edited["id"]) if edited.get("state") else None
    source = package and package.type == "harvest" and Session.get(HarvestSource, package.id)
    if not source:
        return
    user, is_on = str(context.get("user") or ""), edited["state"] == "active"
    if source.active != is_on:
        add_decision(
            source.id, user, DecisionKind.SWITCHED_ON if is_on else DecisionKind.SWITCHED_OFF
        )
    url = edited.get("url") or source.url
    if url != source.url:
        add_decision(source.id, user, DecisionKind.MOVED, options={"from": source.url, "to": url})
        Session.flush()
        run_report.store_runs([source.id])
