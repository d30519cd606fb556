"""Rows of source previews: user, progress and result. Each call commits."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import model as tables
from ckanext.ukharvest.core.outcomes import PreviewState
from ckanext.ukharvest.model import SourcePreview
from ckanext.ukharvest.reading.preview_result import PreviewResult

Session = model.Session

WAITING, RUNNING, DONE, STOPPED = tuple(PreviewState)
UNDER_WAY = (WAITING, RUNNING)
SILENT_AFTER = dt.timedelta(minutes=4)  # without progress: its worker has ended
GIVEN_UP_AFTER = dt.timedelta(minutes=30)  # in the queue: no worker runs, or the queue was lost
KEPT = dt.timedelta(days=1)
KEPT_TESTS = 5  # of a user, beside those of the last minute
LATELY = dt.timedelta(minutes=1)
NO_CONTENT: dict[str, Any] = {"content": None, "schema_content": None}


def add(
    user_name: str, *, source_type: str, url: str, config: str, source_id: str | None = None
) -> SourcePreview:
    """Add a preview that waits to start."""
    preview = SourcePreview(
        id=str(uuid.uuid4()),
        user_name=user_name,
        source_id=source_id,
        source_type=source_type,
        url=url,
        config=config,
        state=WAITING,
    )
    Session.add(preview)
    Session.commit()
    return preview


def get(id_: str) -> SourcePreview | None:
    return Session.get(SourcePreview, id_, populate_existing=True)


def latest_check(source_id: str, **place: str) -> SourcePreview | None:
    """Return the last dry run of a saved source, running or done.

    Args:
        place: ``source_type`` and ``url``, those of the source or of a move; without, any.
    """
    query = (
        Session.query(SourcePreview)
        .filter_by(source_id=source_id, **place)
        .order_by(SourcePreview.created.desc())
    )
    found: SourcePreview | None = query.first()
    return found


def check_under_way(source_id: str, **place: str) -> SourcePreview | None:
    """Return the running dry run of a saved source, None without one; as ``latest_check``."""
    preview = latest_check(source_id, **place)
    return preview if preview and preview.state in UNDER_WAY and not is_lost(preview) else None


def checks_under_way() -> list[str]:
    """Return source id → user of running and waiting dry runs."""
    query = Session.query(SourcePreview.user_name).filter(
        SourcePreview.source_id.isnot(None), is_wanted()
    )
    return [row[0] for row in query]


def is_wanted() -> Any:
    """SQL condition of running and waiting previews that are not lost."""
    now = tables.utcnow()
    heartbeat = sa.func.coalesce(SourcePreview.heartbeat, SourcePreview.created)
    return sa.or_(
        sa.and_(SourcePreview.state == WAITING, SourcePreview.created > now - GIVEN_UP_AFTER),
        sa.and_(SourcePreview.state == RUNNING, heartbeat > now - SILENT_AFTER),
    )


def is_lost(preview: SourcePreview) -> bool:
    """Tell whether a preview that is marked as running has no worker any more."""
    now = tables.utcnow()
    if preview.state == WAITING:
        return bool(now - preview.created > GIVEN_UP_AFTER)
    return preview.state == RUNNING and bool(
        now - (preview.heartbeat or preview.created) > SILENT_AFTER
    )


def started_lately(user_name: str) -> int:
    """Count the previews and checks that a user asked for in the last minute."""
    since = tables.utcnow() - LATELY
    query = Session.query(SourcePreview).filter(
        SourcePreview.user_name == user_name, SourcePreview.created >= since
    )
    return int(query.count())


def stop_tests(user_name: str) -> None:
    """Stop a user's running tests of unsaved sources."""
    is_test = SourcePreview.source_id.is_(None), SourcePreview.given.is_(None)
    _end(SourcePreview.user_name == user_name, *is_test)


def forget_tests(user_name: str) -> None:
    """Delete a user's tests except the latest: each may have a megabyte."""
    _forget(KEPT_TESTS, user_name=user_name, source_id=None, given=None)


def forget_checks(source_id: str, **place: str) -> None:
    """Delete the dry runs of a saved source; only the latest is shown; as ``latest_check``."""
    _forget(0, source_id=source_id, **place)


def _forget(kept: int, **which: str | None) -> None:
    query = (
        Session.query(SourcePreview.id).filter_by(**which).order_by(SourcePreview.created.desc())
    )
    is_counted = SourcePreview.created >= tables.utcnow() - LATELY
    execute(sa.delete(SourcePreview).where(SourcePreview.id.in_(query.offset(kept)), ~is_counted))


def forget(id_: str) -> None:
    """Delete a preview."""
    execute(sa.delete(SourcePreview).where(SourcePreview.id == id_))


def stop(id_: str) -> None:
    """Stop a preview: it ends when it next saves its progress."""
    _end(SourcePreview.id == id_)


def _end(*which: Any) -> None:
    statement = sa.update(SourcePreview).where(*which, SourcePreview.state.in_(UNDER_WAY))
    execute(statement.values(state=STOPPED, finished=tables.utcnow(), **NO_CONTENT))


def begin(id_: str) -> SourcePreview | None:
    """Start a waiting preview; None if it was stopped, given up, started or deleted."""
    now = tables.utcnow()
    statement = sa.update(SourcePreview).where(
        SourcePreview.id == id_, SourcePreview.state == WAITING, is_wanted()
    )
    began = execute(statement.values(state=RUNNING, stage="connecting", heartbeat=now))
    return get(id_) if began else None


def save_progress(id_: str, stage: str, done: int) -> bool:
    """Save the progress; return whether the preview is still wanted."""
    statement = sa.update(SourcePreview).where(
        SourcePreview.id == id_, SourcePreview.state == RUNNING
    )
    return bool(execute(statement.values(stage=stage, done=done, heartbeat=tables.utcnow())))


def finish(id_: str, result: PreviewResult, **more: str) -> None:
    """Save the result, also of a preview that was stopped meanwhile, and further columns."""
    statement = sa.update(SourcePreview).where(SourcePreview.id == id_)
    state = sa.case((SourcePreview.state == STOPPED, STOPPED), else_=DONE)
    ended = {"finished": tables.utcnow(), **NO_CONTENT, **more}
    execute(statement.values(state=state, result=result, **ended))


def forget_old() -> int:
    """Delete previews older than a day; return their number."""
    old = sa.delete(SourcePreview).where(SourcePreview.created < tables.utcnow() - KEPT)
    return execute(old)


def execute(statement: Any) -> int:
    done = Session.execute(statement.execution_options(synchronize_session=False))
    Session.commit()
    return int(done.rowcount)
