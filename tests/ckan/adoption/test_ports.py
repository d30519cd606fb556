"""Portals filled by harvesters of their own are moved over with the ports beside this module.

Real consumers run each: the whole move is tried, then one type is moved, then all, and then all
goes back. No id, name, visibility or file of a dataset changes, and the trial says what the runs
then do.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from ckan import model
from ckan.common import config
from ckan.tests import factories
from ckanext.dcat.harvesters import DCATJSONHarvester, DCATRDFHarvester
from ckanext.harvest import queue
from ckanext.harvest.harvesters import CKANHarvester
from ckanext.harvest.model import HarvestSource
from ckanext.spatial.harvesters import WAFHarvester

from ckanext.ukharvest.cli import ukharvest
from ckanext.ukharvest.core.dataset_changes import DATASET, list_changes
from ckanext.ukharvest.harvest.model import Change, Record
from tests.ckan.adoption import hook_calls
from tests.ckan.adoption.moving_portals import RECORDS, SPATIAL, TABLE, Place
from tests.ckan.forms import portal_with
from tests.ckan.harvesting import Consumers, Portal, figures, write_ini

pytestmark = pytest.mark.in_process

PORTS = Path(__file__).parent / "ports"
FOLDERS = [str(PORTS), str(Path(__file__).parents[1] / "second_package")]
# Port → most lines of it that a portal has to write.
MOST_LINES = {"finland": 50, "germany": 30, "switzerland": 30, "victoria": 30}


@pytest.fixture(autouse=True)
def installed(clean: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The portals' extensions are installed.

    No test before has left an instance of a stock harvester, which CKAN takes for that of each of
    its subclasses.
    """
    for stock in (CKANHarvester, DCATJSONHarvester, DCATRDFHarvester, WAFHarvester):
        for cls in (each for each in stock.mro() if "_instance" in vars(each)):
            monkeypatch.delattr(cls, "_instance")
    for folder in FOLDERS:
        monkeypatch.syspath_prepend(folder)


