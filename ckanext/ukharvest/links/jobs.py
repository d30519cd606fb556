"""Check the links of resources, in a CKAN background job or a command."""

from __future__ import annotations

import datetime as dt
import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import sqlalchemy as sa
from ckan.model import Resource, Session

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.errors import Aborted, RecordError
from ckanext.ukharvest.core.http.client import MeteredClient
from ckanext.ukharvest.core.link_states import LinkFault, LinkResult, host_of
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.core.values.text import counted, shorten
from ckanext.ukharvest.harvest import background, lists
from ckanext.ukharvest.harvest.background import Interruption, Shift, Work
from ckanext.ukharvest.harvest.batch import dataset_writer, new_files
from ckanext.ukharvest.harvest.http_client import open_metered_client
from ckanext.ukharvest.harvest.lists import FeatureFigures
from ckanext.ukharvest.harvest.model import Link, utcnow
from ckanext.ukharvest.harvest.records import links as link_results
from ckanext.ukharvest.harvest.records import record_rows
from ckanext.ukharvest.harvest.records.links import DueLink
from ckanext.ukharvest.harvest.run.prune import delete_rows
from ckanext.ukharvest.links import check as link_check
from ckanext.ukharvest.links import model as link_model

log = logging.getLogger(__name__)

SILENT_AFTER = 3  # failures in a row after which a host is not tried again
LONGEST_WAIT = 0.5  # seconds after which it is asked again whether to go on
LAST_WAIT = 1.0  # seconds that aborted requests get to end


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a link, and what it cost: requests and bytes; 0 if its host was left alone.

    The result is None if the check was broken off.
    """

    result: LinkResult | None
    requests: int = 0
    received: int = 0


@dataclass(frozen=True, slots=True)
class _Task:
    host: str
    client: MeteredClient
    began: float
    requests: int
    received: int

    def checked(self, result: LinkResult | None) -> Checked:
        """Return a result with what it cost."""
        client = self.client
        return Checked(result, client.requests - self.requests, client.received - self.received)


class Lanes:
    """The hosts of one pass over the links that are due.

    A host gets the next request after the client's delay, and after as long as it needed for the
    last link: a slow host is asked less often. One that failed several times in a row is left alone
    for the rest of the pass.

    Args:
        clients: one for each link that is checked at the same time.
        must_end: whether to break off, after the clients were told to abort.
    """

    def __init__(
        self, clients: Sequence[MeteredClient], must_end: Callable[[], bool] = lambda: False
    ) -> None:
        self._clients = deque(clients)
        self._must_end = must_end
        self._ready: dict[str, float] = {}  # host → time.monotonic() of its next request
        self._failed: Counter[str] = Counter()  # host → failures in a row
        self._faults: dict[str, LinkFault] = {}  # host → fault of its last link

    def check(
        self, links: Sequence[DueLink], may_start: Callable[[int], bool]
    ) -> Iterator[list[Checked]]:
        """Check links; end early, after the links under way, if none may start then.

        What ended while the caller was busy comes together, so that it can be saved together.

        Args:
            may_start: told how many are under way, whether one more may be checked now.
        """
        waiting: dict[str, deque[DueLink]] = {}
        for link in links:
            waiting.setdefault(host_of(link.url), deque()).append(link)
        running: dict[Future[LinkResult], _Task] = {}
        pool = ThreadPoolExecutor(len(self._clients))
        try:
            while waiting or running:
                if self._must_end():
                    yield self._break_off(running)
                    return
                may = True
                while may and (host := self._next_host(waiting, running)) is not None:
                    if self._failed[host] >= SILENT_AFTER:
                        fault = self._faults[host]
                        yield [_left_alone(link, fault) for link in waiting.pop(host)]
                    elif may := may_start(len(running)):
                        self._start(pool, host, waiting, running)
                if not may and not running:
                    return
                if ended := self._ended(waiting if may else {}, running):
                    yield [self._finish(done, running.pop(done)) for done in ended]
        finally:
            # A name look-up cannot be ended; its thread outlives the check.
            pool.shutdown(wait=not self._must_end(), cancel_futures=True)

    def _break_off(self, running: Mapping[Future[LinkResult], _Task]) -> list[Checked]:
        """Return the links under way, with a result if they have ended already."""
        ended = wait(running, timeout=LAST_WAIT).done
        return [
            self._finish(done, task) if done in ended else task.checked(None)
            for done, task in running.items()
        ]

    def _next_host(
        self, waiting: dict[str, deque[DueLink]], running: dict[Future[LinkResult], _Task]
    ) -> str | None:
        """Return a host that can be asked now, None if there is none or no client is free."""
        if not self._clients:
            return None
        busy, now = {task.host for task in running.values()}, time.monotonic()
        free = (host for host in waiting if host not in busy)
        return next((host for host in free if self._ready.get(host, 0.0) <= now), None)

    def _start(
        self,
        pool: ThreadPoolExecutor,
        host: str,
        waiting: dict[str, deque[DueLink]],
        running: dict[Future[LinkResult], _Task],
    ) -> None:
        # To the end of the line, so that each host gets its turn.
        links = waiting.pop(host)
        link = links.popleft()
        if links:
            waiting[host] = links
        client = self._clients.popleft()
        task = _Task(host, client, time.monotonic(), client.requests, client.received)
        check = partial(link_check.check_link, expected=link.expected, is_gemini=link.is_gemini)
        running[pool.submit(check, link.url, client)] = task

    def _ended(
        self, waiting: Mapping[str, deque[DueLink]], running: dict[Future[LinkResult], _Task]
    ) -> set[Future[LinkResult]]:
        """Wait a moment for a link or for the turn of another host; return what has ended."""
        busy, now = {task.host for task in running.values()}, time.monotonic()
        free = [self._ready.get(host, 0.0) for host in waiting if host not in busy]
        pause = max(0.0, min(free) - now) if free and self._clients else LONGEST_WAIT
        pause = min(pause, LONGEST_WAIT)
        if running:
            return wait(running, timeout=pause, return_when=FIRST_COMPLETED).done
        if pause:
            time.sleep(pause)
        return set()

    def _finish(self, done: Future[LinkResult], task: _Task) -> Checked:
        self._clients.append(task.client)
        now = time.monotonic()
        try:
            result = done.result()
        except Aborted:
            return task.checked(None)
        delay = task.client.limits.delay
        self._ready[task.host] = now + max(delay, now - task.began) if delay else now
        self._faults[task.host] = result.fault
        self._failed[task.host] = 0 if result.is_lasting else self._failed[task.host] + 1
        return task.checked(result)


def _left_alone(due: DueLink, fault: LinkFault) -> Checked:
    """Return the result of a link that was not tried; ``fault``: of others of its host."""
    host = shorten(host_of(due.url))
    if fault is LinkFault.UNKNOWN_NAME:  # each link of the host has that
        why = f"no server is called {host}; check the address. It is tried again"
        return Checked(LinkResult(due.url, why=why, is_lasting=False, fault=fault))
    why = (
        f"{host} did not answer {SILENT_AFTER} times in a row, so this address was not tried; it "
        "is tried again later"
    )
    return Checked(LinkResult(due.url, why=why, is_lasting=False, fault=LinkFault.NOT_ASKED))


T = TypeVar("T")

BATCH = 500  # links; formats and stars are written to the datasets after each batch
AT_ONCE = 10  # hosts


def check_due_links(shift: Shift) -> bool:
    """Check due links, and write the formats found to the datasets; needs ``database.LINKS``.

    Returns:
        Whether another job shall go on now: links remain, and so does budget.

    Raises:
        Aborted: it was interrupted at a slow query.
    """
    interruption = shift.interruption
    began, must_end = utcnow(), interruption.is_set
    with ExitStack() as stack:
        limits, sleep = link_check.LIMITS, interruption.sleep
        clients = [open_metered_client(limits, sleep) for _ in range(AT_ONCE)]
        for client in clients:
            stack.enter_context(client)
            interruption.then(client.abort)
        walk = _Walk(Lanes(clients, must_end), shift)
        while batch := _ask(interruption, lambda: link_results.due_links(BATCH, shift.source_id)):
            Session.commit()
            for result in walk.check(batch):
                shift.tell(result.url, result)
            walk.fill(_ask(interruption, lambda: link_results.datasets_without_format(began)))
            _hand_on(must_end)
            if must_end():
                return True
            if walk.is_over:
                return walk.is_late
    # Datasets left by a job that was killed, imported during the link check, or refused by CKAN
    # before.
    walk.fill(_ask(interruption, link_results.datasets_without_format))
    # Once: it reads all problems.
    link_results.forget_refusals_of_filled()
    Session.commit()
    _hand_on(must_end)
    return must_end()


def _hand_on(must_end: Callable[[], bool]) -> None:
    for follow in lists.LINKS_CHECKED:
        follow(must_end)
    if not must_end():
        store_dead_links()


def _ask(interruption: Interruption, query: Callable[[], T]) -> T:
    with interruption.cancels_query():
        return query()


WORK = (
    Work(
        check_due_links,
        lambda: (
            link_results.is_link_due() and background.spent_today().allows(link_check.MOST_REQUESTS)
        ),
        has_rest=link_results.datasets_without_format,
    ),
)


class _Walk:
    """One pass over the due links; remembers refused datasets.

    Attributes:
        is_over: no further link may be checked now.
        is_late: because the time is up, so that another job goes on.
    """

    def __init__(self, lanes: Lanes, shift: Shift) -> None:
        self._lanes = lanes
        self._shift = shift
        self._spent = background.Spent()
        self._refused: set[str] = set()  # ids of datasets that CKAN refused
        self.is_over = self.is_late = False

    def check(self, batch: Collection[link_results.DueLink]) -> Iterator[LinkResult]:
        """Check links as far as time and budget go, and save the results."""
        self._spent = background.spent_today()
        Session.commit()
        for checked in self._lanes.check(list(batch), self._may_start):
            self._save(checked)
            yield from (link.result for link in checked if link.result)

    def _may_start(self, under_way: int) -> bool:
        self.is_late = self._shift.is_late()
        # Those under way may yet need as many requests as a link ever does; with little of the
        # budget left, links are checked one by one.
        needed = (under_way + 1) * link_check.MOST_REQUESTS
        may_start = not self.is_late and self._spent.allows(needed)
        self.is_over = not may_start and not under_way
        return may_start

    def _save(self, checked: Sequence[Checked]) -> None:
        """Save what came together in one transaction."""
        results = [link.result for link in checked if link.result]
        link_results.save_link_results(results, config.links_days())
        requests = sum(link.requests for link in checked)
        received = sum(link.received for link in checked)
        links = sum(1 for link in checked if link.requests and link.result)
        if requests:
            self._spent = background.note_spent(requests, received, links)
        Session.commit()

    def fill(self, package_ids: Collection[str]) -> None:
        """Write the formats found to the datasets that lack them.

        What CKAN or a plugin refuses becomes a problem of the dataset's records.
        """
        for package_id in package_ids:
            if self._shift.interruption.is_set():
                return
            if package_id in self._refused:
                continue
            filled: list[str] = []
            try:
                filled = dataset_writer.fill_formats(package_id)
                _create_views(package_id, filled)
            except sa.exc.OperationalError:
                raise
            except RecordError as exc:
                log.warning("The formats found for dataset %s: %s", package_id, exc.message)
                self._refuse(package_id, exc.message, filled)
            except Exception as exc:
                # Whatever a plugin of the portal raises.
                log.exception("Dataset %s lacks formats that were found, or views", package_id)
                compat.rollback()
                why = Message("{error}; the portal's log has the details", error=type(exc).__name__)
                self._refuse(package_id, why, filled)

    def _refuse(self, package_id: str, why: str, filled: Collection[str]) -> None:
        """Save why a dataset did not get its formats or, if these are ``filled``, its views."""
        self._refused.add(package_id)
        if filled:
            text = Message("views could not be created: {why}", why=why)
            problem = Problem("view-not-created", "", text)
        else:
            text = Message("format: what the link check found could not be saved: {why}", why=why)
            problem = Problem("format-not-saved", "format", text)
        record_rows.put_problem(package_id, problem)
        Session.commit()


def _create_views(package_id: str, resource_ids: Collection[str]) -> None:
    """Create the portal's default views of resources whose format is now known."""
    if resource_ids:
        context = {"user": config.harvest_user(), "ignore_auth": True}
        new_files.create_views(dataset_writer.show_dataset(package_id), resource_ids, context)


