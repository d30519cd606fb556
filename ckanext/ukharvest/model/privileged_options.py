"""Options that reach outside a source's organisation, as a sysadmin last saved them.

They are in ``SourceState.confirmed_options``, apart from the configuration that every editor of
the source can change (docs/decisions/0005-network-and-rights.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckan import model

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.model import SourceState
from ckanext.ukharvest.model.source_state import ensure_source_state
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS, SourceType

Session = model.Session


def remember(source_id: str, saved: Mapping[str, Any]) -> None:
    """Save options as confirmed, replacing all earlier ones; the caller commits."""
    ensure_source_state(source_id, lock=True).confirmed_options = dict(saved) or None


def confirmed_options(source_id: str) -> dict[str, Any]:
    """Return the options that a sysadmin confirmed for this source."""
    state = Session.get(SourceState, source_id)
    return dict(state.confirmed_options or {}) if state else {}


def check(kind: SourceType, source_id: str, found: Mapping[str, Any]) -> None:
    """Refuse options that reach outside the organisation unless a sysadmin confirmed them.

    The form refuses them too, but a source may be older than that check, of another harvester or
    changed by SQL.

    Args:
        found: all options of the source, converted.

    Raises:
        ConfigError: names the first such option.
    """
    declared = [option for option in (*kind.options, *COMMON_OPTIONS) if option.sysadmin_only]
    used = [option for option in declared if found[option.name] != option.default]
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
