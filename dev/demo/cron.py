"""A substitute for cron's part in a harvest: `python cron.py CKAN-VERSION`.

Runs `ckan harvester run` repeatedly: every half minute, and every few seconds during a job, which
cron could not. SIGTERM ends it and its child.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "dev"), str(ROOT)]

from demo.api import Api, ApiError  # noqa: E402
from demo.portal import Portal  # noqa: E402
from demo.processes import Web  # noqa: E402
from stack.site import Site  # noqa: E402

IDLE_SECONDS = 30
# A shorter pause would slow the consumers down: each tick starts a CKAN.
BUSY_SECONDS = 3


def main() -> None:
    # An exception, because a signal handler cannot wait for Popen during its own wait.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    portal = Portal(Site(sys.argv[1], "demo"))
    command: list[str | Path] = [portal.program("ckan"), "-c", portal.ini, "harvester", "run"]
    while True:
        with subprocess.Popen(command, env=portal.environment()) as running:
            try:
                running.wait()
            except SystemExit:
                running.terminate()
                raise
        _pause(Api(Web(portal).url, portal.login.token))


def _pause(api: Api) -> None:
    started = time.monotonic()
    time.sleep(BUSY_SECONDS)
    while time.monotonic() - started < IDLE_SECONDS and not _is_busy(api):
        time.sleep(1)


def _is_busy(api: Api) -> bool:
    try:
        return bool(api("harvest_job_list", status="Running"))
    except ApiError:
        return False


if __name__ == "__main__":
    main()
