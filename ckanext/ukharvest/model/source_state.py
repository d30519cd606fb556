"""Load the row of a source's state, or create it.

Sources that were created before our plugins were installed have no row.
"""

from __future__ import annotations

from ckan import model
from sqlalchemy.dialects.postgresql import insert

from ckanext.ukharvest.model import SourceState, locks

Session = model.Session


def ensure_source_state(source_id: str, *, lock: bool = False) -> SourceState:
    """Return the source's state, created if missing; the caller commits.

    Two processes, or two calls in one transaction, create one row.

    Args:
        lock: reload the row and lock it until the transaction ends. Changes that are not flushed
            are lost.
    """
    state = locks.source_state(source_id) if lock else Session.get(SourceState, source_id)
    if state is not None:
        return state
    statement = insert(SourceState).values(source_id=source_id)
    Session.execute(statement.on_conflict_do_nothing(index_elements=["source_id"]))
    query = Session.query(SourceState).filter_by(source_id=source_id)
    return (query.with_for_update().populate_existing() if lock else query).one()
