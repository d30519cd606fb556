"""Harvest sources of three types while faults strike, and prove what came of it."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ckan import model

from tests.ckan.chaos import evidence, faults
from tests.ckan.chaos.evidence import Evidence
from tests.ckan.chaos.services import Services
from tests.ckan.chaos.supervisor import HURRIED_SETTINGS, Supervisor
from tests.ckan.harvesting import Portal, act, write_ini
from tests.publisher import Publisher
from tests.publishing import catalogues

CONSUMERS = ("gather-1", "fetch-1", "fetch-2")
# Source type → format of the catalogue, and its records.
TYPES = {
    "data_json": ("data.json", 200),
    "dcat_rdf": ("Turtle", 160),
    "gemini-waf": ("folder", 150),
}
RECORDS = sum(count for _, count in TYPES.values())
STALLED = 12.0  # seconds without any import after which the next fault need not wait for one
PATIENCE = 420.0  # seconds after the last fault until all has to be right


@dataclass
class Storm:
    """Runs three sources at a time with a drawn number of faults.

    Attributes:
        write: prints a line.
        struck: how often each fault struck.
    """

    portal: Portal
    publisher: Publisher
    services: Services
    ini: str
    folder: Path
    rng: random.Random
    write: Callable[[str], None]
    struck: Counter[str] = field(default_factory=Counter)
    records: dict[str, str] = field(default_factory=dict)
    sources: list[str] = field(default_factory=list)
    restarts: int = 0

    def __post_init__(self) -> None:
        self.evidence = Evidence()
        self.log = self.folder / "consumers.log"
        self._began = time.monotonic()

    def say(self, text: str) -> None:
        self.write(f"  {time.monotonic() - self._began:6.1f} s  {text}")

    @contextmanager
    def consumers(self, batch_size: int) -> Iterator[Supervisor]:
        settings = {**HURRIED_SETTINGS, "ckanext.ukharvest.batch_size": str(batch_size)}
        ini = write_ini(self.ini, settings, self.folder / "chaos.ini")
        inis = dict.fromkeys(CONSUMERS, ini)
        with Supervisor(inis, self.log) as supervisor:
            yield supervisor
        self.restarts += supervisor.restarts

    def harvest(self, name: str, number: int, batch_size: int) -> None:
        """Import new sources of three types while this many faults strike."""
        made = self.make_sources(name)
        after = self.evidence.last()
        self.say(f"{RECORDS} new records, batches of {batch_size}, {number} faults")
        with self.consumers(batch_size) as supervisor:
            self._run(made, supervisor, number, "created", after)
        self.expect("created", name, after)
        urls = self.evidence.log("resource", after)
        assert set(urls.values()) == {1}, "a resource was created twice"
        assert len(urls) == 3 * RECORDS

    def change(self, name: str, number: int, batch_size: int) -> None:
        """Change each record of these sources and import it while faults strike."""
        for form, count in TYPES.values():
            self.publisher.routes.update(catalogues.routes(form, f"{name}-{form}", count, count))
        after = self.evidence.last()
        self.say(f"{RECORDS} changed records, batches of {batch_size}, {number} faults")
        with self.consumers(batch_size) as supervisor:
            self._run(self.sources[-len(TYPES) :], supervisor, number, "changed", after)
        self.expect("changed", name, after)
        assert not self.evidence.log("created", after)
        assert not self.evidence.log("resource", after), "resources were made again"

    def expect(self, what: str, name: str, after: int) -> None:
        """Expect each record of these sources once in the log, and no other."""
        found = self.evidence.log(what, after)
        wanted = Counter(dict.fromkeys(self._titles(name), 1))
        assert found == wanted, f"{what}: {found - wanted} too often, {wanted - found} missing"

    def prove(self) -> None:
        """Compare publisher, database and index; run everything again, which changes nothing."""
        assert self.evidence.unfinished() == {}
        assert self.evidence.in_database() == self.records
        assert evidence.in_index() == self.evidence.ids_and_titles()
        assert not self.evidence.log("deleted")
        after = self.evidence.last()
        with self.consumers(100) as supervisor:
            self.start(self.sources)
            self.wait(self.sources, supervisor)
        assert self.evidence.last() == after, "a calm run wrote datasets"
        assert self.evidence.unfinished() == {}

    def make_sources(self, name: str) -> list[str]:
        """Publish three catalogues, and return the ids of their new sources."""
        made = []
        for type_, (form, count) in TYPES.items():
            own = f"{name}-{form}"
            self.publisher.routes.update(catalogues.routes(form, own, count))
            self.records |= evidence.published(own, count)
            url = self.publisher.url(catalogues.path_of(form, own))
            made.append(self.portal.source(url, type_, name=own.lower().replace(".", "-")))
        self.sources += made
        return made

    def _titles(self, name: str) -> list[str]:
        made = (evidence.published(f"{name}-{form}", count) for form, count in TYPES.values())
        return [title for each in made for title in each.values()]

    def start(self, sources: list[str]) -> None:
        """Start a run of each source."""
        for source in sources:
            act("ukharvest_run_create", source_id=source)

    def _run(
        self, sources: list[str], supervisor: Supervisor, number: int, what: str, after: int
    ) -> None:
        drawn = faults.draw(self.rng, number, list(CONSUMERS))
        self.start(sources)
        with ThreadPoolExecutor(32) as pool:
            striking = [self._strike(each, pool, supervisor, what, after) for each in drawn]
            for each in striking:
                each.result()
        self.services.start_all()
        self.wait(sources, supervisor)
        model.Session.remove()
        model.meta.engine.dispose()  # of this process, which plays the web server

    def _strike(
        self,
        fault: faults.Fault,
        pool: ThreadPoolExecutor,
        supervisor: Supervisor,
        what: str,
        after: int,
    ) -> Future[None]:
        """Wait for the fault's moment, and let it strike beside those that still go on."""
        seen, since = 0, time.monotonic()
        while seen < fault.at * RECORDS and time.monotonic() - since < STALLED:
            found = self.evidence.imported(what, after)
            if found > seen:
                seen, since = found, time.monotonic()
            time.sleep(0.1)
        time.sleep(fault.delay)
        self.say(f"{fault}")
        self.struck[fault.name] += 1
        return pool.submit(fault.strike, self.services, supervisor)

    def wait(self, sources: list[str], supervisor: Supervisor) -> None:
        """Wait until all is done, and two ticks after that have ended."""
        deadline = time.monotonic() + PATIENCE
        while not self._is_done(sources):
            if time.monotonic() > deadline:
                raise AssertionError(f"not done in {PATIENCE:.0f} s: {self.evidence.unfinished()}")
            time.sleep(0.3)
        supervisor.wait_for_ticks(2, PATIENCE)
        self.say("the runs have ended")

    def _is_done(self, sources: list[str]) -> bool:
        running = self.evidence.rows(
            "SELECT id FROM harvest_job WHERE status != 'Finished' AND source_id = ANY(:ids)",
            ids=sources,
        )
        return not running
