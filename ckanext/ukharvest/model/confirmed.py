"""Options that reach outside a source's organisation, as a sysadmin last saved them.

They stand in ``SourceState.recipients`` under "confirmed", beside the configuration that anybody
who may edit the source can change (docs/decisions/0006-what-a-source-may-be-told.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects import postgresql

from ckanext.ukharvest.model import SourceState

Session = model.Session
KEY = "confirmed"


def remember(source_id: str, options: Mapping[str, Any]) -> None:
    """Note options as confirmed, in place of all earlier ones; the caller commits."""
    row = postgresql.insert(SourceState).values(source_id=source_id)
    Session.execute(row.on_conflict_do_nothing())
    state = Session.get(SourceState, source_id, populate_existing=True)
    kept = {key: value for key, value in (state.recipients or {}).items() if key != KEY}
    if options:
        kept[KEY] = dict(options)
    state.recipients = kept or sa.null()


def confirmed_options(source_id: str) -> dict[str, Any]:
    """Return the options that a sysadmin confirmed for this source."""
    state = Session.get(SourceState, source_id)
    return dict((state.recipients or {}).get(KEY, {})) if state else {}
