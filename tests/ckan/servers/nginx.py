"""nginx: a real web server with folder listings, for the tests of WAFs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stack import console, debian
from stack.child import Child
from stack.paths import STACK, log_file
from stack.state import locked

from tests.ports import listens, own_port

# One process without a master: the started process is the one to stop, and keeps its user.
CONFIG = """\
daemon off;
master_process off;
pid {own}/pid;
error_log stderr warn;
events {{ worker_connections 64; }}
http {{
    types {{ application/xml xml; text/html html; }}
    default_type application/octet-stream;
    log_format requests '$status $body_bytes_sent $request_uri';
    access_log {own}/access.log requests;
    client_body_temp_path {own}/body;
    proxy_temp_path {own}/proxy;
    fastcgi_temp_path {own}/fastcgi;
    uwsgi_temp_path {own}/uwsgi;
    scgi_temp_path {own}/scgi;
    server {{
        listen 127.0.0.1:{port};
        root {root};
        autoindex on;
    }}
}}
"""


@dataclass(frozen=True)
class Request:
    """A line of the access log; ``size`` is bytes of the body."""

    status: int
    size: int
    path: str


@dataclass(frozen=True)
class WebServer:
    """A running nginx: its URL without a slash at the end, and its access log."""

    url: str
    log: Path

    def requests(self) -> list[Request]:
        """Return the requests since the last call."""
        lines = self.log.read_text().splitlines()
        self.log.write_text("")
        parts = (line.split(" ", 2) for line in lines)
        return [Request(int(status), int(size), path) for status, size, path in parts]


def ensure() -> Path:
    """Install nginx if needed, and return the program."""
    found = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    if found:
        return Path(found)
    with locked():
        debian.ensure(debian.NGINX)
        return _unpacked("nginx", STACK / "nginx") / "usr" / "sbin" / "nginx"


def _unpacked(package: str, folder: Path) -> Path:
    """Unpack a package into a folder once, for a program that the machine may lack."""
    done = folder / "unpacked"
    if done.exists():
        return folder
    with console.step(f"Debian: {package}, unpacked"):
        folder.mkdir(parents=True, exist_ok=True)
        log = log_file("apt")
        download = ["apt-get", "--quiet", "download", package]
        try:
            console.run(download, log, cwd=folder)
        except console.StackError:  # the package lists are missing or outdated
            need = debian.Need(package, lambda: False, (package,))
            update = [*debian.privilege([need]), "apt-get", "--quiet", "update"]
            console.run(update, log)
            console.run(download, log, cwd=folder)
        newest = max(folder.glob(f"{package}_*.deb"), key=lambda path: path.stat().st_mtime)
        console.run(["dpkg-deb", "--extract", newest, folder], log)
        newest.unlink()
        done.touch()
    return folder


@contextmanager
def serve(root: Path, own: Path) -> Iterator[WebServer]:
    """Serve a folder; config, log and temporary files go into the other one."""
    program = ensure()
    own.mkdir(parents=True, exist_ok=True)
    config = own / "nginx.conf"
    port = own_port()
    config.write_text(CONFIG.format(own=own, root=root, port=port))
    command: list[str | Path] = [program, "-p", own, "-c", config, "-e", "stderr"]
    with Child(command, log_file("nginx")) as child:
        child.wait_until(lambda: listens(port))
        yield WebServer(f"http://127.0.0.1:{port}", own / "access.log")
