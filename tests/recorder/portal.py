"""Record what a portal answers and stores, and compare the recordings of two versions of the code.

    python -m tests.recorder.portal record OUT.jsonl [--portal NAME] [--only PATTERN]
    python -m tests.recorder.portal compare BEFORE.jsonl AFTER.jsonl [--all]

Of each of the prepared ``portals``, a recording has the rows that each step changes, each page as
each role gets it, the answer of each action to each role and the rows it changes, and the number of
SQL statements that pages and reading actions send to an editor. ``record`` uses the code of the
current folder and the tests' site of its stack, in which it empties everything. ``compare`` prints
what differs, grouped by kind, and exits with 1 if anything does. Recordings are not committed.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import socket
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Line = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]


def record(ini: str, portal: str, only: str) -> Iterator[Line]:
    """Yield the lines of a recording."""
    _make_repeatable()
    from ckan.cli import load_config
    from ckan.config.middleware import make_app

    _keep_templates()
    app = make_app(load_config(ini))
    import ckanext.ukharvest

    (code,) = {Path(each).resolve().parents[1] for each in ckanext.ukharvest.__path__}
    if code != ROOT:
        raise SystemExit(f"the code of {code} would be recorded, not that of {ROOT}")
    from tests.recorder import visits

    yield from visits.record(app, portal, only)


def _keep_templates() -> None:
    """Compile each template once for all recordings: it takes longer than all else of a page."""
    from ckan.lib import jinja_extensions
    from jinja2 import FileSystemBytecodeCache
    from stack.paths import make_folder

    gc.set_threshold(10_000, 20, 50)
    real = jinja_extensions.get_jinja_env_options

    def options() -> dict[str, Any]:
        found: dict[str, Any] = real()
        # A template's path decides what it extends.
        paths = hashlib.sha256("\n".join(found["loader"].searchpath).encode()).hexdigest()
        folder = make_folder("cache", "templates", paths)
        return {**found, "bytecode_cache": FileSystemBytecodeCache(str(folder))}

    jinja_extensions.get_jinja_env_options = options


def _make_repeatable() -> None:
    """Let ids follow each other, and names of examples not be looked for in the network."""
    count = iter(range(1, 1 << 40))
    uuid.uuid4 = lambda: uuid.UUID(int=next(count) << 80 | 0x4000 << 64 | 0x8000 << 48)  # type: ignore[assignment]
    resolve = socket.getaddrinfo

    def resolve_no_example(host: Any, *args: Any, **more: Any) -> Any:
        if str(host).endswith((".example", ".net", ".org", ".com", ".uk")):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return resolve(host, *args, **more)

    socket.getaddrinfo = resolve_no_example


def _prepared_ini() -> tuple[str, str]:
    """Start the services of this checkout's stack; return the tests' site's ini and its name."""
    from stack import testing
    from stack.site import Site, start_services

    site = Site()
    start_services(site.instance)
    site.ensure()
    ini = site.write_test_ini()
    testing._migrate(site, ini)
    return str(ini), site.name


def main() -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(prog="tests.recorder.portal", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record")
    recording.add_argument("out", type=Path)
    recording.add_argument("--portal", default="", help="only this one")
    recording.add_argument("--only", default="", help="pages and actions that a pattern matches")
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--all", action="store_true", help="not only three of each kind")
    given = parser.parse_args()
    if given.command == "compare":
        from tests.recorder import comparing as comparisons

        return int(comparisons.compare(given.before, given.after, show_all=given.all))
    sys.path.insert(0, str(ROOT / "dev"))
    from stack.state import locked

    with locked():
        ini, site = _prepared_ini()
    with locked(site, waiting="tests use the same database"), given.out.open("w") as file:
        for line in record(ini, given.portal, given.only):
            file.write(json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n")
            file.flush()
    sys.stdout.flush()
    os._exit(0)  # threads of CKAN's and of the consumers' stay


if __name__ == "__main__":
    sys.exit(main())
