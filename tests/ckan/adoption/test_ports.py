"""Portals filled by harvesters of their own are moved over with the ports beside this module.

Real consumers run each: the whole move is tried, then one type is moved, then all, and then all
goes back. No id, name, visibility or file of a dataset changes, and the trial says what the runs
then do.
"""

from __future__ import annotations

import csv
import importlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
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
from tests import gemini_catalogue
from tests.ckan.adoption import hook_calls
from tests.ckan.adoption.stock_harvests import of_another
from tests.ckan.adoption.takeovers import fill, is_easy
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.forms import portal_with
from tests.ckan.harvesting import Consumers, Portal, extras, figures, write_ini
from tests.ckan.remote_site import RemoteSite, package
from tests.publisher import Publisher
from tests.publishing.dcat import TURTLE
from tests.publishing.waf import folder_page

pytestmark = pytest.mark.in_process

PORTS = Path(__file__).parent / "ports"
FOLDERS = [str(PORTS), str(Path(__file__).parents[1] / "second_package")]
# Port → most lines of it that a portal has to write.
MOST_LINES = {"finland": 50, "germany": 30, "switzerland": 30, "victoria": 30}
SPATIAL = {
    "ckan.spatial.validator.profiles": "iso19139eden",
    "ckanext.spatial.harvest.continue_on_validation_errors": "true",
    # Its index of records that have not changed fails on CKAN 2.12.
    "ckanext.spatial.harvest.reindex_unchanged": "False",
}
UNCHANGED = {"reindex_unchanged": "False"}
FLUENT = {"scheming.presets": "ckanext.scheming:presets.json"}
BESIDE = {"ckanext.ukharvest.side_by_side": "true"}


@dataclass(frozen=True)
class Row:
    """A source of a portal.

    Attributes:
        serve: lets a publisher serve its records, the first so many; returns its URL.
        type, theirs: names of its type, ours and the portal's.
        harvester: who filled it, "module:Class".
        options: as the portal stored them.
        hook: what is called for each of its records, "module:Class.method"; "" for nothing.
        left_out: number of records that the portal's harvester and its port leave out.
    """

    serve: Callable[[Publisher, int], str]
    type: str
    theirs: str
    harvester: str
    options: Mapping[str, Any] = field(default_factory=dict)
    hook: str = ""
    left_out: int = 0


class Place:
    """A portal while it is moved: its sources, in the order of its rows, by their ids."""

    def __init__(self, port: Port, portal: Portal, stack: ExitStack) -> None:
        self.portal, self.port = portal, port
        self.publishers = [stack.enter_context(Publisher()) for _row in port.rows]
        self.sources: list[str] = []

    def make_sources(self) -> None:
        for number, (row, publisher) in enumerate(
            zip(self.port.rows, self.publishers, strict=True)
        ):
            url = row.serve(publisher, RECORDS)
            made = self.portal.source(url, row.type, name=f"source-{number}")
            of_another(made, row.theirs, json.dumps(row.options) if row.options else "")
            self.sources.append(made)

    def fill(self, *, again: bool = False) -> None:
        """Let the portal's own harvesters run all sources, in this process."""
        for row, source in zip(self.port.rows, self.sources, strict=True):
            cls = their(row.harvester)
            if row.left_out or again:
                # What it leaves out counts as failed, and what has not changed is "unchanged".
                methods = {"import_stage": lambda self, obj, cls=cls: _imports(cls, self, obj)}
                cls = type("All", (cls,), methods)
            # Not by its constructor: CKAN would take it for an instance of subclasses.
            read = fill(object.__new__(cls), source)
            assert again or read >= RECORDS


def _imports(cls: Any, harvester: Any, obj: Any) -> bool:
    return bool(cls.import_stage(harvester, obj)) or True


@dataclass(frozen=True)
class Port:
    """A portal: its sources, the plugins that filled it, and those that it moves with.

    Attributes:
        settings: before and after.
        check: of its own, once all is moved.
    """

    rows: Sequence[Row]
    before: Sequence[str]
    after: Sequence[str]
    settings: Mapping[str, str]
    check: Callable[[Place, Callable[[str], dict[str, int]]], None]


RECORDS = 3


def their(name: str) -> Any:
    """Return a class: "germany:GermanyPlugin"."""
    module, _colon, cls = name.partition(":")
    return getattr(importlib.import_module(module), cls)


def serve_site(publisher: Publisher, count: int) -> str:
    publisher.routes = RemoteSite([package(n) for n in range(count)])  # type: ignore[assignment]
    return publisher.base


