"""The extras ``harvest:…`` of udata, which CKAN's API shows with a harvested dataset.

They are computed when a dataset is shown and never stored (decision 0016): the names are reserved.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

DOMAIN = "harvest:domain"  # host of the source's URL
REMOTE_ID = "harvest:remote_id"  # the record's identity in its source
SOURCE_ID = "harvest:source_id"
LAST_UPDATE = "harvest:last_update"  # ISO 8601: when a run last imported or confirmed the record
KEYS = (DOMAIN, REMOTE_ID, SOURCE_ID, LAST_UPDATE)


def leave_out(extras: Iterable[Any]) -> list[Any]:
    """Return a dataset's extras ({"key", "value"}) without these; anything else unchanged."""
    return [extra for extra in extras if not (isinstance(extra, dict) and extra.get("key") in KEYS)]
