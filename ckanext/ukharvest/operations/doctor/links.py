"""Check of the link checks of resources."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from ckanext.ukharvest import config
from ckanext.ukharvest.model import link_checks, utcnow
from ckanext.ukharvest.operations.doctor.finding import INFO, WARNING, Finding

LONG = datetime.timedelta(days=1)


def waiting_links() -> Iterator[Finding]:
    """Find links that wait for a jobs worker; report how many were identified."""
    if not config.checks_links():
        return
    since = utcnow() - LONG
    figures = link_checks.figures(since)
    if figures.waiting and (figures.last is None or figures.last < since):
        yield Finding(
            WARNING,
            "links",
            f"{figures.waiting:,} links of resources have waited for more than a day to be "
            f"checked, and none was: no background worker seems to be running.",
            "Start 'ckan jobs worker' and have your process manager keep it running; or let "
            "cron call "
            "'ckan ukharvest links --check'; or set ckanext.ukharvest.links.check = false.",
        )
    if figures.known or figures.unknown:
        yield Finding(
            INFO,
            "links",
            f"{figures.known + figures.unknown:,} links of resources were checked; what "
            f"{figures.unknown:,} of them are could not be identified.",
            "'ckan ukharvest links --unknown' says why." if figures.unknown else "",
        )
