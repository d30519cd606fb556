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

from stack.console import StackError, say, step
from stack.paths import ROOT, make_folder
from stack.site import ensure_site

from .cases import Plan, sides_of
from .portals import OURS, Catalogues, Consumers, Inside, Portal
from .results import Case, Target

NOW, BEFORE = "this checkout", "the older commit"
NOT_SLOWER = [Target(NOW, BEFORE, 0.95)]  # as far as a machine measures the same twice
SETTINGS = {
    "ckanext__ukharvest__delete__after_runs": "1",
    "ckanext__ukharvest__delete__max_share": "1",
}
FORMAT = "data.json"
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
def worktree(ckan: str, commit: str, catalogues: Catalogues) -> Iterator[Portal]:
    """Check an older commit out, and give it a portal."""
    folder = make_folder("against", commit) / "checkout"
    _git("worktree", "add", "--force", "--detach", str(folder), commit)
    try:
        (folder.parent / "sitecustomize.py").write_text(
            SITE.format(package=str(folder / "ckanext" / "ukharvest"))
        )
        site = ensure_site(ckan, "bench-older")
        yield Portal(site, OURS, catalogues, {"PYTHONPATH": str(folder.parent)})
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
        for side in list(sides)[:: -1 if number % 2 else 1]:
            with step(f"Round {number + 1}: {side}"):
                _Harvest(titled, side, sides[side], catalogues, size).run(number)


@dataclass
class _Harvest:
    """One source, harvested again and again on one side; cases by title."""

    cases: Mapping[str, Case]
    side: str
    portal: Portal
    catalogues: Catalogues
    size: int

    def run(self, number: int) -> None:
        size, few, some = self.size, self.size * 3 // 5, self.size // 100
        name = self.catalogues.new_name()
        with self.portal.inside(**SETTINGS) as inside:
            take = partial(self._take, inside)
            with self.portal.consumers(1, 0, **SETTINGS) as consumers:
                inside.warm_up(FORMAT)
                source = inside.source(FORMAT, size, name=name)
                take(consumers, "First harvest", source, {"added": size})
                take(consumers, "Nothing changed", source, {})
                self.catalogues.serve(FORMAT, name, size, changed=some)
                take(consumers, "1 % changed", source, {"updated": some})
                other = inside.source(FORMAT, size, untitled=True)
                take(consumers, "Failed records", other, {"errored": size})
                rules = '{"exclude_values": ["keyword:wards"]}'
                other = inside.source(FORMAT, size, config=rules)
                take(consumers, "Skipped records", other, {"not modified": size})
                self.catalogues.serve(FORMAT, name, few, changed=some)
                take(consumers, "Deleted records", source, {"deleted": size - few})
            with self.portal.consumers(1, number + 1, **SETTINGS) as consumers:
                inside.warm_up(FORMAT)
                take(consumers, "Upgrade night", source, None)

    def _take(
        self,
        inside: Inside,
        consumers: Consumers,
        title: str,
        source: str,
        figures: dict[str, int] | None,
    ) -> None:
        """Run the source and note what it cost; ``figures``: of its objects, None for any."""
        active = self._active()
        seconds, counts = consumers.counted(lambda: inside.harvest(source, figures))
        counts["PostgreSQL ms"] = self._active() - active
        number, side = (figures or {}).get("deleted", self.size), self.cases[title].sides[self.side]
        side.add(self.size / seconds, counts, number)
        say(f"    {title}: {side.values[-1]:,.1f} records/s")

    def _active(self) -> float:
        time.sleep(PAUSE)
        return float(self.portal.sql(ACTIVE).strip())
