"""The CKAN sites that are measured: ours, and one with the harvesters that it replaces."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stack import console, venv
from stack.child import Child
from stack.console import StackError, step
from stack.paths import DEV, log_file
from stack.site import Site

HERE = Path(__file__).parent
OURS = (
    "ukharvest ukharvest_data_json ukharvest_dcat_rdf ukharvest_inventory ukharvest_gemini_waf"
    " harvest"
)
STOCK = "dcat dcat_json_harvester dcat_rdf_harvester harvest"
WITH_TABLES = ("activity", "harvest", "ukharvest")
READY_SECONDS = 60


class Portal:
    """A site with its plugins; its database and index are empty at the start.

    Args:
        purpose: "bench" or "bench-stock" (stack/site.py).
        plugins: the setting ``ckan.plugins``.
    """

    def __init__(self, site: Site, plugins: str) -> None:
        self.site = site
        self.plugins = plugins
        self.name = site.name

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
        with step(f"{self.name}: empty tables"):
            self.site.empty_database()
            ini = self.ini(activity=True)
            has_ours = "ukharvest" in self.plugins
            plugins = [each for each in WITH_TABLES if has_ours or each != "ukharvest"]
            self._ckan(
                ini,
                "db upgrade --skip-plugins",
                *(f"db upgrade -p {each}" for each in plugins),
                "search-index clear",
                "harvester purge-queues",
            )

    def _ckan(self, ini: Path, *lines: str) -> None:
        command = venv.ckan_commands(self.site.ckan, ini, *lines)
        console.run(command, log_file(self.name), env=venv.environment_of_ckan(), cwd="/")

    @contextlib.contextmanager
    def inside(self, **settings: Any) -> Iterator[Inside]:
        """Start a process inside CKAN that does what it is asked."""
        process = Inside(self, self.ini(**settings))
        try:
            yield process
        finally:
            process.stop()

    @contextlib.contextmanager
    def consumers(
        self, fetchers: int = 1, upgrades: int = 0, /, **settings: Any
    ) -> Iterator[Consumers]:
        """Start a gather consumer and fetch consumers.

        Args:
            upgrades: so many releases later, each of which raised the parsers' versions.
        """
        with Consumers(self, fetchers, self.ini(**settings), upgrades) as running:
            yield running


class Inside:
    """A process inside CKAN (inside.py)."""

    def __init__(self, portal: Portal, ini: Path) -> None:
        self._log = log_file(f"{portal.name}-inside")
        with self._log.open("a") as log:
            self._process = subprocess.Popen(
                [venv.program("python", portal.site.ckan), HERE / "inside.py", ini],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=venv.environment_of_ckan(),
                cwd="/",
            )

    def ask(self, do: str, **more: Any) -> dict[str, Any]:
        """Let it do something, and return the answer.

        Raises:
            StackError: it ended, or could not do it in time.
        """
        assert self._process.stdin
        assert self._process.stdout
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps({"do": do, **more}) + "\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        answer = json.loads(line) if line else {"error": console.tail(self._log)}
        if "error" in answer:
            raise StackError(f"bench: {do} failed: {answer}")
        return dict(answer)

    def stop(self) -> None:
        if self._process.stdin:
            self._process.stdin.close()
        self._process.wait(60)


class Consumers:
    """Consumers that count what they do (counters.py)."""

    def __init__(self, portal: Portal, fetchers: int, ini: Path, upgrades: int) -> None:
        kinds = ["gather-consumer", *["fetch-consumer"] * fetchers]
        python = venv.program("python", portal.site.ckan)
        self._stack = contextlib.ExitStack()
        self._files = []
        for number, kind in enumerate(kinds):
            file = portal.site.folder / f"counts-{number}.json"
            file.unlink(missing_ok=True)
            self._files.append(file)
            words: list[str | Path] = [
                python,
                HERE / "counters.py",
                file,
                str(upgrades),
                "-c",
                ini,
                "harvester",
                kind,
            ]
            self._stack.enter_context(
                Child(
                    words,
                    log_file(f"{portal.name}-{kind}-{number}"),
                    env=venv.environment_of_ckan(),
                )
            )
        self._wait()

    def _wait(self) -> None:
        """Wait for the first counts; connecting to the queue is their last step."""
        deadline = time.monotonic() + READY_SECONDS
        while not all(file.is_file() for file in self._files):
            if time.monotonic() > deadline:
                raise StackError("bench: the consumers did not start")
            time.sleep(0.1)

    def counts(self) -> dict[str, int]:
        """Return the sums of their counts, and the highest peak of memory."""
        time.sleep(0.5)  # until the files are current
        found = [json.loads(file.read_text()) for file in self._files]
        keys = {key for each in found for key in each}
        return {
            key: (max if key == "peak MB" else sum)(each.get(key, 0) for each in found)
            for key in keys
        }

    def __enter__(self) -> Consumers:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
