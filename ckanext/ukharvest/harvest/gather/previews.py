"""Rows of tests: user, progress and result. Each call commits.

The test of a saved source has ``source_id``, that of a URL, a text or a file ``given``.
"""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestSource
from sqlalchemy.dialects.postgresql import JSONB

from ckanext.ukharvest.core.options import comparable_config
from ckanext.ukharvest.core.outcomes import PreviewState
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.reading.preview_result import PreviewResult

Session = model.Session


class SourcePreview(tk.BaseModel):  # type: ignore[misc, name-defined]
    """A test of a source or a file; none changes datasets.

    Attributes:
        user_name: who asked for it; "" for a visitor, and for a search near a source's URL.
        source_id: the saved source that is tested, as it is or at a new URL; None for others.
        source_type, url, config: of the source, as the form sent them.
        state: "waiting", "running", "done" or "stopped".
        stage: "connecting", "searching", "listing", "reading" or "comparing".
        done: records read so far.
        result: a ``PreviewResult`` once it is done.
        given: {"way": "url", "text" or "upload", "name": of the file, "schema": URL or name of
            the schema, "may_enter": may read the networks that the ini allows, "is_open": whoever
            has the link may see the result, "form": other fields of the form, "tried": None, or
            {"owner_org": id of the source's organisation, "source_id": of the saved source whose
            form is tested, or None} if its records go through the portal's own form}; of a saved
            source {"before": its ``place_of`` then, …}, None if a command tested it.
        content, schema_content: bytes of a test that has not ended; loaded when they are used.
    """

    __tablename__ = "ukharvest_trial"

    id = sa.Column(sa.UnicodeText, primary_key=True)
    user_name = sa.Column(sa.UnicodeText, nullable=False, index=True)
    source_id = sa.Column(
        sa.UnicodeText, sa.ForeignKey("harvest_source.id", ondelete="CASCADE"), index=True
    )
    source_type = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    url = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    config = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    state = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    stage = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    done = sa.Column(sa.Integer, nullable=False, default=0, server_default="0")
    created = sa.Column(sa.DateTime, nullable=False, default=tables.utcnow)
    heartbeat = sa.Column(sa.DateTime)
    finished = sa.Column(sa.DateTime)
    result = sa.Column(JSONB)
    given = sa.Column(JSONB(none_as_null=True))
    content = sa.orm.deferred(sa.Column(sa.LargeBinary))
    schema_content = sa.orm.deferred(sa.Column(sa.LargeBinary))


WAITING, RUNNING, DONE, STOPPED = tuple(PreviewState)
REPLACED = "replaced"  # stage of a test that ended because its user started another
UNDER_WAY = (WAITING, RUNNING)
SILENT_AFTER = dt.timedelta(minutes=4)  # without progress: its worker has ended
GIVEN_UP_AFTER = dt.timedelta(minutes=30)  # in the queue: no worker runs, or the queue was lost
KEPT = dt.timedelta(days=1)
KEPT_TESTS = 50  # of a user, beside those of the last minute
LATELY = dt.timedelta(minutes=1)
NO_CONTENT: dict[str, Any] = {"content": None, "schema_content": None}
_IS_UNSAVED = SourcePreview.source_id.is_(None)


def find_search(source: HarvestSource) -> SourcePreview | None:
    """Return the last search near the URL of a source as it is now; None without one."""
    preview = latest_dry_run(source.id, user_name="")
    if preview is None or is_lost(preview):
        return None
    return None if has_changed(preview, source) else preview


def add_search(source: HarvestSource) -> SourcePreview:
    """Add a search near the URL of a source; nobody's, and in the end with the URL found."""
    return add_source_test("", source, source_type=source.type, config=source.config or "")


def add_source_test(user_name: str, source: HarvestSource, **place: str) -> SourcePreview:
    """Add a dry run of a saved source that waits to start; ``place``: where it is read."""
    given = {"way": "url", "name": "", "schema": "", "before": place_of(source)}
    return add_preview(user_name, source_id=source.id, given=given, **place)


