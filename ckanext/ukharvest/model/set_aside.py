"""Sources set aside because reading them ended consumers (``SourceState.set_aside``).

Such a source is not started by its schedule until it changes (type, URL, options, or the release
of its parser) or a person starts it. Nothing here commits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestSource
from sqlalchemy.dialects.postgresql import insert

from ckanext.ukharvest import source_types
from ckanext.ukharvest.core.values.iso_time import iso
from ckanext.ukharvest.model import SourceState, utcnow

Session = model.Session


def set_aside(source: HarvestSource, job_id: str, reason: str) -> None:
    """Let a source wait until it changes or a person starts it."""
    note = {
        "job_id": job_id,
        "reason": reason,
        "since": iso(utcnow()),
        "source": _read_as(source.type, source.url, source.config),
    }
    statement = insert(SourceState).values(source_id=source.id, set_aside=note)
    Session.execute(
        statement.on_conflict_do_update(index_elements=["source_id"], set_={"set_aside": note})
    )


def clear(source_id: str) -> bool:
    """Let a source run again; False if it was not set aside."""
    statement = (
        sa.update(SourceState)
        .where(SourceState.source_id == source_id, SourceState.set_aside.isnot(None))
        .values(set_aside=sa.null())
    )
    result = Session.execute(statement.execution_options(synchronize_session=False))
    return bool(result.rowcount)


def clear_changed() -> list[str]:
    """Let sources run again that have changed since they were set aside; return their ids."""
    changed = [
        source.id
        for source, note in _noted()
        if not is_valid(note, source.type, source.url, source.config)
    ]
    return [source_id for source_id in changed if clear(source_id)]


def source_ids() -> set[str]:
    """Return the ids of the sources that are set aside now."""
    return {
        source.id
        for source, note in _noted()
        if is_valid(note, source.type, source.url, source.config)
    }


def is_valid(note: Mapping[str, Any] | None, type_: str, url: str, config: str | None) -> bool:
    """Tell whether the stored value is about the source in its current state."""
    return bool(note) and (note or {}).get("source") == _read_as(type_, url, config)


def _noted() -> list[tuple[HarvestSource, Mapping[str, Any]]]:
    query = (
        Session.query(HarvestSource, SourceState.set_aside)
        .join(SourceState, SourceState.source_id == HarvestSource.id)
        .filter(SourceState.set_aside.isnot(None))
    )
    return [(source, note) for source, note in query if note]


def _read_as(type_: str, url: str, config: str | None) -> dict[str, Any]:
    """Return the settings that decide how a source is read."""
    kind = source_types.find(type_)
    version = kind.parser.VERSION if kind else None
    return {"type": type_, "url": url, "config": config or "", "parser": version}
