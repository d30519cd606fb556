"""The command bin/demo."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from stack.console import command
from stack.paths import CKAN_VERSIONS, DEFAULT_CKAN
from stack.site import ensure_site
from stack.state import locked

from . import processes
from .api import Api, tell
from .expectation import dead_links, differences
from .portal import SYSADMIN, Portal
from .processes import PublisherServer
from .publishers import SHOWCASE
from .runs import Row, Source, ensure_sources, run, table

# The one whose publisher lists fewer: what a second run misses too would be deleted.
HELD = "fernley-district-council"
SCHEDULES = (("DAILY", "02:30"), ("WEEKLY", "04:00"), ("DAILY", "05:15"), ("MONTHLY", "03:00"))
DESCRIPTION = f"""\
A CKAN portal on this machine that harvests publishers out of the repository: what is missing
is installed, everything is started, the publishers are harvested through the queue, and the
site stays up. Among them are one that fails, one with deletions to decide, one with faulty
records, and one with maps; the start page says where to look first.

  bin/demo          start it, harvest, print what came in and where to look
  bin/demo stop     stop it, and its services; the data stays
  bin/demo --once   empty the demo's portal, harvest, compare all that came in with what the
                    publishers serve, open every link, harvest once more, and stop what it
                    started; exit code 1 if anything is not as expected

All it makes is in one folder; see bin/stack --help. Logs: bin/stack logs demo-{DEFAULT_CKAN}-web
(-gather-1 to -3, -fetch, -jobs, -cron).
"""


@command
def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    with locked("demo", waiting="another bin/demo is at work"):
        if options.command == "stop":
            return _stop()
        return _once(options.ckan) if options.once else _start(options.ckan)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "bin/demo", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", nargs="?", choices=["stop"], help="stop everything")
    parser.add_argument("--once", action="store_true", help="harvest, compare, stop (see above)")
    parser.add_argument("--ckan", choices=CKAN_VERSIONS, default=DEFAULT_CKAN)
    return parser


class Demo:
    """A running demo."""

    def __init__(self, ckan: str, *, fresh: bool) -> None:
        # Until the ports are known: bin/test of this checkout saves ports too.
        with locked():
            self.portal = Portal(ensure_site(ckan, "demo"))
            if fresh:
                processes.stop_demo(self.portal)
                self.portal.write_ini("http://127.0.0.1")
                self.portal.empty()
            self.web, servers, self.workers = processes.start(self.portal, with_showcase=not fresh)
        self.api = Api(self.web.url, self.portal.token)
        self.showcase = next((each for each in servers if each.kind == SHOWCASE), None)
        self.sources = ensure_sources(self.api, (each for each in servers if each != self.showcase))

    def run(self, label: str, sources: list[Source] | None = None) -> list[Row]:
        return run(self.api, self.sources if sources is None else sources, self.workers, label)


def _play(demo: Demo, server: PublisherServer) -> list[Row]:
    """Bring the showcase's sources into the states that the start page links to.

    They are run before and after their publishers changed; later, once more.
    """
    sources = ensure_sources(demo.api, [server])
    tell(server.control, later=False)
    if any(demo.api("harvest_job_list", source_id=source.id) for source in sources):
        tell(server.control, later=True)
        return demo.run("", sources)
    rows = demo.run("first", sources)
    tell(server.control, later=True)
    rows += demo.run("second", sources)
    return rows + demo.run("third", [each for each in sources if each.name == HELD])


def _set_schedules(api: Api, sources: Sequence[Source]) -> None:
    """Give sources that only a person starts a frequency and a time of day."""
    for number, source in enumerate(sources):
        shown = api("harvest_source_show", id=source.id)
        if shown["frequency"] != "MANUAL":
            continue
        frequency, hour = SCHEDULES[number % len(SCHEDULES)]
        api("harvest_source_patch", id=source.id, frequency=frequency)
        api("ukharvest_schedule_update", source_id=source.id, time=hour)


def _start(ckan: str) -> int:
    demo = Demo(ckan, fresh=False)
    rows = demo.run("")
    if demo.showcase:
        rows += _play(demo, demo.showcase)
    _set_schedules(demo.api, list(dict.fromkeys(row.source for row in rows)))
    print(f"\n{table(rows)}\n")
    print(f"{demo.web.url}/   login: {SYSADMIN}   password: {demo.portal.password}")
    print("It runs until: bin/demo stop")
    return 0


def _once(ckan: str) -> int:
    started = time.monotonic()
    were_running = processes.are_services_running()
    try:
        demo = Demo(ckan, fresh=True)
        rows, wrong = _compare_all(demo)
    finally:
        processes.stop_demo()
        if not were_running:
            with locked():
                processes.stop_services()
    print(f"\n{table(rows)}\n")
    for sentence in wrong:
        print(f"NOT AS EXPECTED  {sentence}")
    verdict = f"{len(wrong)} differences" if wrong else "everything came in as expected"
    print(f"{verdict} ({time.monotonic() - started:.0f} s)")
    return 1 if wrong else 0


def _compare_all(demo: Demo) -> tuple[list[Row], list[str]]:
    """Run all sources, and once more, when nothing has changed."""
    rows: list[Row] = []
    wrong: list[str] = []
    for label, figure in (("first", "added"), ("second", "not modified")):
        for row in demo.run(label):
            rows.append(row)
            wrong += differences(demo.api, row, figure)
    for source in demo.sources:
        wrong += dead_links(demo.api, source)
    return rows, wrong


def _stop() -> int:
    processes.stop_demo()
    with locked():
        processes.stop_services()
    return 0
