"""Cron's part in a harvest, for a machine without cron: `python cron.py COMMAND…`.

Runs the command again and again; SIGTERM ends it and what it runs.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time

SECONDS_BETWEEN = 5


def main() -> None:
    # An exception, because Popen cannot be waited for from within its own wait.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    while True:
        with subprocess.Popen(sys.argv[1:]) as running:
            try:
                running.wait()
            except SystemExit:
                running.terminate()
                raise
        time.sleep(SECONDS_BETWEEN)


if __name__ == "__main__":
    main()
