"""Daemons: processes that outlive the command that started them, and their user."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .console import StackError, wait_until
from .paths import make_folder

STOP_SECONDS = 30


@dataclass(frozen=True)
class Daemon:
    """A background process, identified by its pid and start time.

    The start time tells it from another process that got its pid after a reboot or a kill.
    """

    name: str

    @property
    def pid_file(self) -> Path:
        return make_folder("run") / f"{self.name}.pid"

    def start(self, command: Sequence[str | Path], log: Path, **options: Any) -> None:
        """Start the command in a session of its own; the options are subprocess's."""
        with log.open("a") as out:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
                cwd="/",
                **options,
            )
        self.pid_file.write_text(f"{process.pid} {birth(process.pid)}")

    def pid(self) -> int | None:
        """Return the pid of the running process, or None."""
        try:
            pid, born = self.pid_file.read_text().split()
        except (FileNotFoundError, ValueError):
            return None
        return int(pid) if birth(int(pid)) == born else None

    def has_stale_pid(self) -> bool:
        return self.pid_file.is_file() and self.pid() is None

    def send(self, how: signal.Signals) -> None:
        """Send the process a signal, if it runs."""
        if (pid := self.pid()) is not None:
            _send(pid, how)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> bool:
        """End the process and wait for it; return False if it was not running."""
        pid = self.pid()
        if pid is not None:
            _send(pid, how)
            if not wait_until(lambda: self.pid() is None, STOP_SECONDS):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)
                wait_until(lambda: self.pid() is None, STOP_SECONDS)
        self.pid_file.unlink(missing_ok=True)
        return pid is not None


def _send(pid: int, how: signal.Signals) -> None:
    try:
        os.kill(pid, how)
    except ProcessLookupError:
        pass
    except PermissionError as error:
        raise StackError(f"process {pid} belongs to another user; stop it as that user") from error


def birth(pid: int) -> str:
    """Return the process's start time as the kernel counts it; "" if it is gone or a zombie."""
    try:
        # The name in brackets may hold blanks; what follows it does not.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    state, born = fields[0], fields[19]
    return "" if state == "Z" else born


def service_user() -> pwd.struct_passwd | None:
    """Return the services' user when root starts them; None means the current user."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise StackError("root has no user postgres or nobody to run the services as")


def as_user(user: pwd.struct_passwd | None) -> dict[str, Any]:
    """Return the arguments that make subprocess run a command as that user."""
    if user is None:
        return {}
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def can_reach(folder: Path, user: pwd.struct_passwd | None) -> bool:
    """Tell whether the user may enter the folder; a clone below /root is closed to all others."""
    test = [shutil.which("test") or "/usr/bin/test", "-x", str(folder)]
    return subprocess.run(test, cwd="/", check=False, **as_user(user)).returncode == 0


def give_to(user: pwd.struct_passwd | None, folder: Path) -> None:
    """Make the user owner of the folder and all in it."""
    if os.geteuid() != 0:
        return
    uid, gid = (user.pw_uid, user.pw_gid) if user else (0, 0)
    for parent, _, files in os.walk(folder):
        for path in (parent, *(os.path.join(parent, name) for name in files)):
            os.chown(path, uid, gid, follow_symlinks=False)
