"""The demo's processes: publishers, CKAN's web server, the consumers, cron."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterable
from pathlib import Path

from stack import console, venv
from stack.console import StackError, step
from stack.paths import ROOT, STACK, Stamp, digest, log_file
from stack.process import Daemon
from stack.service import Service
from stack.site import services

from .api import Api, ApiError, fetch
from .portal import SYSADMIN, Portal
from .publishers import CONTROL, SHOWCASE

HERE = Path(__file__).parent
PREFIX = "demo-"
JOBS = "jobs"
GATHERERS = 3
# In place of cron: run a command every half minute. SIGTERM ends what it is waiting for, too.
CRON = """trap 'kill $!; exit' TERM; while true; do "$@" & wait $!; sleep 30 & wait $!; done"""


class PublisherServer(Service):
    """A publisher, at an address of its own: some types read a server's root."""

    default_port = 18100

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.name = f"{PREFIX}publisher-{kind}"
        self.title = f"Publisher {kind}"
        super().__init__()

    @property
    def control(self) -> str:
        return self.url + CONTROL

    def spawn(self, port: int) -> None:
        # Of the environment, which has the libraries of tests, such as pyoxigraph.
        python = venv.program("python")
        self.daemon.start([python, "-B", HERE / "serve.py", self.kind, str(port)], self.log)

    def answers(self) -> bool:
        try:
            return bool(json.loads(fetch(self.control))["pid"] == self.daemon.pid())
        except (OSError, ValueError, KeyError):
            return False


class Web(Service):
    """CKAN's web server."""

    default_port = 5000

    def __init__(self, portal: Portal) -> None:
        self.portal = portal
        self.name = f"{PREFIX}{portal.site.ckan}-web"
        self.title = f"CKAN {portal.site.ckan}"
        super().__init__()

    def spawn(self, port: int) -> None:
        self.portal.write_ini(f"http://127.0.0.1:{port}")
        self.daemon.start(
            [
                *(self.portal.program("ckan"), "-c", self.portal.ini, "run"),
                *("--host", "127.0.0.1", "--port", str(port), "--threaded"),
                # The debugger would let anyone who sees an error page run code.
                *("--disable-reloader", "--disable-debugger"),
            ],
            self.log,
            env=self.portal.environment(),
        )

    def answers(self) -> bool:
        # Another checkout's site on this port does not know our token.
        try:
            Api(self.url, self.portal.token)("api_token_list", user_id=SYSADMIN)
        except ApiError:
            return False
        return True


class Worker:
    """A process without a port: a consumer, or cron."""

    def __init__(self, portal: Portal, name: str, command: Iterable[str | Path]) -> None:
        self.portal = portal
        self.name = f"{PREFIX}{portal.site.ckan}-{name}"
        self.command = list(command)
        self.daemon = Daemon(self.name)
        self.log = log_file(self.name)

    def start(self) -> None:
        if self.daemon.pid() is None:
            self.daemon.start(self.command, self.log, env=self.portal.environment())

    def check(self) -> None:
        """Raise an error if the process has ended."""
        if self.daemon.pid() is None:
            raise StackError(f"{console.tail(self.log)}\n\n{self.name} has ended; log: {self.log}")


def workers(portal: Portal) -> list[Worker]:
    harvester: list[str | Path] = [portal.program("ckan"), "-c", portal.ini, "harvester"]
    return [
        # Several: a consumer waits while a publisher's server is given time to recover.
        *(
            Worker(portal, f"gather-{number}", [*harvester, "gather-consumer"])
            for number in range(1, GATHERERS + 1)
        ),
        Worker(portal, "fetch", [*harvester, "fetch-consumer"]),
        Worker(portal, JOBS, [portal.program("ckan"), "-c", portal.ini, "jobs", "worker"]),
        Worker(portal, "cron", ["sh", "-c", CRON, "cron", *harvester, "run"]),
    ]


def start(
    portal: Portal, *, with_showcase: bool
) -> tuple[Web, list[PublisherServer], list[Worker]]:
    """Start what does not run, and restart what runs older code or settings."""
    web = Web(portal)
    kinds = [*portal.types, SHOWCASE] if with_showcase else portal.types
    publishers = [PublisherServer(kind) for kind in kinds]
    # The port is only certain when the server has it; until then the ini is for commands.
    port = web.state.port(web.name) or web.default_port
    ini = portal.write_ini(f"http://127.0.0.1:{port}")
    if not _running(portal, ini).is_current():
        stop_demo(portal)
    for server in publishers:
        server.start()
    portal.prepare()
    web.start()
    at_work = workers(portal)
    if not any(worker.daemon.pid() for worker in at_work):
        _give_up_jobs(Api(web.url, portal.token))
    for worker in at_work:
        worker.start()
    _running(portal, portal.ini.read_text()).write()
    return web, publishers, at_work


def _give_up_jobs(api: Api) -> None:
    """End the jobs that were running when the demo was stopped.

    The record that a consumer was working on is in no queue any more, and ckanext-harvest waits
    minutes for it.
    """
    for status in ("New", "Running"):
        for job in api("harvest_job_list", status=status):
            api("harvest_job_abort", id=job["id"])


def _running(portal: Portal, ini: str) -> Stamp:
    """Return what the processes were started from."""
    code = sorted(path for path in ROOT.glob("ckanext/**/*") if path.suffix != ".pyc")
    ours = sorted([*HERE.glob("*.*"), *ROOT.glob("tests/publishing/*.py")])
    return Stamp(portal.site.folder / "stamp-running", digest([*code, *ours], ini))


def stop_demo(portal: Portal | None = None) -> None:
    """Stop the processes of a version's demo, or of all; the publishers are shared."""
    of = f"{PREFIX}{portal.site.ckan}-*" if portal else f"{PREFIX}*"
    patterns = {of, f"{PREFIX}publisher-*"}
    names = [path.stem for each in patterns for path in (STACK / "run").glob(f"{each}.pid")]
    running = [daemon for daemon in map(Daemon, sorted(set(names))) if daemon.pid() is not None]
    if running:
        with step("Demo: stopping"):
            # A jobs worker ends its job at the second signal, and lets it end after the first.
            busy = [daemon for daemon in running if daemon.name.endswith(f"-{JOBS}")]
            for daemon in busy:
                daemon.send(signal.SIGTERM)
            for daemon in sorted(running, key=busy.__contains__):
                daemon.stop()
    for name in names:
        Daemon(name).stop()  # cleans up after one that ended by itself


def are_services_running() -> bool:
    """Tell whether something else, such as bin/stack start, has started the services."""
    return all(service.is_running() for service in services())


def stop_services() -> None:
    """Stop the demo's PostgreSQL, Redis and Solr; tests have their own."""
    for service in reversed(services()):
        service.stop()
