"""What the doctor checks of links."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from ckanext.ukharvest import config
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.harvest import lists
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.lib.checks import INFO, WARNING, Finding, check
from ckanext.ukharvest.links.model import STATES
from ckanext.ukharvest.links.texts import LABELS

LINKS_WAIT = datetime.timedelta(days=1)


@check("links", "No link is waiting to be checked.")
def waiting_links() -> Iterator[Finding]:
    """Find links that wait for a jobs worker; report how many work and how many wait."""
    if not config.checks_links():
        return
    since = utcnow() - LINKS_WAIT
    figures = link_results.count_links(since)
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
        states = link_results.count_states()
        numbers = {"Format unknown": figures.unknown}
        numbers |= {LABELS[state]: states[state] for state in STATES}
        faults = "".join(f"; {text}: {number:,}" for text, number in numbers.items() if number)
        more = (own.describe(own.load()) for own in lists.DASHBOARD)
        yield Finding(
            INFO,
            "links",
            f"{counted(figures.known + figures.unknown, 'link')} of resources checked"
            f"{faults}. {' '.join(filter(None, more))}",
            "'ckan ukharvest links --state dead' lists dead links, 'ckan ukharvest links "
            "--unknown' says why a format was not found.",
        )


DOCTOR = (waiting_links,)
