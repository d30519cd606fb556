"""Check the links of resources, in a CKAN background job or a command.

Never in an import or a web request: a server that does not respond takes ten seconds per link.
Results are saved as they come, so that a killed jobs worker loses only what it was about to save. A
job ends after a few minutes and queues the next one, so that other jobs get their turn, and within
three seconds when a person waits for a job of theirs; it ends for the day when the day's budget is
spent.
"""

from __future__ import annotations

import datetime as dt
import logging
import time
import uuid
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack

import ckan.plugins.toolkit as tk
import sqlalchemy as sa
from ckan.lib import jobs
from ckan.model import Session

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.errors import Aborted, RecordError
from ckanext.ukharvest.core.link_states import DeadAfter, LinkResult
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.engine import dataset_writer
from ckanext.ukharvest.engine.http_client import open_metered_client
from ckanext.ukharvest.engine.jobs import data_check
from ckanext.ukharvest.engine.jobs.interruption import (
    LINKS,
    LONGEST,
    WITHIN,
    Interruption,
    is_person_waiting,
    watch,
)
from ckanext.ukharvest.engine.link_lanes import Checked, Lanes
from ckanext.ukharvest.model import (
    link_budget,
    link_checks,
    link_results,
    locks,
    record_rows,
    utcnow,
)
from ckanext.ukharvest.model.link_budget import Budget
from ckanext.ukharvest.quality.link_check import check as link_checker
from ckanext.ukharvest.stars import jobs as stars_jobs

log = logging.getLogger(__name__)

BUDGET = 180.0  # seconds of one job
TIMEOUT = 1200  # seconds after which RQ ends a job that hangs
BATCH = 500  # links; formats and stars are written to the datasets after each batch
AT_ONCE = 10  # hosts
MEGABYTE = 1_000_000


def enqueue() -> bool:
    """Queue a check of due links; return False if one is queued or running already."""
    queue = jobs.get_queue()
    known = [*queue.job_ids, *queue.started_job_registry.get_job_ids()]
    if any(id_.startswith(LINKS) for id_ in known):
        return False
    _send()
    return True


def _send() -> None:
    own = {"job_id": f"{LINKS}{uuid.uuid4()}", "timeout": TIMEOUT, "meta": {LONGEST: WITHIN}}
    tk.enqueue_job(look_at_due, title="Check links of harvested resources", rq_kwargs=own)


def look_at_due() -> None:
    """Check due links for some minutes: the background job. Never raises.

    If the database or Redis is down, it logs that and ends; the sweeper's next tick queues another.
    """
    is_more = False
    try:
        if is_person_waiting():
            _send()  # behind the person's job
            return
        with locks.alone(locks.LINKS) as is_alone:
            if not is_alone:
                log.info("Another process is checking links; this one does nothing")
            elif config.checks_links():
                with watch() as interruption:
                    until = time.monotonic() + BUDGET
                    is_more = check_due_links(until=until, interruption=interruption)
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
    tell_data: data_check.Report = lambda _url, _text: None,
    interruption: Interruption | None = None,
) -> bool:
    """Check due links and data, and write the formats found to the datasets; needs the lock.

    Args:
        until: ``time.monotonic()`` at which to stop; None: check all.
        source_id: only links of this source's datasets.
        tell: called with each result.
        tell_data: called with each result of a check of data.
        interruption: ends the check; what is under way stays due.

    Returns:
        Whether links or data remain to be checked.
    """
    interruption = interruption or Interruption()
    try:
        return _check_due_links(interruption, until, source_id, tell, tell_data)
    except Aborted:
        return True


def _check_due_links(
    interruption: Interruption,
    until: float | None,
    source_id: str | None,
    tell: Callable[[LinkResult], None],
    tell_data: data_check.Report,
) -> bool:
    began, must_end = utcnow(), interruption.is_set
    with ExitStack() as stack:
        limits, sleep = link_checker.LIMITS, interruption.sleep
        clients = [open_metered_client(limits, sleep) for _ in range(AT_ONCE)]
        for client in clients:
            stack.enter_context(client)
            interruption.then(client.abort)
        walk = _Walk(Lanes(clients, must_end), until, must_end)
        while batch := _due(interruption, source_id):
            Session.commit()
            for result in walk.check(batch):
                tell(result)
            walk.fill(_unfilled(interruption, began))
            stars_jobs.rescore(must_end)
            if must_end():
                return True
            if walk.is_over:
                return walk.is_late
    # Datasets left by a job that was killed, imported during the link check, or refused by CKAN
    # before.
    walk.fill(_unfilled(interruption))
    # Once: it reads all problems.
    link_checks.forget_refusals_of_filled()
    Session.commit()
    stars_jobs.rescore(must_end)
    if must_end():
        return True
    return data_check.check_due(
        budget(),
        until=until,
        source_id=source_id,
        tell=tell_data,
        interruption=interruption,
    )


