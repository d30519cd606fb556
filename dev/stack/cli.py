"""The command bin/stack."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil

from . import venv
from .console import command, tail
from .paths import CKAN_VERSIONS, DEFAULT_CKAN, MEMORY, STACK, log_file
from .process import Daemon
from .site import PURPOSES, Site, all_services, ensure_site
from .state import locked

STARTED = ("test", "demo")  # sites that `bin/stack start` makes
# Settings → the variables in which CKAN looks for them before it looks into its ini.
VARIABLES = {
    "sqlalchemy.url": "CKAN_SQLALCHEMY_URL",
    "ckan.redis.url": "CKAN_REDIS_URL",
    "solr_url": "CKAN_SOLR_URL",
    "ckan.site_id": "CKAN_SITE_ID",
    "ckan.storage_path": "CKAN_STORAGE_PATH",
}
DESCRIPTION = f"""\
The services that the extension needs: PostgreSQL, Redis and Solr, on loopback, with all
their files in one folder ({STACK}; UKHARVEST_STACK names another one). Stop them
before you delete it. The demo has one of each, and the tests one of each for every version
of CKAN.

bin/stack env prints the variables with which a CKAN or a pytest that you start by hand uses them:
  eval "$(bin/stack env --purpose test)"
  {venv.folder()}/bin/pytest --ckan-ini=test.ini tests/ckan/harvest/batch/test_import_stage.py
"""


@command
def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    return int(options.run(options) or 0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "bin/stack", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    start = commands.add_parser("start", help="install what is missing, and start")
    start.add_argument("--ckan", choices=CKAN_VERSIONS, default=DEFAULT_CKAN)
    start.set_defaults(run=_start)

    stop = commands.add_parser("stop", help="stop the services and the demo; their data stays")
    stop.set_defaults(run=_stop)

    status = commands.add_parser("status", help="what runs, and where; exit code 3 unless all do")
    status.set_defaults(run=_status)

    logs = commands.add_parser("logs", help="the end of each service's log, or of one log")
    logs.add_argument("name", nargs="?", help="postgres, redis-test-2.12, or another file in logs/")
    logs.add_argument("-f", "--follow", action="store_true", help="go on as the log grows")
    logs.add_argument("-n", "--lines", type=int, default=20)
    logs.set_defaults(run=_logs)

    env = commands.add_parser("env", help="a site's URLs as CKAN's variables, for eval")
    env.add_argument("--ckan", choices=CKAN_VERSIONS, default=DEFAULT_CKAN)
    env.add_argument("--purpose", choices=PURPOSES, default="demo")
    env.set_defaults(run=_env)
    return parser


def _start(options: argparse.Namespace) -> None:
    with locked():
        for purpose in STARTED:
            ensure_site(options.ckan, purpose)
    _status(options)


def _stop(options: argparse.Namespace) -> None:
    with locked():
        _stop_guests()
        for service in reversed(all_services()):
            service.stop()
        shutil.rmtree(MEMORY, ignore_errors=True)


def _stop_guests() -> None:
    """Stop processes that use the services, such as the demo's site and consumers."""
    ours = {service.name for service in all_services()}
    for path in sorted((STACK / "run").glob("*.pid")):
        if path.stem not in ours:
            Daemon(path.stem).stop()


def _status(options: argparse.Namespace) -> int:
    print(f"{'folder':<22} {STACK}")
    for ckan in CKAN_VERSIONS:
        folder = venv.folder(ckan)
        made = (folder / "stamp-requirements").is_file()
        print(f"{f'CKAN {ckan}':<22} {folder if made else 'not made'}")
    down = 0
    for service in all_services():
        running = service.is_running()
        down += not running
        address = service.location if running else ""
        print(f"{service.title:<22} {service.status(running=running):<32} {address}".rstrip())
    return 3 if down else 0


def _logs(options: argparse.Namespace) -> None:
    names = [options.name] if options.name else [service.name for service in all_services()]
    paths = [log_file(name) for name in names]
    if options.follow:
        os.execvp("tail", ["tail", "-n", str(options.lines), "-F", *map(str, paths)])
    for path in paths:
        print(f"==> {path} <==\n{tail(path, options.lines)}\n")


def _env(options: argparse.Namespace) -> None:
    settings = Site(options.ckan, options.purpose).settings()
    for setting, variable in VARIABLES.items():
        print(f"export {variable}={shlex.quote(settings[setting])}")