def place_of(source: HarvestSource) -> list[str]:
    """Return what a move replaces of a source: URL, type and options."""
    return [source.url, source.type, comparable_config(source.config)]


def has_changed(preview: SourcePreview, source: HarvestSource) -> bool:
    """Tell whether a saved source has another URL, type or options than as its test was added."""
    return bool((preview.given or {}).get("before") != place_of(source))


def restart_search(id_: str) -> bool:
    """Let a search that was broken off wait again; return whether it was."""
    was_broken_off = SourcePreview.result["over"].astext == "stopped"
    statement = sa.update(SourcePreview).where(SourcePreview.id == id_, was_broken_off)
    return bool(_execute(statement.values(state=WAITING, result=None, url="")))


def add_preview(user_name: str, **values: Any) -> SourcePreview:
    """Add a preview that waits to start; ``values``: columns of ``SourcePreview``."""
    preview = SourcePreview(id=str(uuid.uuid4()), user_name=user_name, state=WAITING, **values)
    Session.add(preview)
    Session.commit()
    return preview


def find_preview(id_: str) -> SourcePreview | None:
    """Return a preview, None if there is none or its day is over."""
    preview = Session.get(SourcePreview, id_, populate_existing=True)
    return preview if preview and preview_expiry(preview) > tables.utcnow() else None


def preview_expiry(preview: SourcePreview) -> dt.datetime:
    """Return when a preview is deleted."""
    return preview.created + KEPT


def latest_dry_run(source_id: str, **place: str) -> SourcePreview | None:
    """Return the last dry run of a saved source, running or done.

    Args:
        place: ``source_type`` and ``url``, those of the source or of a move; without, any.
    """
    preview: SourcePreview | None = (
        Session.query(SourcePreview)
        .filter_by(source_id=source_id, **place)
        .order_by(SourcePreview.created.desc())
        .first()
    )
    return preview


def dry_run_under_way(source_id: str, **place: str) -> SourcePreview | None:
    """Return the running dry run of a saved source, None without one; as ``latest_dry_run``."""
    preview = latest_dry_run(source_id, **place)
    return preview if preview and preview.state in UNDER_WAY and not is_lost(preview) else None


