"""A portal with stock harvesters only: an ini and processes of its own, without our plugins.

The processes run ckanext-harvest, ckanext-dcat and ckanext-spatial as they are installed, with
the least help that they need on today's Python and redis-py:

- ``?socket_timeout=86400`` on ``ckan.redis.url``: without it the stock consumers end after 5
  seconds without a message (ckanext-harvest issue 581).
- ckanext-spatial 2.3.2 looks for ``<xml …>`` where it means ``<?xml …?>``, and so cannot import a
  document that has an XML declaration, which its CSW harvester puts before each record itself.
  ``STOCK_PROGRAM`` gives it back the pattern of the releases before, and nothing else.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import sqlalchemy as sa
from ckan import model
from ckanext.harvest import queue

from tests.ckan.harvesting import Consumers, write_ini
from tests.ckan.processes import PROGRAM, Process

STOCK_PLUGINS = (
    "harvest ckan_harvester dcat dcat_rdf_harvester dcat_json_harvester "
    "spatial_metadata waf_harvester csw_harvester doc_harvester"
)
# What ckanext-spatial and ckanext-dcat do besides harvesting, a portal keeps.
OUR_PLUGINS = (
    "ukharvest ukharvest_data_json ukharvest_dkan ukharvest_dcat_rdf ukharvest_gemini_csw "
    "ukharvest_gemini_single ukharvest_gemini_waf ukharvest_inventory ukharvest_ckan "
    "harvest dcat spatial_metadata"
)
SPATIAL = {
    "ckan.spatial.validator.profiles": "iso19139eden",
    "ckanext.spatial.harvest.continue_on_validation_errors": "true",
}

# The program ``ckan`` with ckanext-spatial's pattern as it was before release 2.3.2.
STOCK_PROGRAM = r"""
import re
from ckan.cli.cli import ckan
from ckanext.spatial.harvesters import base, csw

class Pattern:
    def __getattr__(self, name):
        return getattr(re, name)

    def sub(self, pattern, *more):
        return re.sub(r"<\?xml(.*)\?>" if pattern == "<xml(.*)>" else pattern, *more)

base.re = csw.re = Pattern()
ckan(prog_name="ckan")
"""

# Makes sources by the same action as the form of a source.
CREATE_SOURCES = """
import json, sys
from ckan.cli import load_config
from ckan.config.middleware import make_app
make_app(load_config(sys.argv[1]))
from ckan import model
from ckan.plugins import toolkit as tk
user = tk.get_action("get_site_user")({"ignore_auth": True}, {})["name"]
made = []
for fields in json.load(sys.stdin):
    context = {"user": user, "model": model, "session": model.Session}
    made.append(tk.get_action("harvest_source_create")(context, fields)["id"])
print("\\n" + json.dumps(made))
"""


class Dataset(NamedTuple):
    """A dataset's identity in the database, which must not change."""

    name: str
    state: str
    resources: tuple[str, ...]


def drop_our_tables() -> None:
    """Reset the database to its state before ``ckan db upgrade -p ukharvest``."""
    model.Session.remove()
    with model.meta.engine.begin() as connection:
        names = sa.inspect(connection).get_table_names()
        for name in names:
            if name.startswith("ukharvest_"):
                connection.execute(sa.text(f'DROP TABLE "{name}" CASCADE'))


def our_tables() -> list[str]:
    """Return the names of our tables in the database."""
    names = sa.inspect(model.meta.engine).get_table_names()
    return [name for name in names if name.startswith("ukharvest_")]


def read_datasets() -> dict[str, Dataset]:
    """Return all datasets of the database by id, without any plugin."""
    statement = sa.text(
        "SELECT package.id, package.name, package.state,"
        " (SELECT array_agg(resource.id ORDER BY resource.position) FROM resource"
        "  WHERE resource.package_id = package.id AND resource.state = 'active')"
        " FROM package WHERE package.type = 'dataset'"
    )
    with model.meta.engine.connect() as connection:
        rows = connection.execute(statement).all()
    return {row[0]: Dataset(row[1], row[2], tuple(sorted(row[3] or ()))) for row in rows}


