"""What is measured runs in processes: a publisher, and CKAN sites with their consumers."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from demo.api import tell
from demo.publishers import CONTROL
from stack import console, venv
from stack.child import Child
from stack.console import StackError, step
from stack.paths import DEV, log_file
from stack.postgres import Postgres
from stack.site import Site

HERE = Path(__file__).parent
OURS = (
    "ukharvest ukharvest_data_json ukharvest_dcat_rdf ukharvest_inventory ukharvest_gemini_waf"
    " harvest"
)
STOCK = "dcat dcat_json_harvester dcat_rdf_harvester harvest"
READY_SECONDS = 60
LIMIT = 3600.0  # seconds for one run
OUR_TYPES = {
    "data.json": "data_json",
    "Turtle": "dcat_rdf",
    "JSON-LD": "dcat_rdf",
    "inventory": "inventory",
    "folder": "gemini-waf",
}


class Catalogues:
    """The running publisher (serve.py) at a URL."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._number = 0

    def new_name(self) -> str:
        self._number += 1
        return f"catalogue-{self._number}"

    def serve(
        self, format_: str, name: str, count: int, *, changed: int = 0, untitled: bool = False
    ) -> str:
        """Serve a catalogue, or serve it anew; return the URL that a source names.

        Args:
            changed: so many records, from the first on and round again, have a longer description.
            untitled: no record has a title, so that each fails.
        """
        wanted = {"format_": format_, "name": name, "count": count}
        wanted |= {"changed": changed, "untitled": untitled}
        return f"{self._base}{tell(self._base + CONTROL, **wanted)}"

    def clear(self) -> None:
        """Serve nothing more."""
        tell(self._base + CONTROL)


@contextlib.contextmanager
def publisher() -> Iterator[Catalogues]:
    """Start the publisher, in the environment that has its libraries."""
    command: list[str | Path] = [venv.program("python"), "-B", HERE / "serve.py"]
    with Child(command, log_file("bench-publisher"), reads=True) as child:
        yield Catalogues(child.line())


class Portal:
    """A site with its plugins; its database and index are empty at the start.

    Args:
        purpose: "bench", "bench-stock" or "bench-older" (stack/site.py).
        plugins: the setting ``ckan.plugins``.
        more: variables of its processes' environment.
    """

    def __init__(
        self,
        site: Site,
        plugins: str,
        catalogues: Catalogues,
        more: Mapping[str, str] | None = None,
    ) -> None:
        self.site = site
        self.plugins = plugins
        self._catalogues = catalogues
        self._environment = {**venv.environment_of_ckan(), **(more or {})}

    def ini(self, *, activity: bool = False, **settings: str) -> Path:
        """Write the ini with other settings; "__" stands for a full stop in their names.

        Args:
            activity: switch CKAN's plugin on that keeps each change of a dataset.
        """
        more = {
            "SECRET_KEY": "only-for-a-benchmark",
            "ckan.site_url": "http://127.0.0.1",
            "ckan.plugins": self.plugins + (" activity" if activity else ""),
            # Neither side makes views: the stock site has no plugin that shows one.
            "ckan.views.default_views": "",
            **{key.replace("__", "."): value for key, value in settings.items()},
        }
        stock, path = DEV / "demo" / "demo.ini", self.site.folder / "bench.ini"
        return self.site.write_ini(stock, path, more, level="WARNING")

    def prepare(self) -> None:
        """Empty the database and the index, and make the tables."""
        with step(f"{self.site.name}: empty tables"):
            self.site.empty_database()
            plugins = ("activity", "harvest", *(["ukharvest"] * (self.plugins == OURS)))
            tables = ("--skip-plugins", *(f"-p {plugin}" for plugin in plugins))
            lines = [f"db upgrade {which}" for which in tables]
            lines += ["search-index clear", "harvester purge-queues"]
            command = venv.ckan_commands(self.site.ckan, self.ini(activity=True), *lines)
            console.run(command, log_file(self.site.name), env=self._environment, cwd="/")

    def sql(self, statement: str) -> str:
        """Execute a statement; return the columns of its rows between bars."""
        return Postgres().query(self.site.database_url, statement)

    @contextlib.contextmanager
    def inside(self, **settings: Any) -> Iterator[Inside]:
        """Start a process inside CKAN that does what it is asked."""
        python, log = venv.program("python", self.site.ckan), log_file(f"{self.site.name}-inside")
        command: list[str | Path] = [python, HERE / "inside.py", self.ini(**settings)]
        with Child(command, log, reads=True, env=self._environment) as child:
            yield Inside(child, self._catalogues)

    @contextlib.contextmanager
    def consumers(
        self, fetchers: int = 1, upgrades: int = 0, /, **settings: Any
    ) -> Iterator[Consumers]:
        """Start a gather consumer and fetch consumers, which count what they do (counters.py).

        Args:
            upgrades: so many releases later, each of which raised the parsers' versions.
        """
        ini, python = self.ini(**settings), venv.program("python", self.site.ckan)
        with contextlib.ExitStack() as stack:
            files = []
            for number, kind in enumerate(["gather-consumer", *["fetch-consumer"] * fetchers]):
                files.append(self.site.folder / f"counts-{number}.json")
                files[-1].unlink(missing_ok=True)
                command: list[str | Path] = [python, HERE / "counters.py", files[-1], str(upgrades)]
                command += ["-c", ini, "harvester", kind]
                log = log_file(f"{self.site.name}-{kind}-{number}")
                child = stack.enter_context(Child(command, log, env=self._environment))
            # Connecting to the queue is their last step before the first counts.
            child.wait_until(lambda: all(file.is_file() for file in files), READY_SECONDS)
            yield Consumers(files)


