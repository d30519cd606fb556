"""Index datasets whose index request failed, or was not sent because the process was killed."""

from __future__ import annotations

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.engine import search_index
from ckanext.ukharvest.model import pending_index, utcnow


def index_pending() -> list[str]:
    """Index every dataset that waits for the search index."""
    try:
        number, refused = search_index.catch_up()
    except compat.IndexFailed as exc:
        waiting = pending_index.backlog(utcnow()).number
        return [f"{waiting:,} datasets wait for the search index, which does not answer: {exc}"]
    did = [f"indexed {counted(number, 'dataset')} missing or out of date"] if number else []
    return did + [
        f"the search index refused dataset {package_id}: {why}"
        for package_id, why in refused.items()
    ]
