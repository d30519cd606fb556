"""Check of the link checks of resources."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from ckanext.ukharvest import config
from ckanext.ukharvest.core.values.text import counted
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
            f"{counted(figures.waiting, 'link')} of resources waited more than a day for a check: "
            "no background worker seems to be running.",
            "Start 'ckan jobs worker' and have your process manager keep it running; or let "
            "cron call "
            "'ckan ukharvest links --check'; or set ckanext.ukharvest.links.check = false.",
        )
    if figures.known or figures.unknown:
        unknown = f"; no format found for {figures.unknown:,} of them" if figures.unknown else ""
        yield Finding(
            INFO,
            "links",
            f"{counted(figures.known + figures.unknown, 'link')} of resources checked{unknown}.",
            "'ckan ukharvest links --unknown' says why." if figures.unknown else "",
        )
