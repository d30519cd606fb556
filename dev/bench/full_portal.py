"""A portal with 500 sources and 100,000 records: its pages, its stars, and its export."""

from __future__ import annotations

from stack.console import say, step

from .cases import LIMIT, OUR_TYPES, Bench, Case, Side, Target
from .catalogues import fetch
from .portals import Inside

SOURCES, RECORDS = 500, 100_000
SECONDS = 1.0  # for a page
# Of the process that exports all datasets in all formats.
EXPORT_MEGABYTES, EXPORT_MINUTES = 200, 25
EXPORT_FORMATS = "data_json jsonl turtle ntriples"
_NAME = "county"


class FullPortal:
    """The cases; the sources are copies of one that was harvested, so it comes last."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        of = f"{SOURCES} sources and {RECORDS:,} records"
        self._title = f"Pages with {of}, for a sysadmin"
        self._stars = Case(f"Stars of openness, {RECORDS:,} datasets", "datasets/s")
        limit = Target("memory", "", EXPORT_MEGABYTES, at_most=True)
        self._export = Case(f"Export of {RECORDS:,} datasets: memory", "MB", [limit])
        limit = Target("time", "", EXPORT_MINUTES, at_most=True)
        title = f"Export of {RECORDS:,} datasets: time of one core"
        self._export_time = Case(title, "minutes", [limit])
        self.titles = [
            *(self._title, self._stars.title, self._export.title, self._export_time.title)
        ]

    def measure(self) -> list[Case]:
        """Fill the portal, and measure."""
        with self._bench.ours.inside() as inside:
            source = self._fill(inside)
            with step(self._title):
                pages = self._pages(inside, source)
            with step(self._stars.title):
                rates = inside.ask("stars")["rates"]
        self._stars.sides = {name: Side([rate]) for name, rate in rates.items()}
        self._measure_export()
        return [pages, self._stars, self._export, self._export_time]

    def _measure_export(self) -> None:
        # In a process of its own, whose peak is that of the export.
        formats = {"ckanext__ukharvest__export__formats": EXPORT_FORMATS}
        with self._bench.ours.inside(**formats) as inside, step(self._export.title):
            found = inside.ask("export_catalogue")
        say(f"    {found['datasets']:,} datasets in {found['seconds']:.0f} s")
        self._export.sides = {"memory": Side([found["peak MB"]])}
        self._export_time.sides = {"time": Side([found["cpu seconds"] / 60])}

    def _fill(self, inside: Inside) -> str:
        bench, count = self._bench, RECORDS // SOURCES
        url = bench.catalogues.serve("data.json", _NAME, count)
        kind = OUR_TYPES["data.json"]
        source = str(inside.ask("source", name=_NAME, url=url, kind=kind)["id"])
        with bench.ours.consumers(2), step(f"First harvest of {count} records"):
            inside.ask("harvest", source_id=source, limit=LIMIT)
        with step(f"{SOURCES - 1} copies of the source"):
            inside.ask("copy", source_id=source, copies=SOURCES - 1)
        return source

    def _pages(self, inside: Inside, source: str) -> Case:
        name = f"{_NAME}-{SOURCES - 1}"
        [[run, record, dataset]] = inside.ask(
            "sql",
            statement="SELECT last_seen_job_id, record.id, package.name FROM ukharvest_record"
            " AS record JOIN package ON package.id = package_id"
            f" WHERE source_id = '{source}-{SOURCES - 1}' ORDER BY record.id LIMIT 1",
        )["rows"]
        paths = {
            "sources": "/harvest",
            "sources found by a word": "/harvest?q=county",
            "dashboard": "/ckan-admin/ukharvest",
            "source": f"/harvest/{name}",
            "its datasets": f"/harvest/{name}/datasets",
            "its runs": f"/harvest/{name}/job",
            "a run": f"/harvest/{name}/job/{run}",
            "its problems": f"/harvest/{name}/problems",
            "its problems as CSV": f"/harvest/{name}/problems.csv",
            "pending deletions": f"/harvest/{name}/deletions",
            "a record": f"/harvest/{name}/record/{record}",
            "the source's form": f"/harvest/edit/{name}",
            "stars": "/harvest/stars",
            "dataset": f"/dataset/{dataset}",
            "the record as harvested": f"/dataset/{dataset}/source-record",
            "its changes": f"/dataset/{dataset}/harvest-changes",
            "datasets": "/dataset/",
            "organisation": "/organization/bench",
        }
        seconds = inside.ask("pages", paths=list(paths.values()))["seconds"]
        found = {each: seconds[path] for each, path in paths.items()}
        slowest = max(found, key=lambda each: found[each])
        say(f"    slowest: {slowest}, {found[slowest]:.2f} s")
        sides = {each: Side([found[each]]) for each in sorted(found, key=lambda e: -found[e])}
        return Case(self._title, "seconds", [Target(slowest, "", SECONDS, at_most=True)], sides)


def gemini_rules(bench: Bench) -> Case:
    """Measure how many records a second are parsed, and what the standard's rules cost."""
    case = Case("GEMINI records parsed in one process", "records/s")
    url = bench.catalogues.serve("folder", "rules", bench.size)
    documents = [fetch(f"{url}{number}.xml") for number in range(bench.size)]
    with bench.ours.inside() as inside, step(case.title):
        for _round in range(bench.rounds):
            for name, rate in inside.ask("gemini", documents=documents)["rates"].items():
                case.sides.setdefault(name, Side()).values.append(rate)
    return case
