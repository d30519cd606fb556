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

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.model import SourceState
from ckanext.ukharvest.types import COMMON_OPTIONS, SourceType

Session = model.Session
KEY = "confirmed"


def remember(source_id: str, saved: Mapping[str, Any]) -> None:
    """Note options as confirmed, in place of all earlier ones; the caller commits."""
    row = postgresql.insert(SourceState).values(source_id=source_id)
    Session.execute(row.on_conflict_do_nothing())
    state = Session.get(SourceState, source_id, populate_existing=True)
    kept = {key: value for key, value in (state.recipients or {}).items() if key != KEY}
    if saved:
        kept[KEY] = dict(saved)
    state.recipients = kept or sa.null()


def confirmed_options(source_id: str) -> dict[str, Any]:
    """Return the options that a sysadmin confirmed for this source."""
    state = Session.get(SourceState, source_id)
    return dict((state.recipients or {}).get(KEY, {})) if state else {}


def check(kind: SourceType, source_id: str, found: Mapping[str, Any]) -> None:
    """Refuse options that reach outside the organisation unless a sysadmin confirmed them.

    The form refuses them too, but a source may come from before it did, from another harvester
    or from somebody's SQL.

    Args:
        found: all options of the source, converted.

    Raises:
        ConfigError: names the first such option.
    """
    declared = [each for each in (*kind.options, *COMMON_OPTIONS) if each.sysadmin_only]
    used = [each for each in declared if found[each.name] != each.default]
    if not used:
        return
    known = confirmed_options(source_id)
    allowed = options.validate({o.name: known[o.name] for o in used if o.name in known}, used)
    for option in used:
        if found[option.name] != allowed[option.name]:
            raise ConfigError(
                f"{option.name}: reaches outside the source's organisation and no sysadmin has "
                "confirmed it; a sysadmin opens the source's form, looks at it and saves",
                field=option.name,
                code="not-confirmed",
            )
