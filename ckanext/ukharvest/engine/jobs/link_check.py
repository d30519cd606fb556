"""Check the links of resources, in a CKAN background job or a command.

Never in an import or a web request: a server that does not respond takes ten seconds per link. Each
result is saved at once, so that a killed jobs worker loses nothing. A job ends after a few minutes
and queues the next one, so that other jobs get their turn.
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

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.errors import RecordError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.link_result import LinkResult
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.engine import dataset_writer
from ckanext.ukharvest.engine.http_client import open_client
from ckanext.ukharvest.model import link_checks, locks, utcnow
from ckanext.ukharvest.quality.link_check import check as link_checker

log = logging.getLogger(__name__)

BUDGET = 180.0  # seconds of one job
TIMEOUT = 1200  # seconds after which RQ ends a job that hangs
BATCH = 100  # links; the formats found are written to the datasets after each batch
SILENT_AFTER = 3  # failures in a row after which a server is not tried again
_PREFIX = "ukharvest-links-"  # prefix of our jobs' ids


def enqueue() -> bool:
    """Queue a check of due links; return False if one is queued or running already."""
    queue = jobs.get_queue()
    known = [*queue.job_ids, *queue.started_job_registry.get_job_ids()]
    if any(id_.startswith(_PREFIX) for id_ in known):
        return False
    _send()
    return True


def _send() -> None:
    own = {"job_id": f"{_PREFIX}{uuid.uuid4()}", "timeout": TIMEOUT}
    tk.enqueue_job(look_at_due, title="Check links of harvested resources", rq_kwargs=own)


def look_at_due() -> None:
    """Check due links for some minutes: the background job. Never raises.

    If the database or Redis is down, it logs that and ends; the sweeper's next tick queues another.
    """
    is_more = False
    try:
        with locks.alone(locks.LINKS) as is_alone:
            if not is_alone:
                log.info("Another process is checking links; this one does nothing")
            elif config.checks_links():
                is_more = check_due_links(until=time.monotonic() + BUDGET)
        if is_more:  # after the lock is released: an idle jobs worker starts it at once
            _send()
    except Exception:  # noqa: BLE001 - see above
        log.exception("Looking at links ended before it was done")
        compat.rollback()


def check_due_links(
    *,
    until: float | None = None,
    source_id: str | None = None,
    tell: Callable[[LinkResult], None] = lambda _result: None,
) -> bool:
    """Check due links, and write the formats found to the datasets; the caller holds the lock.

    Args:
        until: ``time.monotonic()`` at which to stop; None: check all.
        source_id: only links of this source's datasets.
        tell: called with each result.

    Returns:
        Whether links remain to be checked.
    """
    began = utcnow()
    with open_client(limits=link_checker.LIMITS) as http:
        walk = _Walk(http)
        while batch := link_checks.due(BATCH, source_id):
            Session.commit()
            for each in batch:
                if until is not None and time.monotonic() >= until:
                    walk.fill(link_checks.unfilled(began))
                    return True
                tell(walk.check(each))
            walk.fill(link_checks.unfilled(began))
    # Datasets left by a job that was killed, imported during the link check, or refused by CKAN
    # before.
    walk.fill(link_checks.unfilled())
    return False


class _Walk:
    """One pass over the due links; remembers servers that do not respond and refused datasets."""

    def __init__(self, http: HttpClient) -> None:
        self._http = http
        self._silent: Counter[str] = Counter()  # server → failures in a row
        self._refused: set[str] = set()  # ids of datasets that CKAN refused

    def check(self, due: link_checks.Due) -> LinkResult:
        """Check one link and save the result."""
        server = due.url.split("/", 3)[2].lower()
        if self._silent[server] < SILENT_AFTER:
            found = link_checker.check_link(due.url, self._http, expected=due.expected)
            self._silent[server] = 0 if found.is_lasting else self._silent[server] + 1
        else:
            why = (
                f"{shorten(server)} did not answer {SILENT_AFTER} times in a row, so this address "
                "was not tried; it is tried again later"
            )
            found = LinkResult(due.url, why=why, is_lasting=False)
        link_checks.save(found, config.links_days())
        Session.commit()
        return found

    def fill(self, package_ids: Collection[str]) -> None:
        """Write the formats found to the datasets that lack them."""
        for package_id in package_ids:
            if package_id in self._refused:
                continue
            try:
                _make_views(package_id, dataset_writer.fill_formats(package_id))
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
    """Create the portal's default views of resources whose format is now known."""
    if not (resource_ids and tk.aslist(tk.config.get("ckan.views.default_views") or "")):
        return
    context = {"user": config.harvest_user(), "ignore_auth": True}
    package = tk.get_action("package_show")({**context, "use_cache": False}, {"id": package_id})
    for resource in package["resources"]:
        if resource["id"] in resource_ids:
            tk.get_action("resource_create_default_resource_views")(
                dict(context), {"resource": resource, "package": package}
            )
