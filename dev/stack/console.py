"""Console output: one line per step with its time, and the log's end when one fails.

All of it goes to standard error; standard output is for the results of commands.
"""

from __future__ import annotations

import contextlib
import functools
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

# Seconds between signs of life: in a build log, on a terminal.
QUIET_SECONDS = 20


class StackError(Exception):
    """An error that a person has to fix; its text says what and how."""


def command(main: Callable[..., int]) -> Callable[..., int]:
    """Decorate the function behind a script in bin/.

    A StackError is printed and becomes the exit code 1. A limit on the whole (timeout, CI) is like
    Ctrl-C: it ends what was started, too; the exit code is 130.
    """

    @functools.wraps(main)
    def run(*arguments: Any) -> int:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            return main(*arguments)
        except StackError as error:
            say(f"\n{error}")
            return 1
        except KeyboardInterrupt:
            return 130

    return run


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@contextlib.contextmanager
def step(title: str) -> Iterator[None]:
    """Announce a step, tick while it runs, and end its line with its duration in seconds."""
    started = time.monotonic()
    done = threading.Event()
    ticker = threading.Thread(target=_tick, args=(title, started, done), daemon=True)
    ticker.start()
    failed = "  failed"
    try:
        yield
        failed = ""
    finally:
        done.set()
        ticker.join()
        seconds = time.monotonic() - started
        start = "\r" if sys.stderr.isatty() else ""
        say(f"{start}{'!' if failed else ' '} {title:<60} {seconds:6.1f} s{failed}")


def _tick(title: str, started: float, done: threading.Event) -> None:
    on_terminal = sys.stderr.isatty()
    while not done.wait(1 if on_terminal else QUIET_SECONDS):
        seconds = time.monotonic() - started
        if on_terminal:
            print(f"\r  {title:<60} {seconds:4.0f} s …", end="", file=sys.stderr, flush=True)
        else:
            say(f"  {title} … {seconds:.0f} s")


def wait_until(is_so: Callable[[], bool], seconds: float, pause: float = 0.1) -> bool:
    """Wait until something is so; return False if it is not within that time."""
    deadline = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True


def tail(path: Path, lines: int = 30, *, since: int = 0) -> str:
    """Return the last lines of a log, none from before the byte `since`."""
    if not path.is_file():
        return f"(no {path})"
    return "\n".join(path.read_bytes()[since:].decode(errors="replace").splitlines()[-lines:])


def run(command: Sequence[str | Path], log: Path, **options: Any) -> None:
    """Run a command with its output in a log; on failure raise an error with the log's end."""
    with log.open("a") as out:
        start = out.tell()
        out.write(f"$ {' '.join(map(str, command))}\n")
        out.flush()
        status = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False, **options
        ).returncode
    if status:
        what = f"{Path(command[0]).name} ended with {status}"
        raise StackError(f"{tail(log, since=start)}\n\n{what}; all of it: {log}")