@contextmanager
def loaded(plugins: Sequence[str], settings: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Load plugins; yield the settings of processes that have them too."""
    own = {**SPATIAL, **settings}
    with portal_with("", *plugins, **own):
        yield {**own, "ckan.plugins": " ".join(config["ckan.plugins"])}


State = dict[str, tuple[str, bool, str, dict[str, str]]]


def state(portal: Portal) -> State:
    """Return id of each dataset → name, visibility, owner, and id of each file → its URL."""
    return {
        each["id"]: (
            each["name"],
            each["private"],
            each["owner_org"],
            {file["id"]: file["url"] for file in each["resources"]},
        )
        for each in portal.datasets()
    }


def adopt(cli: Any, *words: str) -> str:
    done = cli.invoke(ukharvest, ["adopt", *words])
    assert done.exit_code == 0, done.output
    assert "Failed" not in done.output
    return str(done.output)


def dry_run(source_id: str) -> dict[str, Any]:
    """Return the figures of a dry run as those of a run; the form refuses nothing."""
    source = HarvestSource.get(source_id)
    result = queue.get_harvester(source.type).dry_run(source, lambda *_: True)
    model.Session.remove()
    assert result["refused"]["records"] == 0, result["refused"]
    changes = result["changes"]
    return {key: changes[key] for key in ("added", "updated") if changes.get(key)}


def tried(path: Path) -> dict[str, Counter[str]]:
    """Return what a trial of the move has found: name of a source → what, or field → datasets."""
    found: dict[str, Counter[str]] = {}
    with path.open(newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            counts = found.setdefault(row["source"], Counter())
            if row["what"] == "file goes":
                counts[row["old"]] += 1
            else:
                counts[row["field"] or row["what"]] = int(row["number"])
    return {name: +counts for name, counts in found.items()}


def happened(source_id: str, ran: Mapping[str, int], before: State, after: State) -> Counter[str]:
    """Return the same of the only run of a source."""
    query = model.Session.query(Record.package_id, Change.fields).filter(
        Record.id == Change.record_id, Record.source_id == source_id, Change.kind == "updated"
    )
    changes = dict(query.all())
    counts: Counter[str] = Counter(changed=len(changes), new=ran.get("added", 0))
    counts["unchanged"] = ran.get("updated", 0) - len(changes)
    for fields in changes.values():
        counts.update(
            {
                row["field"] + ("" if row["of"] == DATASET else " (of files)")
                for row in fields
                if "field" in row  # not that it is private
            }
        )
    of_source = model.Session.query(Record.package_id).filter_by(source_id=source_id)
    for (id_,) in of_source.filter(Record.package_id.in_(before)):
        gone = before[id_][3].keys() - after[id_][3]
        counts.update(before[id_][3][file] for file in gone)
    return +counts


@pytest.mark.parametrize("port", MOST_LINES)
def test_ports_are_as_short_as_they_promise(port: str) -> None:
    lines = (PORTS / f"{port}.py").read_text("utf-8").splitlines()
    assert len([line for line in lines if line.strip()]) <= MOST_LINES[port]


@pytest.mark.parametrize("name", TABLE)
def test_portal_moves_over_and_back(
    portal: Portal, cli: Any, ini: str, tmp_path: Path, name: str
) -> None:
    factories.Organization(name="wold-mapping-board")
    factories.Group(name="transport")
    port, calls = TABLE[name], tmp_path / "calls"
    hooks = [row.hook for row in port.rows if row.hook]
    program = hook_calls.counting_program(FOLDERS, hooks, calls)
    with ExitStack() as stack:
        place = Place(port, portal, stack)
        with loaded(port.before, port.settings):
            place.make_sources()
            place.fill()
            filled = {each["id"]: each for each in portal.datasets()}
            before = state(portal)
        assert len(before) == RECORDS * len(port.rows)
        with loaded(port.after, port.settings) as settings:
            own_ini = write_ini(ini, settings, tmp_path / "portal.ini")
            log = tmp_path / "consumers.log"
            with Consumers(own_ini, program=program, log=log) as consumers:

                def run(source_id: str) -> dict[str, int]:
                    return figures(consumers.run(source_id))

                plan = tmp_path / "move.csv"
                adopt(cli, "--all", "--dry-run", "--read", "--output", str(plan))
                assert state(portal) == before
                for number, (row, source) in enumerate(zip(port.rows, place.sources, strict=True)):
                    adopt(cli, "--all" if number else "source-0")
                    expected = dry_run(source)
                    calls.unlink(missing_ok=True)
                    ran = run(source)
                    asked = hook_calls.take_calls(calls)
                    after = state(portal)
                    plans = tried(plan)[f"source-{number}"]
                    assert happened(source, ran, before, after) == plans
                    left_out = ran.pop("not modified", 0)
                    assert (ran, left_out) == (expected, row.left_out)
                    if row.hook:
                        assert set(asked.values()) == {1}
                        assert len(asked) == sum(ran.values()) + left_out
                    if not number and port.before == port.after:
                        # The others go on with the harvesters of before.
                        assert HarvestSource.get(place.sources[1]).type == port.rows[1].theirs
                        assert "errored" not in run(place.sources[1])
                after = state(portal)
                assert {id_: row[:3] for id_, row in after.items()} == {
                    id_: row[:3] for id_, row in before.items()
                }
                for source in place.sources:
                    assert set(run(source)) == {"not modified"}
                port.check(place, run)
            for number in range(len(port.rows)):
                adopt(cli, f"source-{number}", "--undo")
        with loaded(port.before, port.settings):
            restored = {each["id"]: each for each in portal.datasets()}
            for id_, as_filled in filled.items():
                assert list_changes(as_filled, restored[id_], lambda _field, text: text) == []
                files = [[f["id"] for f in d["resources"]] for d in (as_filled, restored[id_])]
                assert files[0] == files[1]
            known = state(portal)
            place.fill(again=True)
            assert state(portal).keys() == known.keys()