def serve_json(**fields: Any) -> Callable[[Publisher, int], str]:
    def serve(publisher: Publisher, count: int) -> str:
        publisher.serve("/data.json", catalogue([dataset(n, **fields) for n in range(count)]))
        return publisher.url("/data.json")

    return serve


def serve_turtle(row: str, *others: str) -> Callable[[Publisher, int], str]:
    """Serve rows made of a pattern, and others."""

    def serve(publisher: Publisher, count: int) -> str:
        text = "\n".join([TURTLE, *(row.replace("{0}", str(n)) for n in range(count)), *others])
        publisher.serve("/c.ttl", text, headers={"Content-Type": "text/turtle"})
        return publisher.url("/c.ttl")

    return serve


def serve_waf(publisher: Publisher, count: int, kinds: Sequence[str] = ("dataset",)) -> str:
    """Serve a folder of GEMINI records that ckanext-spatial can read."""
    records = [
        each for each in gemini_catalogue.records() if is_easy(each.element) and each.kind in kinds
    ][:count]
    for record in records:
        content = {"Content-Type": "application/xml"}
        publisher.serve(f"/waf/{record.file}", record.element, headers=content)
    publisher.routes["/waf/"] = folder_page([record.file for record in records])
    return publisher.url("/waf/")


DCAT_HARVESTER = "ckanext.dcat.harvesters:DCATRDFHarvester"
WAF_HARVESTER = "ckanext.spatial.harvesters:WAFHarvester"
PARKS = """<https://data.example/{0}> a dcat:Dataset ; dct:title "Parks {0}" ;
 dct:description "Parks" ; dcat:keyword "transport" ; dcat:distribution
 [ a dcat:Distribution ; dcat:accessURL <https://data.example/{0}.csv> ] ."""
# The themes that data.gov.uk has today.
SLUGS = ("environment", "mapping", "transport")


def check_uk(place: Place, _run: Any) -> None:
    found = place.portal.datasets()
    themes = {each.get("theme-primary") or extras(each).get("theme-primary") for each in found}
    assert themes - {None} <= set(SLUGS), themes


UK_PLUGINS = ("slug_form", "ckan_harvester", "dcat_json_harvester", "dcat_rdf_harvester")
UK_PLUGINS += ("waf_harvester",)
UK = Port(
    [
        Row(
            serve_json(theme=["Environment"], accrualPeriodicity="R/P1M"),
            *("data_json", "dcat_json", "ckanext.dcat.harvesters:DCATJSONHarvester"),
        ),
        Row(serve_site, "ckan", "ckan", "ckanext.harvest.harvesters:CKANHarvester"),
        Row(serve_turtle(PARKS), "dcat_rdf", "dcat_rdf", DCAT_HARVESTER),
        Row(serve_waf, "gemini-waf", "waf", WAF_HARVESTER, UNCHANGED),
    ],
    UK_PLUGINS,
    UK_PLUGINS,
    {"ckanext.ukharvest.vocabularies": "data.gov.uk", **BESIDE},
    check_uk,
)

FINNISH_PLUGINS = ("like_fluent", "scheming_datasets", "finnish_spatial")
FINLAND = {
    "scheming.dataset_schemas": "finland:finland.yaml",
    "ckanext.ukharvest.hooks": "finland_before:SykeHarvester",
    **FLUENT,
}


def check_finland(place: Place, run: Callable[[str], dict[str, int]]) -> None:
    found = place.portal.datasets()
    assert {each["collection_type"] for each in found} == {"Open Data"}
    assert {each["license_id"] for each in found} == {"cc-by"}
    assert "fi" in found[0]["title_translated"]
    owners = {each["organization"]["name"] for each in found}
    assert owners >= {"wold-mapping-board"}
    # A service is left out, as their hook does.
    serve_waf(place.publishers[1], 8, ("dataset", "service"))
    ran = run(place.sources[1])
    assert ran["added"] + ran["not modified"] == 8
    assert ran["not modified"] > RECORDS


FINNISH = Port(
    [
        Row(
            *(serve_site, "ckan", "syke", "finland_before:SykeHarvester", {"license": "cc-by"}),
            "finland_before:SykeHarvester.modify_package_dict",
        ),
        Row(
            *(serve_waf, "gemini-waf", "waf", WAF_HARVESTER, {"license": "cc-by", **UNCHANGED}),
            "finland_before:FinnishSpatial.get_package_dict",
        ),
    ],
    FINNISH_PLUGINS,
    (*FINNISH_PLUGINS, "finland"),
    FINLAND,
    check_finland,
)

