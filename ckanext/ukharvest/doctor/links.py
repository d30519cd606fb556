"""What the links of resources are, and whether anybody looks at them."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from ckanext.ukharvest import config
from ckanext.ukharvest.doctor.finding import INFO, WARNING, Finding
from ckanext.ukharvest.model import links, utcnow

LONG = datetime.timedelta(days=1)


def looked_at() -> Iterator[Finding]:
    """Links that wait for a background worker; how many could be told."""
    if not config.looks_at_links():
        return
    since = utcnow() - LONG
    figures = links.figures(since)
    if figures.waiting and (figures.last is None or figures.last < since):
        yield Finding(
            WARNING,
            "links",
            f"{figures.waiting:,} links of resources have waited for more than a day to be looked "
            "at, and none was: no background worker seems to run.",
            "Start 'ckan jobs worker' and let your process manager keep it alive; or let cron call "
            "'ckan ukharvest links --look'; or set ckanext.ukharvest.links.look = false.",
        )
    if figures.told or figures.untold:
        yield Finding(
            INFO,
            "links",
            f"{figures.told + figures.untold:,} links of resources were looked at; what "
            f"{figures.untold:,} of them are could not be told.",
            "'ckan ukharvest links --untold' says why." if figures.untold else "",
        )
