"""Attempts to reach another machine: in a thread, and in two kinds of process."""

from __future__ import annotations

import contextlib
import multiprocessing
import socket
import subprocess
import sys
import threading


def look_up() -> None:
    with contextlib.suppress(BaseException):
        socket.getaddrinfo("data.example.org", 80)


def in_thread() -> None:
    thread = threading.Thread(target=look_up)
    thread.start()
    thread.join()


def in_multiprocessing(method: str) -> None:
    child = multiprocessing.get_context(method).Process(target=look_up)
    child.start()
    child.join()


def in_subprocess() -> None:
    code = "import socket\ntry: socket.getaddrinfo('data.example.org', 80)\nexcept OSError: pass"
    subprocess.run([sys.executable, "-c", code], check=True)