class Inside:
    """A process inside CKAN (inside.py)."""

    def __init__(self, child: Child, catalogues: Catalogues) -> None:
        self._child = child
        self._catalogues = catalogues

    def ask(self, do: str, **more: Any) -> dict[str, Any]:
        """Let it do something, and return the answer.

        Raises:
            StackError: it ended, or could not do it in time.
        """
        answer = json.loads(self._child.ask(json.dumps({"do": do, **more})))
        if "error" in answer:
            raise StackError(f"bench: {do} failed: {answer}")
        return dict(answer)

    def source(
        self,
        format_: str,
        count: int,
        *,
        name: str = "",
        kind: str = "",
        config: str = "",
        untitled: bool = False,
    ) -> str:
        """Serve a catalogue, a new one unless it is named; return the id of a source that names it.

        Args:
            kind: the source type, if it is not ours for the format.
            config: options of the source.
        """
        name = name or self._catalogues.new_name()
        url = self._catalogues.serve(format_, name, count, untitled=untitled)
        kind = kind or OUR_TYPES[format_]
        return str(self.ask("source", name=name, url=url, kind=kind, config=config)["id"])

    def harvest(self, source_id: str, figures: dict[str, int] | None, **more: Any) -> float:
        """Run a source through the queue and return the seconds.

        Args:
            figures: what its harvest objects have come to; None: no dataset has changed.
        """
        answer = self.ask("harvest", source_id=source_id, limit=LIMIT, **more)
        if figures is None:
            figures = {key: n for key, n in answer["figures"].items() if key == "not modified"}
        check(answer["figures"], figures)
        return float(answer["seconds"])

    def gather(self, source_id: str) -> None:
        """Start a run, and wait until all its records are gathered."""
        self.ask("harvest", source_id=source_id, limit=LIMIT, gather_only=True)

    def warm_up(self, format_: str) -> None:
        """Harvest three records, so that every consumer has loaded what it needs."""
        self.harvest(self.source(format_, 3), {"added": 3})


def check(figures: dict[str, int], expected: dict[str, int]) -> None:
    """Fail if a run did not do what is measured."""
    if figures != expected:
        raise AssertionError(f"bench: the run ended with {figures}, expected {expected}")


class Consumers:
    """Running consumers, which keep writing their counts into files."""

    def __init__(self, files: list[Path]) -> None:
        self._files = files

    def counts(self) -> dict[str, int]:
        """Return the sums of their counts, and the highest peak of memory."""
        time.sleep(0.5)  # until the files are current
        counts = [json.loads(file.read_text()) for file in self._files]
        names = {name for each in counts for name in each}
        return {
            name: (max if name == "peak MB" else sum)(each.get(name, 0) for each in counts)
            for name in names
        }

    def counted(self, run: Callable[[], float]) -> tuple[float, dict[str, float]]:
        """Run something; return its seconds, and the counts of the consumers meanwhile."""
        before = self.counts()
        seconds = run()
        after = self.counts()
        before["peak MB"] = 0
        return seconds, {key: float(after[key] - before.get(key, 0)) for key in after}
