"""Count what a CKAN process asks of the database and the index; runs in CKAN's environment.

As a program it is ckan's command line that counts: python counters.py COUNTS UPGRADES WORDS…
UPGRADES: so much higher are the parsers' versions than this release's.
"""

from __future__ import annotations

import importlib
import json
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import requests
import sqlalchemy as sa
from ckan.cli.cli import ckan

EVERY = 0.2  # seconds between two writes of the counts

counts: Counter[str] = Counter()


def start() -> None:
    """Count SQL statements, commits and requests to Solr from now on.

    Commits: those that wait for the disk. Of a transaction that changed no row, or that does
    without (``synchronous_commit`` off), none does.
    """
    sa.event.listen(sa.engine.Engine, "after_cursor_execute", _statement)
    sa.event.listen(sa.engine.Engine, "commit", _commit)
    sa.event.listen(sa.engine.Engine, "rollback", _forget)
    stock = requests.Session.request

    def request(self: Any, method: str, url: str, *args: Any, **more: Any) -> Any:
        if "/solr/" in url and "/update" in url:
            counts["index requests"] += 1
        return stock(self, method, url, *args, **more)

    requests.Session.request = request  # type: ignore[method-assign, assignment]


_waits: dict[int, bool] = {}  # by transaction that wrote: whether its commit waits for the disk


def _statement(connection: Any, cursor: Any, statement: str, *_more: Any) -> None:
    counts["statements"] += 1
    if "synchronous_commit TO off" in statement:
        _waits[id(connection)] = False
    elif statement.lstrip().startswith(("INSERT", "UPDATE", "DELETE")) and cursor.rowcount:
        _waits.setdefault(id(connection), True)


def _commit(connection: Any) -> None:
    counts["commits"] += _waits.pop(id(connection), False)


def _forget(connection: Any) -> None:
    _waits.pop(id(connection), None)


def read() -> dict[str, int]:
    """Return the counts so far, with the process's own time and its peak memory in MB."""
    # Not getrusage's ru_maxrss: a child begins with its parent's.
    status = Path("/proc/self/status").read_text()
    peak = int(status.partition("VmHWM:")[2].split()[0]) // 1024
    return {**counts, "Python ms": int(time.process_time() * 1000), "peak MB": peak}


def keep_writing(path: Path) -> None:
    """Write the counts to a file again and again, in a thread that ends with the process."""

    def write() -> None:
        pause = threading.Event()
        while not pause.wait(EVERY):
            draft = path.with_suffix(".new")
            draft.write_text(json.dumps(read()))
            draft.replace(path)

    threading.Thread(target=write, daemon=True).start()


def main() -> None:
    start()
    keep_writing(Path(sys.argv[1]))
    types = importlib.import_module("ckanext.ukharvest.source_types").TYPES
    for parser in {kind.parser for kind in types.values()}:
        parser.VERSION += int(sys.argv[2])
    ckan(sys.argv[3:], prog_name="ckan")


if __name__ == "__main__":
    main()
