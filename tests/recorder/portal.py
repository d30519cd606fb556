"""Record what a portal answers and stores, and compare the recordings of two versions of the code.

    python -m tests.recorder.portal record OUT.jsonl [--portal NAME] [--only PATTERN]
    python -m tests.recorder.portal compare BEFORE.jsonl AFTER.jsonl [--all]
    python -m tests.recorder.portal languages OUT.json [--portal NAME]

Of each of the prepared ``portals``, a recording has the rows that each step changes, each page as
each role gets it, the answer of each action to each role and the rows it changes, and the number of
SQL statements that pages and reading actions send to an editor. ``record`` uses the code of the
current folder and the tests' site of its stack, in which it empties everything. ``compare`` prints
what differs, grouped by kind, and exits with 1 if anything does. Recordings are not committed.
``languages`` lists what people read in English on pages of other languages.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import importlib.util
import json
import os
import socket
import sys
import tempfile
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import ckanext
from tests.recorder import command

Line = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]


def record(ini: str, portal: str, only: str) -> Iterator[Line]:
    """Yield the lines of a recording."""
    app = _make_app(ini)
    from tests.recorder import visits

    yield from visits.record(app, portal, only)


def _read_languages(ini: Path, portal: str, out: Path) -> None:
    from tests.recorder import languages

    with tempfile.TemporaryDirectory() as folder:
        app = _make_app(str(languages.offer(ini, Path(folder))))
        found = languages.read(app, portal or "small")
    out.write_text(json.dumps(found, ensure_ascii=False, indent=1), encoding="utf-8")


def _make_app(ini: str) -> Any:
    _make_repeatable()
    _use_own_code()
    from ckan.cli import load_config
    from ckan.config.middleware import make_app

    _keep_templates()
    app = make_app(load_config(ini))
    from ckanext.ukharvest.harvest.gather import previews

    previews.LATELY = timedelta(0)
    return app


def _use_own_code() -> None:
    """Import the extension from this checkout, whichever one is installed."""
    folder = ROOT / "ckanext" / "ukharvest"
    spec = importlib.util.spec_from_file_location(
        "ckanext.ukharvest", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec
    assert spec.loader
    sys.modules[spec.name] = ckanext.ukharvest = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(ckanext.ukharvest)


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


@contextlib.contextmanager
def _prepared_ini() -> Iterator[str]:
    """Start the services of this checkout's stack; yield the ini of the tests' site."""
    from stack import testing
    from stack.site import Site, start_services
    from stack.state import locked

    site = Site()
    with locked():
        start_services(site.instance)
        site.ensure()
    with locked(site.name, waiting="tests use the same database"):
        ini = site.write_test_ini()
        testing._migrate(site, ini)
        yield str(ini)


def main() -> int:
    """Run the command and return its exit code."""
    parser, recording, languages = command.parsers("tests.recorder.portal", __doc__, "languages")
    for each in (recording, languages):
        each.add_argument("--ini", help="of tests; default: the tests' site of the stack")
        each.add_argument("--portal", default="", help="only this one")
    recording.add_argument("--only", default="", help="pages and actions that a pattern matches")
    given = parser.parse_args()
    if given.command == "compare":
        from tests.recorder import comparing as comparisons

        return int(comparisons.compare(given.before, given.after, show_all=given.all))
    if os.environ.get("PYTHONHASHSEED") != "0":  # the order of sets is stored in places
        words = [sys.executable, "-m", "tests.recorder.portal", *sys.argv[1:]]
        os.execve(sys.executable, words, {**os.environ, "PYTHONHASHSEED": "0"})
    sys.path.insert(0, str(ROOT / "dev"))
    with contextlib.ExitStack() as stack:
        ini = given.ini or stack.enter_context(_prepared_ini())
        if given.command == "languages":
            _read_languages(Path(ini), given.portal, given.out)
        else:
            command.write(given.out, record(ini, given.portal, given.only))
    sys.stdout.flush()
    os._exit(0)  # threads of CKAN's and of the consumers' stay


if __name__ == "__main__":
    sys.exit(main())