STREETS = """<https://data.example/{0}> a dcat:Dataset ; dct:title "Straßen {0}" ;
 dct:description "Straßen" ; dcat:distribution <https://data.example/{0}#csv> .
<https://data.example/{0}#csv> a dcat:Distribution ;
 dct:license <http://dcat-ap.de/def/licenses/cc-by> ;
 dcat:accessURL <https://data.example/{0}.csv> ."""
WITHOUT_FILES = """<https://data.example/none> a dcat:Dataset ; dct:title "Straßen" ;
 dct:description "Straßen" ."""
CONTRIBUTOR = "http://dcat-ap.de/def/contributors/x"


def check_germany(place: Place, _run: Any) -> None:
    found = place.portal.datasets()
    assert {json.loads(extras(each)["contributorID"])[0] for each in found} == {CONTRIBUTOR}
    licences = {file["license"] for each in found for file in each["resources"]}
    assert licences == {"http://dcat-ap.de/def/licenses/cc-by/4.0"}


GERMAN = Port(
    [
        Row(
            serve_turtle(STREETS, WITHOUT_FILES),
            *("dcat_rdf", "dcatde_rdf", "germany_before:GermanHarvester"),
            {"contributorID": CONTRIBUTOR, "resources_required": True},
            "germany:GermanyPlugin.before_dataset_save",
            left_out=1,
        )
    ],
    ("german_harvester",),
    ("germany",),
    {},
    check_germany,
)

STOPS = """<https://data.example/ch/{0}> a dcat:Dataset ; dct:identifier "{0}@sorg" ;
 dct:title "Haltestellen {0}"@de, "Arrêts {0}"@fr ; dct:description "Alle"@de, "Tous"@fr ;
 dcat:distribution <https://data.example/ch/{0}#csv> .
<https://data.example/ch/{0}#csv> a dcat:Distribution ;
 dcat:accessURL <https://data.example/ch/{0}.csv> ."""


def check_switzerland(place: Place, _run: Any) -> None:
    found = place.portal.datasets()
    assert found[0]["title"]["fr"].startswith("Arrêts")
    assert {each["identifier"] for each in found} == {f"{n}@sorg" for n in range(RECORDS)}


SWISS = Port(
    [
        Row(
            serve_turtle(STOPS, STOPS.replace("{0}", "out")),
            *("dcat_rdf", "dcat_ch_rdf", "switzerland_before:SwissHarvester"),
            {"excluded_dataset_identifiers": ["out@sorg"]},
            "switzerland:SwitzerlandPlugin.before_dataset_save",
            left_out=1,
        )
    ],
    ("like_fluent", "scheming_datasets", "swiss_harvester"),
    ("like_fluent", "scheming_datasets", "switzerland"),
    {
        "scheming.dataset_schemas": "switzerland:switzerland.yaml",
        "ckanext.dcat.rdf.profiles": "euro_dcat_ap_3 swiss",
        **FLUENT,
    },
    check_switzerland,
)


def serve_victoria(publisher: Publisher, count: int) -> str:
    rows = [dataset(n, accessLevel="public" if n % 3 else "non-public") for n in range(count)]
    publisher.serve("/data.json", catalogue(rows))
    return publisher.url("/data.json")


def check_victoria(place: Place, run: Callable[[str], dict[str, int]]) -> None:
    found = place.portal.datasets()
    assert [each["private"] for each in found] == [True, False, False]
    assert {extras(each)["data_owner"] for each in found} == {"Roads"}
    assert {group["name"] for each in found for group in each["groups"]} == {"transport"}
    # A record that becomes known later keeps what their harvester would have done.
    serve_victoria(place.publishers[0], 4)
    assert run(place.sources[0]) == {"added": 1, "not modified": 3}
    assert [each["private"] for each in place.portal.datasets()] == [True, False, False, True]


VICTORIAN = Port(
    [
        Row(
            serve_victoria,
            *("data_json", "datavic_dcat_json", "victoria_before:VictoriaHarvester"),
            {"default_license": "cc-by", "default_data_owner": "Roads", "category": "transport"},
            "victoria:VictoriaPlugin.before_dataset_save",
        )
    ],
    ("victorian_harvester",),
    ("victoria",),
    {},
    check_victoria,
)

TABLE = {
    "data.gov.uk": UK,
    "finland": FINNISH,
    "germany": GERMAN,
    "switzerland": SWISS,
    "victoria": VICTORIAN,
}


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
