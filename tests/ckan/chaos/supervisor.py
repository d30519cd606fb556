"""A supervisor as systemd is one: it starts what has ended; and cron's tick."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from tests.ckan.processes import PROGRAM, Process

# The pauses of the product run 20 times as fast, so that several faults find room in a run: a
# service that is away for 3 seconds stands for one that is away for a minute.
HURRIED = f"""
from ckanext.ukharvest.harvest.consumers import failures, workers
from ckanext.ukharvest.harvest.gather import gather_stage
failures.PAUSES = tuple(each / 20 for each in failures.PAUSES)
gather_stage.PAUSES = tuple(each / 20 for each in gather_stage.PAUSES)
workers.Heart.__init__.__defaults__ = (1.0,)
{PROGRAM}
"""
HURRIED_SETTINGS = {"ckanext.ukharvest.sweeper.worker_timeout": "8"}  # seconds
RESTART = 1.0  # seconds, as RestartSec
TICK = 3.0  # seconds between two ticks of cron
HUNG = 45.0  # seconds after which cron starts the next tick beside one that goes on


class Supervisor:
    """Keeps consumers running, and calls ``ckan harvester run`` every few seconds.

    Args:
        inis: name of a consumer ("gather-…" or "fetch-…") to the path of its ini.
        log: file for the output of all processes.
    """

    def __init__(self, inis: dict[str, str], log: Path) -> None:
        self._inis = inis
        self._log = log
        self._ended: dict[str, float] = {}
        self._ticks: list[tuple[float, Process]] = []
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)
        self.processes: dict[str, Process] = {}
        self.restarts = 0
        self.ticks = 0  # that ended without error
        self.failed_ticks = 0

    def __enter__(self) -> Supervisor:
        for name in self._inis:
            self._start(name)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        left = [*self.processes.values(), *(tick for _, tick in self._ticks)]
        for process in left:
            process.terminate()
        for process in left:
            process.wait(60)

    def signal(self, name: str, number: int) -> None:
        """Send a signal to a consumer, or to the tick that runs at this moment ("tick")."""
        with self._lock:
            running = [tick for _, tick in self._ticks] if name == "tick" else []
            for process in running or [self.processes[each] for each in (name,) if each != "tick"]:
                process.send_signal(number)

    def process(self, name: str) -> Process:
        with self._lock:
            return self.processes[name]

    def wait_for_ticks(self, number: int, timeout: float) -> None:
        """Wait until so many more ticks have ended without error."""
        wanted, deadline = self.ticks + number, time.monotonic() + timeout
        while self.ticks < wanted:
            assert time.monotonic() < deadline, "cron's ticks do not end"
            time.sleep(0.1)

    def _run(self) -> None:
        while not self._end.wait(0.1):
            with self._lock:
                for name in self._inis:
                    self._restart(name)
                self._tick()

    def _start(self, name: str) -> None:
        words = ["-c", self._inis[name], "harvester", f"{name.partition('-')[0]}-consumer"]
        self.processes[name] = Process(words, program=HURRIED, output=self._log)

    def _restart(self, name: str) -> None:
        if self.processes[name].poll() is None:
            return
        now = time.monotonic()
        if now - self._ended.setdefault(name, now) > RESTART:
            del self._ended[name]
            self.restarts += 1
            self._start(name)

    def _tick(self) -> None:
        now = time.monotonic()
        for begun, tick in list(self._ticks):
            code = tick.poll()
            if code is not None:
                self._ticks.remove((begun, tick))
                self.ticks += not code
                self.failed_ticks += bool(code)
                self._ended["tick"] = now
        if now - self._ended.get("tick", 0.0) < TICK:
            return
        if all(now - begun > HUNG for begun, _ in self._ticks):
            words = ["-c", next(iter(self._inis.values())), "harvester", "run"]
            started = Process(words, program=HURRIED, output=self._log)
            self._ticks.append((now, started))
