"""Trials of sources: who looks at what, how far it is, and what was found. Each call commits."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import model as tables
from ckanext.ukharvest.model import Trial

Session = model.Session

WAITING, RUNNING, DONE, STOPPED = "waiting", "running", "done", "stopped"
UNDER_WAY = (WAITING, RUNNING)
SILENT_AFTER = dt.timedelta(minutes=4)  # without a sign of life: its worker is gone
GIVEN_UP_AFTER = dt.timedelta(minutes=30)  # in the queue: no worker came, or the queue was lost
KEPT = dt.timedelta(days=1)
KEPT_TESTS = 5  # of a user, beside those of the last minute
LATELY = dt.timedelta(minutes=1)


def add(
    user_name: str, *, source_type: str, url: str, config: str, source_id: str | None = None
) -> Trial:
    """Note a trial that is to begin."""
    trial = Trial(
        id=str(uuid.uuid4()),
        user_name=user_name,
        source_id=source_id,
        source_type=source_type,
        url=url,
        config=config,
        state=WAITING,
    )
    Session.add(trial)
    Session.commit()
    return trial


def get(id_: str) -> Trial | None:
    return Session.get(Trial, id_, populate_existing=True)


def latest_check(source_id: str) -> Trial | None:
    """Return the last check of a saved source, under way or done."""
    query = Session.query(Trial).filter_by(source_id=source_id).order_by(Trial.created.desc())
    found: Trial | None = query.first()
    return found


def check_under_way(source_id: str) -> Trial | None:
    """Return the check that a saved source waits for, if somebody is at it."""
    trial = latest_check(source_id)
    return trial if trial and trial.state in UNDER_WAY and not is_lost(trial) else None


def checks_under_way() -> list[str]:
    """Return who asked for the checks of saved sources that somebody is at, or will be."""
    query = Session.query(Trial.user_name).filter(Trial.source_id.isnot(None), _is_wanted())
    return [row[0] for row in query]


def _is_wanted() -> Any:
    """As ``not is_lost``, of those under way."""
    now = tables.utcnow()
    heartbeat = sa.func.coalesce(Trial.heartbeat, Trial.created)
    return sa.or_(
        sa.and_(Trial.state == WAITING, Trial.created > now - GIVEN_UP_AFTER),
        sa.and_(Trial.state == RUNNING, heartbeat > now - SILENT_AFTER),
    )


def is_lost(trial: Trial) -> bool:
    """Tell whether nobody is at a trial any more, though its row says so."""
    now = tables.utcnow()
    if trial.state == WAITING:
        return bool(now - trial.created > GIVEN_UP_AFTER)
    return trial.state == RUNNING and bool(now - (trial.heartbeat or trial.created) > SILENT_AFTER)


def started_lately(user_name: str) -> int:
    """Count the trials that a user asked for in the last minute."""
    since = tables.utcnow() - LATELY
    query = Session.query(Trial).filter(Trial.user_name == user_name, Trial.created >= since)
    return int(query.count())


def stop_tests(user_name: str) -> None:
    """Stop the tests of unsaved sources that a user has under way."""
    _end(Trial.user_name == user_name, Trial.source_id.is_(None))


def forget_tests(user_name: str) -> None:
    """Delete a user's tests but the latest: each may hold a megabyte."""
    _forget(KEPT_TESTS, user_name=user_name, source_id=None)


def forget_checks(source_id: str) -> None:
    """Delete the checks of a saved source, of which only the latest is shown."""
    _forget(0, source_id=source_id)


def _forget(kept: int, **which: str | None) -> None:
    query = Session.query(Trial.id).filter_by(**which).order_by(Trial.created.desc())
    is_counted = Trial.created >= tables.utcnow() - LATELY
    _execute(sa.delete(Trial).where(Trial.id.in_(query.offset(kept)), ~is_counted))


def stop(id_: str) -> None:
    """Stop a trial: it ends at its next sign of life."""
    _end(Trial.id == id_)


def _end(*which: Any) -> None:
    statement = sa.update(Trial).where(*which, Trial.state.in_(UNDER_WAY))
    _execute(statement.values(state=STOPPED, finished=tables.utcnow()))


def begin(id_: str) -> Trial | None:
    """Take up a trial that waits; None if it was stopped, given up, taken up or deleted."""
    now = tables.utcnow()
    statement = sa.update(Trial).where(Trial.id == id_, Trial.state == WAITING, _is_wanted())
    began = _execute(statement.values(state=RUNNING, stage="connecting", heartbeat=now))
    return get(id_) if began else None


def note(id_: str, stage: str, done: int) -> bool:
    """Show a sign of life; return whether the trial is still wanted."""
    statement = sa.update(Trial).where(Trial.id == id_, Trial.state == RUNNING)
    return bool(_execute(statement.values(stage=stage, done=done, heartbeat=tables.utcnow())))


def finish(id_: str, result: dict[str, Any]) -> None:
    """Keep what was found, also of a trial that was stopped meanwhile."""
    statement = sa.update(Trial).where(Trial.id == id_)
    state = sa.case((Trial.state == STOPPED, STOPPED), else_=DONE)
    _execute(statement.values(state=state, result=result, finished=tables.utcnow()))


def forget_old() -> int:
    """Delete the trials of yesterday; return how many."""
    old = sa.delete(Trial).where(Trial.created < tables.utcnow() - KEPT)
    return _execute(old)


def _execute(statement: Any) -> int:
    done = Session.execute(statement.execution_options(synchronize_session=False))
    Session.commit()
    return int(done.rowcount)
