"""This checkout beside an older commit, by turns in one run: what each step of a harvest costs.

The older side is a worktree with a portal of its own. Its processes load the extension from there.
"""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from stack.console import StackError, say, step
from stack.paths import ROOT, make_folder
from stack.site import ensure_site

from .cases import LIMIT, Plan, check, sides_of
from .portals import OURS, Catalogues, Consumers, Inside, Portal
from .results import Case, Target

NOW, BEFORE = "this checkout", "the older commit"
NOT_SLOWER = [Target(NOW, BEFORE, 0.95)]  # as far as a machine measures the same twice
SETTINGS = {
    "ckanext__ukharvest__delete__after_runs": "1",
    "ckanext__ukharvest__delete__max_share": "1",
}
PAUSE = 1.5  # seconds after which PostgreSQL has added up what its processes did
ACTIVE = "SELECT active_time FROM pg_stat_database WHERE datname = current_database()"
# Loaded by each Python: the finder of the editable installation then finds the other checkout.
SITE = """\
import importlib, pathlib, sys
for path in sys.path:
    for finder in pathlib.Path(path or ".").glob("__editable___ckanext_ukharvest*_finder.py"):
        importlib.import_module(finder.stem).MAPPING["ckanext.ukharvest"] = {package!r}
"""
TITLES = (
    *("First harvest", "Nothing changed", "1 % changed"),
    *("Upgrade night", "Failed records", "Skipped records", "Deleted records"),
)


@contextlib.contextmanager
def worktree(ckan: str, commit: str) -> Iterator[Portal]:
    """Check an older commit out, and give it a portal."""
    folder = make_folder("against", commit) / "checkout"
    _git("worktree", "add", "--force", "--detach", str(folder), commit)
    try:
        (folder.parent / "sitecustomize.py").write_text(
            SITE.format(package=str(folder / "ckanext" / "ukharvest"))
        )
        site = ensure_site(ckan, "bench-older")
        yield Portal(site, OURS, {"PYTHONPATH": str(folder.parent)})
    finally:
        _git("worktree", "remove", "--force", str(folder))


def _git(*words: str) -> None:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StackError(f"git {words[0]} failed: {done.stderr.strip()}")


def plan(now: Portal, before: Portal, catalogues: Catalogues, size: int, rounds: int) -> Plan:
    """Return the cases, which are measured together."""
    cases = [
        Case(f"{title}, {size:,} records", "records/s", NOT_SLOWER, sides_of(NOW, BEFORE))
        for title in TITLES
    ]
    sides = {NOW: now, BEFORE: before}
    return Plan(cases, partial(_measure, cases, sides, catalogues, size, rounds))


def _measure(
    cases: list[Case], sides: dict[str, Portal], catalogues: Catalogues, size: int, rounds: int
) -> None:
    titled = dict(zip(TITLES, cases, strict=True))
    for number in range(rounds):
        order = list(sides)[:: -1 if number % 2 else 1]
        for name in order:
            harvest = _Harvest(titled, name, sides[name], catalogues, size, number)
            with step(f"Round {number + 1}: {name}"):
                harvest.run()


@dataclass
class _Harvest:
    """One source, harvested again and again on one side.

    Attributes:
        cases: by title.
        number: of the round.
    """

    cases: Mapping[str, Case]
    side: str
    portal: Portal
    catalogues: Catalogues
    size: int
    number: int

    @property
    def name(self) -> str:
        return f"{self.side.replace(' ', '-')}-{self.number}"

    def run(self) -> None:
        size, few = self.size, self.size * 3 // 5
        with self.portal.inside(**SETTINGS) as inside:
            source = self._source(inside, self.name)
            with self.portal.consumers(1, 0, **SETTINGS) as consumers:
                self._warm_up(inside)
                self._take("First harvest", inside, consumers, source, {"added": size})
                self._take("Nothing changed", inside, consumers, source, {})
                self._serve(self.name, size, changed=size // 100)
                self._take("1 % changed", inside, consumers, source, {"updated": size // 100})
                other = self._source(inside, f"{self.name}-untitled", untitled=True)
                self._take("Failed records", inside, consumers, other, {"errored": size})
                rules = '{"exclude_values": ["keyword:wards"]}'
                other = self._source(inside, f"{self.name}-skipped", config=rules)
                self._take("Skipped records", inside, consumers, other, {"not modified": size})
                self._serve(self.name, few, changed=size // 100)
                figures = {"deleted": size - few}
                self._take("Deleted records", inside, consumers, source, figures)
            with self.portal.consumers(1, self.number + 1, **SETTINGS) as consumers:
                self._warm_up(inside)
                self._take("Upgrade night", inside, consumers, source, None)

    def _serve(self, name: str, count: int, **more: Any) -> str:
        return self.catalogues.serve("data.json", name, count, **more)

    def _source(self, inside: Inside, name: str, config: str = "", **more: Any) -> str:
        url = self._serve(name, self.size, **more)
        wanted = {"name": name, "url": url, "kind": "data_json", "config": config}
        return str(inside.ask("source", **wanted)["id"])

    def _warm_up(self, inside: Inside) -> None:
        name = f"{self.name}-warm-{time.monotonic_ns()}"
        url = self._serve(name, 3)
        source = inside.ask("source", name=name, url=url, kind="data_json", config="")["id"]
        inside.ask("harvest", source_id=source, limit=LIMIT)

    def _take(
        self,
        title: str,
        inside: Inside,
        consumers: Consumers,
        source: str,
        figures: dict[str, int] | None,
    ) -> None:
        """Run the source and note what it cost; ``figures``: of its objects, None for any."""
        before, active = consumers.counts(), self._active()
        answer = inside.ask("harvest", source_id=source, limit=LIMIT)
        if figures is not None:
            check(answer["figures"], figures)
        after, side = consumers.counts(), self.cases[title].sides[self.side]
        side.values.append(self.size / float(answer["seconds"]))
        side.peak = max(side.peak, after["peak MB"])
        number = (figures or {}).get("deleted", self.size)
        side.per_record = {
            name: (count - before.get(name, 0)) / number
            for name, count in after.items()
            if name != "peak MB"
        }
        side.per_record["PostgreSQL ms"] = (self._active() - active) / number
        say(f"    {title}: {side.values[-1]:,.1f} records/s")

    def _active(self) -> float:
        time.sleep(PAUSE)
        return float(self.portal.sql(ACTIVE).strip())