def forget_unused() -> list[str]:
    """Delete the links of URLs that no resource has any more, count the dead ones; commit.

    Not those that worked lately: a URL that comes back after a night is not one that never worked.
    """
    used = sa.exists().where(Resource.url == Link.url, Resource.state == "active")
    lately = utcnow() - dt.timedelta(days=2 * config.links_days())
    number = delete_rows(Link, ~used & (Link.worked.is_(None) | (Link.worked < lately)))
    store_dead_links()
    return [f"Forgot {number:,} links that no resource has any more"] if number else []


PRUNE = (forget_unused,)


def store_dead_links(source_id: str | None = None) -> None:
    """Count and store the dead links of one source, or of all; commit."""
    link_model.store_dead_links(source_id)
    Session.commit()


RUN_ENDED = (store_dead_links,)


def load_figures() -> dict[str, Any]:
    """Return the figures of now; looks at every resource.

    Returns:
        ``states`` (state → number of links), ``waiting`` (links that are due), ``requests``
        and ``megabytes`` (spent today), ``links`` (checked today), ``requests_per_day`` and
        ``megabytes_per_day`` (the budget, 0 for no limit).
    """
    spent = background.spent_today()
    return {
        "states": link_results.count_states(),
        "waiting": link_results.count_due_links(),
        "requests": spent.requests,
        "megabytes": round(spent.received / background.MEGABYTE, 1),
        "links": spent.links,
        "requests_per_day": config.links_requests(),
        "megabytes_per_day": config.links_megabytes(),
    }


def format_backlog(found: Mapping[str, Any]) -> str:
    """Return how many links wait, as a sentence.

    Args:
        found: as ``load_figures`` returns it.
    """
    if not found["waiting"]:
        return "No link is waiting to be checked."
    verb = "waits" if found["waiting"] == 1 else "wait"
    return f"{counted(found['waiting'], 'link')} {verb} to be checked."


DASHBOARD = (FeatureFigures("links", load_figures, format_backlog),)