def dry_runs_under_way() -> list[str]:
    """Return source id → user of running and waiting dry runs."""
    query = Session.query(SourcePreview.user_name).filter(
        SourcePreview.source_id.isnot(None), SourcePreview.user_name != "", is_wanted()
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
    """Count the tests that a user asked for in the last minute."""
    since = tables.utcnow() - LATELY
    query = Session.query(SourcePreview).filter(
        SourcePreview.user_name == user_name, SourcePreview.created >= since
    )
    return int(query.count())


def stop_tests(user_name: str) -> None:
    """Stop a user's running tests of URLs; those of texts and files go on."""
    own = (SourcePreview.user_name == user_name, _IS_UNSAVED, SourcePreview.content.is_(None))
    _end(*own, stage=REPLACED)


def delete_tests(user_name: str) -> None:
    """Delete a user's tests except the latest: each may have a megabyte."""
    _delete(KEPT_TESTS, user_name=user_name, source_id=None)


def delete_dry_runs(source_id: str, **place: str) -> None:
    """Delete the dry runs of a saved source; only the latest is shown; as ``latest_dry_run``."""
    _delete(0, source_id=source_id, **place)


def _delete(kept: int, **which: str | None) -> None:
    query = (
        Session.query(SourcePreview.id).filter_by(**which).order_by(SourcePreview.created.desc())
    )
    is_counted = SourcePreview.created >= tables.utcnow() - LATELY
    _execute(sa.delete(SourcePreview).where(SourcePreview.id.in_(query.offset(kept)), ~is_counted))


def delete_preview(id_: str) -> None:
    """Delete a preview."""
    _execute(sa.delete(SourcePreview).where(SourcePreview.id == id_))


def stop_preview(id_: str) -> None:
    """Stop a preview: it ends when it next saves its progress."""
    _end(SourcePreview.id == id_)


def _end(*which: Any, **values: str) -> None:
    statement = sa.update(SourcePreview).where(*which, SourcePreview.state.in_(UNDER_WAY))
    ended = {"state": STOPPED, "finished": tables.utcnow(), **NO_CONTENT, **values}
    _execute(statement.values(**ended))


def begin_preview(id_: str) -> SourcePreview | None:
    """Start a waiting preview; None if it was stopped, given up, started or deleted."""
    now = tables.utcnow()
    statement = sa.update(SourcePreview).where(
        SourcePreview.id == id_, SourcePreview.state == WAITING, is_wanted()
    )
    began = _execute(statement.values(state=RUNNING, stage="connecting", heartbeat=now))
    return find_preview(id_) if began else None


def save_progress(id_: str, stage: str, done: int) -> bool:
    """Save the progress; return whether the preview is still wanted."""
    statement = sa.update(SourcePreview).where(
        SourcePreview.id == id_, SourcePreview.state == RUNNING
    )
    return bool(_execute(statement.values(stage=stage, done=done, heartbeat=tables.utcnow())))


def save_form(id_: str, fields: dict[str, list[str]]) -> None:
    """Save what the tested form had besides the source: field → values."""
    preview = Session.get(SourcePreview, id_, populate_existing=True)
    plain = {name: [text.replace("\0", "") for text in texts] for name, texts in fields.items()}
    preview.given = {**preview.given, "form": plain}
    Session.commit()


def add_result(
    user_name: str, source_id: str, config: str, result: PreviewResult, **place: str
) -> None:
    """Store the result of a dry run that a command made, as the latest of its source.

    Args:
        config: the options that it was read with.
        place: ``source_type`` and ``url`` of the source.
    """
    delete_dry_runs(source_id, **place)
    preview = add_preview(user_name, source_id=source_id, config=config, **place)
    finish_preview(preview.id, result)


def finish_preview(id_: str, result: PreviewResult, **more: str) -> None:
    """Save the result, also of a preview that was stopped meanwhile, and further columns."""
    statement = sa.update(SourcePreview).where(SourcePreview.id == id_)
    state = sa.case((SourcePreview.state == STOPPED, STOPPED), else_=DONE)
    ended = {"finished": tables.utcnow(), **NO_CONTENT, **more}
    _execute(statement.values(state=state, result=result, **ended))


def delete_old_previews() -> int:
    """Delete tests older than a day, and the bytes of those whose worker has ended.

    Returns:
        Number of deleted tests.
    """
    has_bytes = sa.or_(SourcePreview.content.isnot(None), SourcePreview.schema_content.isnot(None))
    _execute(sa.update(SourcePreview).where(has_bytes, ~is_wanted()).values(**NO_CONTENT))
    return _execute(sa.delete(SourcePreview).where(SourcePreview.created < tables.utcnow() - KEPT))


def load_content(id_: str) -> tuple[bytes | None, bytes | None]:
    """Return the bytes that a test was given, and those of the schema."""
    columns = sa.select(SourcePreview.content, SourcePreview.schema_content)
    row = Session.execute(columns.where(SourcePreview.id == id_)).first()
    Session.commit()
    return (row[0], row[1]) if row else (None, None)


def count_tests_under_way() -> int:
    """Count the tests of unsaved sources that wait or run."""
    return int(Session.query(SourcePreview).filter(_IS_UNSAVED, is_wanted()).count())


def count_tests(*, of_visitors: bool) -> int:
    """Count the stored tests of unsaved sources, of users or of visitors."""
    is_visitors = SourcePreview.user_name == ""
    whose = is_visitors if of_visitors else ~is_visitors
    return int(Session.query(SourcePreview).filter(_IS_UNSAVED, whose).count())


def _execute(statement: Any) -> int:
    """Execute and commit an UPDATE or DELETE; return the number of its rows."""
    done = database.execute(statement)
    Session.commit()
    return int(done.rowcount)
