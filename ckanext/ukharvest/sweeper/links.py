"""Links that are due to be looked at."""

from __future__ import annotations

from ckanext.ukharvest import config, link_job
from ckanext.ukharvest.model import links


def enqueue_due() -> list[str]:
    """Have a background worker look at links, if any is due and none is at it."""
    if not (config.looks_at_links() and links.is_due() and link_job.enqueue()):
        return []
    return ["asked a background worker ('ckan jobs worker') to look at links"]