def _due(interruption: Interruption, source_id: str | None) -> list[link_checks.Due]:
    with interruption.cancels_query():
        return link_checks.due(BATCH, source_id)


def _unfilled(interruption: Interruption, since: dt.datetime | None = None) -> list[str]:
    with interruption.cancels_query():
        return link_checks.unfilled(since)


def budget() -> Budget:
    """Return what link checks may cost a day, as the portal's ini says."""
    return Budget(config.links_requests(), config.links_megabytes() * MEGABYTE)


def has_budget() -> bool:
    """Tell whether a link may still be checked today."""
    return budget().allows(link_budget.spent_today(), link_checker.MOST_REQUESTS)


class _Walk:
    """One pass over the due links; remembers silent hosts and refused datasets.

    Attributes:
        is_over: no further link may be checked now.
        is_late: because the time is up, so that another job goes on.
    """

    def __init__(
        self, lanes: Lanes, until: float | None, must_end: Callable[[], bool] = lambda: False
    ) -> None:
        self._lanes = lanes
        self._until = until
        self._must_end = must_end
        self._budget = budget()
        self._spent = link_budget.Spent()
        self._refused: set[str] = set()  # ids of datasets that CKAN refused
        self._rule = DeadAfter()
        self.is_over = self.is_late = False

    def check(self, batch: Collection[link_checks.Due]) -> Iterator[LinkResult]:
        """Check links as far as time and budget go, and save the results."""
        self._spent = link_budget.spent_today()
        Session.commit()
        for checked in self._lanes.check(list(batch), self._may_start):
            self._save(checked)
            yield from (each.result for each in checked if each.result)

    def _may_start(self, under_way: int) -> bool:
        is_time_up = self._until is not None and time.monotonic() >= self._until
        self.is_late = is_time_up or self._must_end()
        # Those under way may yet need as many requests as a link ever does; with little of the
        # budget left, links are checked one by one.
        needed = (under_way + 1) * link_checker.MOST_REQUESTS
        may_start = not self.is_late and self._budget.allows(self._spent, needed)
        self.is_over = not may_start and not under_way
        return may_start

    def _save(self, checked: Sequence[Checked]) -> None:
        """Save what came together in one transaction."""
        results = [each.result for each in checked if each.result]
        link_results.save(results, config.links_days(), self._rule)
        requests = sum(each.requests for each in checked)
        received = sum(each.received for each in checked)
        links = sum(1 for each in checked if each.requests and each.result)
        if requests:
            link_budget.spend(requests, received, links)
            spent = self._spent
            self._spent = link_budget.Spent(
                spent.requests + requests, spent.received + received, spent.links + links
            )
        Session.commit()

    def fill(self, package_ids: Collection[str]) -> None:
        """Write the formats found to the datasets that lack them.

        What CKAN or a plugin refuses becomes a problem of the dataset's records.
        """
        for package_id in package_ids:
            if self._must_end():
                return
            if package_id in self._refused:
                continue
            filled: list[str] = []
            try:
                filled = dataset_writer.fill_formats(package_id)
                _make_views(package_id, filled)
            except sa.exc.OperationalError:
                raise
            except RecordError as exc:
                log.warning("The formats found for dataset %s: %s", package_id, exc.message)
                self._refuse(package_id, exc.message, filled)
            except Exception as exc:
                # Whatever a plugin of the portal raises.
                log.exception("Dataset %s lacks formats that were found, or views", package_id)
                compat.rollback()
                why = f"{type(exc).__name__}; the portal's log has the details"
                self._refuse(package_id, why, filled)

    def _refuse(self, package_id: str, why: str, filled: Collection[str]) -> None:
        """Save why a dataset did not get its formats or, if these are ``filled``, its views."""
        self._refused.add(package_id)
        if filled:
            problem = Problem("view-not-created", "", f"views could not be created: {why}")
        else:
            message = f"format: what the link check found could not be saved: {why}"
            problem = Problem("format-not-saved", "format", message)
        record_rows.put_problem(package_id, problem)
        Session.commit()


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