class StockPortal:
    """A sysadmin's portal: an ini, commands and two consumers.

    Args:
        ini: of the tests, for the URLs of database, Redis and Solr.
        folder: for the portal's own ini and the log of its processes.
    """

    def __init__(self, ini: str, folder: Path, redis_url: str) -> None:
        self.log = folder / "log.txt"
        self._template = ini
        self._folder = folder
        self._redis_url = redis_url
        self._program, self._begin = STOCK_PROGRAM, _begin_without_ours
        self.use(STOCK_PLUGINS)

    def use(self, plugins: str) -> None:
        """Set the line ``ckan.plugins``."""
        timeout = "&" if urlsplit(self._redis_url).query else "?"
        settings = {
            "ckan.plugins": plugins,
            "ckan.redis.url": f"{self._redis_url}{timeout}socket_timeout=86400",
            **SPATIAL,
        }
        self.ini = write_ini(self._template, settings, self._folder / "portal.ini")

    def use_ours(self) -> None:
        """Replace the stock harvesters by our plugins; the rest of the portal stays."""
        self.use(OUR_PLUGINS)
        # From here on processes may have our modules: forked ones start in less than a second.
        self._program, self._begin = PROGRAM, Process

    def ckan(self, *words: str) -> str:
        """Run ``ckan`` with the portal's ini, and return its output."""
        output = Path(mkdtemp(dir=self._folder)) / "output"
        process = self._begin(["-c", self.ini, *words], program=self._program, output=output)
        code = process.wait(600)
        text = output.read_text("utf-8")
        assert code == 0, f"ckan {' '.join(words)}: {text}"
        return text

    def create_sources(self, sources: list[dict[str, Any]]) -> list[str]:
        """Create harvest sources, and return their ids."""
        done = subprocess.run(
            [sys.executable, "-c", CREATE_SOURCES, self.ini],
            input=json.dumps(sources),
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return list(json.loads(done.stdout.splitlines()[-1]))

    def consumers(self, fetchers: int = 1) -> Consumers:
        """Return a gather consumer and fetch consumers, to be used in a ``with`` statement."""
        return Consumers(self.ini, fetchers, program=self._program, log=self.log, begin=self._begin)

    def run_all(self, consumers: Consumers, timeout: float = 900) -> dict[str, str]:
        """Harvest all sources as a sysadmin does; return the id of each source's job.

        Args:
            consumers: the portal's own, which are running.
        """
        jobs = self._start("job-all")
        deadline = time.monotonic() + timeout
        for job_id in jobs:
            consumers.wait(job_id, max(1.0, deadline - time.monotonic()))
        self.ckan("harvester", "run")
        return {source: job for job, source in jobs.items()}

    def leave_run(self, source_id: str) -> str:
        """Start a run, and stop the consumers after its gather; return the job's id."""
        with self.consumers(fetchers=0):
            (job_id,) = self._start("job", source_id)
            # Messages are sent after the gather has ended.
            wait_for(lambda: _is_gathered(job_id) and _are_messages_sent(job_id))
        return job_id

    def _start(self, *words: str) -> dict[str, str]:
        """Run a command that makes jobs; return job id → source id of each."""
        before = set(_jobs())
        self.ckan("harvester", *words)
        return {job: source for job, source in _jobs().items() if job not in before}


def _begin_without_ours(words: Sequence[str], *, program: str, output: Path) -> Any:
    """Start a new interpreter's process: it has none of our modules and tables."""
    with output.open("ab") as file:
        # It ends with the tests, however they end, so that no consumer outlives them.
        command = ["setpriv", "--pdeathsig", "TERM", sys.executable, "-c", program, *words]
        return subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)


def wait_for(is_so: Callable[[], bool], timeout: float = 300) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + timeout
    while not is_so():
        assert time.monotonic() < deadline, f"not so in {timeout} s"
        time.sleep(0.2)


def _is_gathered(job_id: str) -> bool:
    query = sa.text("SELECT gather_finished IS NOT NULL FROM harvest_job WHERE id = :id")
    with model.meta.engine.connect() as connection:
        return bool(connection.execute(query, {"id": job_id}).scalar())


def _are_messages_sent(job_id: str) -> bool:
    query = sa.text("SELECT count(*) FROM harvest_object WHERE harvest_job_id = :id")
    with model.meta.engine.connect() as connection:
        objects = connection.execute(query, {"id": job_id}).scalar()
    consumer = queue.get_fetch_consumer()
    return bool(consumer.redis.llen(consumer.routing_key) >= objects)


def _jobs() -> dict[str, str]:
    with model.meta.engine.connect() as connection:
        rows = connection.execute(sa.text("SELECT id, source_id FROM harvest_job")).all()
    return {row[0]: row[1] for row in rows}
