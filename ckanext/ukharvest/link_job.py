"""Find out what the links of resources are: a background job of CKAN's, or a command.

Never in an import or a web request: a server that does not answer costs ten seconds a link. Each
result is kept at once, so that a worker that is killed loses nothing, and a job ends after a few
minutes and queues itself anew, so that other jobs get their turn.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections import Counter
from collections.abc import Callable, Collection

import ckan.plugins.toolkit as tk
import sqlalchemy as sa
from ckan.lib import jobs
from ckan.model import Session

from ckanext.ukharvest import compat, config, store
from ckanext.ukharvest.core.errors import RecordError
from ckanext.ukharvest.core.http import HttpClient
from ckanext.ukharvest.core.text import shorten
from ckanext.ukharvest.links import look as looking
from ckanext.ukharvest.links.look import Look
from ckanext.ukharvest.model import links, locks, utcnow

log = logging.getLogger(__name__)

BUDGET = 180.0  # seconds of one job
TIMEOUT = 1200  # seconds after which RQ ends a job that hangs
BATCH = 100  # links; formats are written into their datasets after each batch
SILENT_AFTER = 3  # looks in a row that a server let time out, or failed
_PREFIX = "ukharvest-links-"  # of the ids of our jobs


def enqueue() -> bool:
    """Have a background worker look at what is due; return False if one is going to anyway."""
    queue = jobs.get_queue()
    known = [*queue.job_ids, *queue.started_job_registry.get_job_ids()]
    if any(id_.startswith(_PREFIX) for id_ in known):
        return False
    _send()
    return True


def _send() -> None:
    own = {"job_id": f"{_PREFIX}{uuid.uuid4()}", "timeout": TIMEOUT}
    tk.enqueue_job(look_at_due, title="Look at links of harvested resources", rq_kwargs=own)


def look_at_due() -> None:
    """Look at what is due, for some minutes: the background job. Never raises.

    A database or Redis that is away ends it with a line in the log; the sweeper's next tick queues
    another.
    """
    is_more = False
    try:
        with locks.alone(locks.LINKS) as is_alone:
            if not is_alone:
                log.info("Another process looks at links; this one leaves it alone")
            elif config.looks_at_links():
                is_more = work(until=time.monotonic() + BUDGET)
        if is_more:  # queued without the lock, which a worker that is idle wants at once
            _send()
    except Exception:  # noqa: BLE001 - see above
        log.exception("Looking at links ended before it was done")
        compat.rollback()


def work(
    *,
    until: float | None = None,
    source_id: str | None = None,
    tell: Callable[[Look], None] = lambda _look: None,
) -> bool:
    """Look at what is due, and write the formats found into the datasets; hold the lock for it.

    Args:
        until: time.monotonic() at which to stop; None: when all is done.
        source_id: only links of this source's datasets.
        tell: is told of each link that was looked at.

    Returns:
        Whether there is more to do.
    """
    began = utcnow()
    with config.http_client(limits=looking.LIMITS) as http:
        walk = _Walk(http)
        while batch := links.due(BATCH, source_id):
            Session.commit()
            for each in batch:
                if until is not None and time.monotonic() >= until:
                    walk.fill(links.unfilled(began))
                    return True
                tell(walk.look(each))
            walk.fill(links.unfilled(began))
    # What a job that was killed left, what an import wrote while its link was looked at, and what
    # the portal refused before.
    walk.fill(links.unfilled())
    return False


class _Walk:
    """One walk over what is due, and what went wrong on it.

    Args:
        http: the door to the network.
    """

    def __init__(self, http: HttpClient) -> None:
        self._http = http
        self._silent: Counter[str] = Counter()  # by server: looks in a row without an answer
        self._refused: set[str] = set()  # datasets that CKAN would not have

    def look(self, due: links.Due) -> Look:
        """Look at one link and keep what was found."""
        server = due.url.split("/", 3)[2].lower()
        if self._silent[server] < SILENT_AFTER:
            found = looking.look(due.url, self._http, expected=due.expected)
            self._silent[server] = 0 if found.is_lasting else self._silent[server] + 1
        else:
            why = (
                f"{shorten(server)} did not answer {SILENT_AFTER} times in a row, so this address "
                "was not tried; it is tried again later"
            )
            found = Look(due.url, why=why, is_lasting=False)
        links.save(found, config.links_days())
        Session.commit()
        return found

    def fill(self, package_ids: Collection[str]) -> None:
        """Write formats that were found into the datasets that lack them."""
        for package_id in package_ids:
            if package_id in self._refused:
                continue
            try:
                _make_views(package_id, store.fill_formats(package_id))
            except sa.exc.OperationalError:
                raise
            except RecordError as exc:
                log.warning("The formats found for dataset %s: %s", package_id, exc.message)
                self._refused.add(package_id)
            except Exception:  # noqa: BLE001 - whatever a plugin of the portal raises
                log.exception("Dataset %s lacks formats that were found, or views", package_id)
                compat.rollback()
                self._refused.add(package_id)


def _make_views(package_id: str, resource_ids: Collection[str]) -> None:
    """Make the portal's default views of resources whose format is now known."""
    if not (resource_ids and tk.aslist(tk.config.get("ckan.views.default_views") or "")):
        return
    context = {"user": config.harvest_user(), "ignore_auth": True}
    package = tk.get_action("package_show")({**context, "use_cache": False}, {"id": package_id})
    for resource in package["resources"]:
        if resource["id"] in resource_ids:
            tk.get_action("resource_create_default_resource_views")(
                dict(context), {"resource": resource, "package": package}
            )
