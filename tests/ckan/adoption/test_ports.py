"""Portals filled by harvesters of their own are moved over with the ports beside this module.

Each is tried as a whole, then one source is moved, then all: no id, name, visibility or resource
of a dataset changes, and the trial says what the runs then do.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
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
from tests import gemini_catalogue
from tests.ckan.adoption.stock_harvests import of_another
from tests.ckan.adoption.takeovers import fill, is_easy
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.forms import portal_with
from tests.ckan.harvesting import Consumers, Portal, extras, figures, write_ini
from tests.ckan.processes import PROGRAM
from tests.ckan.remote_site import RemoteSite, package
from tests.publisher import Publisher
from tests.publishing.dcat import TURTLE
from tests.publishing.waf import folder_page

pytestmark = [
    pytest.mark.in_process,
    pytest.mark.ckan_config("ckan.spatial.validator.profiles", "iso19139eden"),
    pytest.mark.ckan_config("ckanext.spatial.harvest.continue_on_validation_errors", "true"),
]

# The themes that the portal has today.
SLUGS = ("environment", "mapping", "transport")
PORTS = Path(__file__).parent / "ports"
SECOND = Path(__file__).parents[1] / "second_package"
FLUENT = {"scheming.presets": "ckanext.scheming:presets.json"}
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
    for folder in (PORTS, SECOND):
        monkeypatch.syspath_prepend(str(folder))


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[type, str], list[Any]]:
    """Return a function that counts the calls of a method in a list."""

    def count(cls: type, name: str) -> list[Any]:
        calls: list[Any] = []
        method = getattr(cls, name)

        def call(*args: Any) -> Any:
            calls.append(args)
            return method(*args)

        monkeypatch.setattr(cls, name, call)
        return calls

    return count


def their(name: str) -> Any:
    """Return a class of a port or of what was there before: "germany:GermanyPlugin"."""
    module, _colon, cls = name.partition(":")
    return getattr(importlib.import_module(module), cls)


def made(harvester: type) -> Any:
    """Return an instance that CKAN does not take for that of subclasses."""
    return object.__new__(harvester)


def state(portal: Portal) -> dict[str, tuple[str, bool, str, dict[str, str]]]:
    """Return id of each dataset → name, visibility, owner, and URL of each file → its id."""
    return {
        each["id"]: (
            each["name"],
            each["private"],
            each["owner_org"],
            {file["url"]: file["id"] for file in each["resources"]},
        )
        for each in portal.datasets()
    }


def trial(source_id: str) -> dict[str, Any]:
    """Return the figures of a dry run as those of a run; the form refuses nothing."""
    source = HarvestSource.get(source_id)
    result = queue.get_harvester(source.type).dry_run(source, lambda *_: True)
    model.Session.remove()
    assert result["refused"]["records"] == 0, result["refused"]
    changes = result["changes"]
    return {key: changes[key] for key in ("added", "updated") if changes.get(key)}


def move(
    portal: Portal, cli: Any, sources: Sequence[str], calls: Mapping[str, list[Any]] = {}
) -> None:
    """Move sources over: all on trial, the first one, the others.

    Args:
        calls: source → calls of the hook for its datasets, if it has one.
    """
    before = state(portal)
    tried = cli.invoke(ukharvest, ["adopt", "--all", "--dry-run", "--read"])
    assert tried.exit_code == 0, tried.output
    assert "Failed" not in tried.output
    assert state(portal) == before
    for number, source_id in enumerate(sources):
        which = "--all" if number else model.Package.get(source_id).name
        done = cli.invoke(ukharvest, ["adopt", which])
        assert done.exit_code == 0, done.output
        expected = trial(source_id)
        for rows in calls.values():
            rows.clear()
        run = figures(portal.run(source_id))
        skipped = run.pop("not modified", 0)
        assert run == expected
        assert len(calls.get(source_id, [0] * run["updated"])) == run["updated"] + skipped
    assert state(portal) == before
    for source_id in sources:
        assert set(figures(portal.run(source_id))) == {"not modified"}


def turtle(*rows: str) -> str:
    return TURTLE + "\n".join(rows)


def serve_turtle(publisher: Publisher, *rows: str) -> str:
    publisher.serve("/c.ttl", turtle(*rows), headers={"Content-Type": "text/turtle"})
    return publisher.url("/c.ttl")


def serve_waf(publisher: Publisher, kinds: Sequence[str] = ("dataset",), count: int = 3) -> str:
    """Serve a folder of GEMINI records that ckanext-spatial can read."""
    records = [
        each for each in gemini_catalogue.records() if is_easy(each.element) and each.kind in kinds
    ][:count]
    for record in records:
        content = {"Content-Type": "application/xml"}
        publisher.serve(f"/waf/{record.file}", record.element, headers=content)
    publisher.routes["/waf/"] = folder_page([record.file for record in records])
    return publisher.url("/waf/")


@pytest.mark.parametrize("port", MOST_LINES)
def test_ports_are_as_short_as_they_promise(port: str) -> None:
    lines = (PORTS / f"{port}.py").read_text("utf-8").splitlines()
    assert len([line for line in lines if line.strip()]) <= MOST_LINES[port]


def test_portal_with_a_form_like_data_gov_uks_moves_without_a_line(
    portal: Portal, publisher: Publisher, cli: Any
) -> None:
    rows = [dataset(n, theme=["Environment"], accrualPeriodicity="R/P1M") for n in range(3)]
    publisher.serve("/data.json", catalogue(rows))
    dcat = '<https://data.example/{0}> a dcat:Dataset ; dct:title "Parks {0}" ;'
    dcat += ' dct:description "Parks" ; dcat:keyword "transport" ; dcat:distribution'
    dcat += " [ a dcat:Distribution ; dcat:accessURL <https://data.example/{0}.csv> ] ."
    setting = {"ckanext.ukharvest.vocabularies": "data.gov.uk"}
    with Publisher() as other, portal_with("", "slug_form", **setting):
        other.routes = RemoteSite([package(n) for n in range(3)])  # type: ignore[assignment]
        types = (
            (publisher.url("/data.json"), "data_json", "dcat_json", DCATJSONHarvester),
            (other.base, "ckan", "ckan", CKANHarvester),
            (serve_turtle(publisher, *map(dcat.format, "012")), "dcat_rdf", "", DCATRDFHarvester),
            (serve_waf(publisher), "gemini-waf", "waf", WAFHarvester),
        )
        sources = []
        for number, (url, ours, theirs, harvester) in enumerate(types):
            sources.append(portal.source(url, ours, name=f"uk-{number}"))
            assert fill(made(harvester), sources[-1]) == 3
            if theirs not in ("", ours):
                of_another(sources[-1], theirs)
        move(portal, cli, sources)
        found = portal.datasets()
        themes = {each.get("theme-primary") or extras(each).get("theme-primary") for each in found}
    assert themes - {None} <= set(SLUGS), themes


FINLAND = {
    "scheming.dataset_schemas": "finland:finland.yaml",
    "ckanext.ukharvest.hooks": "finland_before:SykeHarvester",
    **FLUENT,
}
FINNISH_PLUGINS = ("like_fluent", "scheming_datasets", "finnish_spatial", "finland")


def test_finnish_portal_moves_with_its_own_hooks(
    portal: Portal, publisher: Publisher, cli: Any, counted: Any
) -> None:
    factories.Organization(name="wold-mapping-board")
    with Publisher() as other, portal_with("", *FINNISH_PLUGINS, **FINLAND):
        remote = RemoteSite([package(n) for n in range(3)])
        other.routes = remote  # type: ignore[assignment]
        options = {"license": "cc-by"}
        syke = portal.source(other.base, "ckan", name="syke")
        of_another(syke, "syke", json.dumps(options))
        assert fill(made(their("finland_before:SykeHarvester")), syke) == 3
        spatial = portal.source(serve_waf(publisher), "gemini-waf", name="spatial", config=options)
        assert fill(made(WAFHarvester), spatial) == 3
        of_another(spatial, "waf", json.dumps(options))
        calls = {
            syke: counted(their("finland_before:SykeHarvester"), "modify_package_dict"),
            spatial: counted(their("finland_before:FinnishSpatial"), "get_package_dict"),
        }
        move(portal, cli, [syke, spatial], calls)
        found = portal.datasets()
        assert {each["collection_type"] for each in found} == {"Open Data"}
        assert {each["license_id"] for each in found} == {"cc-by"}
        assert "fi" in found[0]["title_translated"]
        owners = {each["organization"]["name"] for each in found}
        assert owners >= {"wold-mapping-board"}
        # A service is left out, as their hook does.
        serve_waf(publisher, ("dataset", "service"), 8)
        before = len(portal.datasets())
        assert figures(portal.run(spatial))["not modified"] > 3
        assert len(portal.datasets()) > before


def test_real_consumers_call_stock_hooks(
    portal: Portal, publisher: Publisher, ini: str, tmp_path: Path
) -> None:
    publisher.routes = RemoteSite([package(n) for n in range(3)])  # type: ignore[assignment]
    with portal_with("", *FINNISH_PLUGINS, **FINLAND):
        settings = {**FINLAND, "ckan.plugins": " ".join(config["ckan.plugins"])}
        source = portal.source(publisher.base, "syke", config={"license": "cc-by"})
        folders = [str(PORTS), str(SECOND)]
        program = f"import sys; sys.path[:0] = {folders}\n{PROGRAM}"
        own_ini = write_ini(ini, settings, tmp_path / "finland.ini")
        log = tmp_path / "consumers.log"
        with Consumers(own_ini, program=program, log=log) as consumers:
            assert figures(consumers.run(source)) == {"added": 3}
            assert figures(consumers.run(source)) == {"not modified": 3}
        found = portal.datasets()
        assert {each["maintainer_email"] for each in found} == {"data@syke.example"}
        assert {each["title_translated"]["fi"] for each in found} >= {"Remote 0"}


GERMAN = """<https://data.example/{0}> a dcat:Dataset ; dct:title "Straßen {0}" ;
 dct:description "Straßen" {1} ."""
GERMAN_FILE = """; dcat:distribution <https://data.example/{0}#csv> .
<https://data.example/{0}#csv> a dcat:Distribution ;
 dct:license <http://dcat-ap.de/def/licenses/cc-by> ;
 dcat:accessURL <https://data.example/{0}.csv>"""


def test_german_portal_moves(portal: Portal, publisher: Publisher, cli: Any, counted: Any) -> None:
    rows = [GERMAN.format(n, GERMAN_FILE.format(n)) for n in range(3)]
    url = serve_turtle(publisher, *rows, GERMAN.format(3, ""))
    source = german(portal, url)
    with portal_with("", "german_harvester"):
        assert fill_but(their("germany_before:GermanHarvester"), source) == 3
    with portal_with("", "germany"):
        calls = counted(their("germany:GermanyPlugin"), "before_dataset_save")
        move(portal, cli, [source], {source: calls})
        check_german(portal)


def german(portal: Portal, url: str) -> str:
    source = portal.source(url, "dcat_rdf", name="german")
    options = {"contributorID": "http://dcat-ap.de/def/contributors/x", "resources_required": True}
    return of_another(source, "dcatde_rdf", json.dumps(options))


def check_german(portal: Portal) -> None:
    found = portal.datasets()
    ids = {json.loads(extras(each)["contributorID"])[0] for each in found}
    assert ids == {"http://dcat-ap.de/def/contributors/x"}
    licences = {file["license"] for each in found for file in each["resources"]}
    assert licences == {"http://dcat-ap.de/def/licenses/cc-by/4.0"}


def fill_but(harvester: type, source_id: str) -> int:
    """Let a stock harvester fill a source; return how many datasets it wrote."""
    fill_all = {"import_stage": lambda self, obj: bool(super(cls, self).import_stage(obj)) or True}
    cls: Any = type("All", (harvester,), fill_all)
    fill(made(cls), source_id)
    query = model.Session.query(model.Package).filter_by(type="dataset", state="active")
    return int(query.count())


SWISS = """<https://data.example/ch/{0}> a dcat:Dataset ; dct:identifier "{0}@sorg" ;
 dct:title "Haltestellen {0}"@de, "Arrêts {0}"@fr ; dct:description "Alle"@de, "Tous"@fr ;
 dcat:distribution <https://data.example/ch/{0}#csv> .
<https://data.example/ch/{0}#csv> a dcat:Distribution ;
 dcat:accessURL <https://data.example/ch/{0}.csv> ."""


def test_swiss_portal_moves_with_its_identities(
    portal: Portal, publisher: Publisher, cli: Any, counted: Any
) -> None:
    url = serve_turtle(publisher, *(SWISS.format(n) for n in range(4)))
    schema = {"scheming.dataset_schemas": "switzerland:switzerland.yaml", **FLUENT}
    source = portal.source(url, "dcat_rdf", name="swiss")
    of_another(source, "dcat_ch_rdf", json.dumps({"excluded_dataset_identifiers": ["3@sorg"]}))
    profile = {"ckanext.dcat.rdf.profiles": "euro_dcat_ap_3 swiss"}
    plugins = ("like_fluent", "scheming_datasets")
    with portal_with("", *plugins, "swiss_harvester", **schema, **profile):
        assert fill_but(their("switzerland_before:SwissHarvester"), source) == 3
    with portal_with("", *plugins, "switzerland", **schema):
        before = {each["id"]: each["title"] for each in portal.datasets()}
        calls = counted(their("switzerland:SwitzerlandPlugin"), "before_dataset_save")
        move(portal, cli, [source], {source: calls})
        found = portal.datasets()
        assert {each["id"]: each["title"] for each in found} == before
        assert found[0]["title"]["fr"].startswith("Arrêts")
        assert {each["identifier"] for each in found} == {f"{n}@sorg" for n in range(3)}


def test_victorian_portal_moves(
    portal: Portal, publisher: Publisher, cli: Any, counted: Any
) -> None:
    factories.Group(name="transport")
    rows = [dataset(n, accessLevel="public" if n else "non-public") for n in range(3)]
    publisher.serve("/data.json", catalogue(rows))
    options = {"default_license": "cc-by", "default_data_owner": "Roads", "category": "transport"}
    source = portal.source(publisher.url("/data.json"), name="victoria")
    of_another(source, "datavic_dcat_json", json.dumps(options))
    with portal_with("", "victorian_harvester"):
        assert fill(made(their("victoria_before:VictoriaHarvester")), source) == 3
    with portal_with("", "victoria"):
        calls = counted(their("victoria:VictoriaPlugin"), "before_dataset_save")
        move(portal, cli, [source], {source: calls})
        found = portal.datasets()
        assert [each["private"] for each in found] == [True, False, False]
        assert {extras(each)["data_owner"] for each in found} == {"Roads"}
        assert {group["name"] for each in found for group in each["groups"]} == {"transport"}
        # A record that becomes known later keeps what their harvester would have done.
        publisher.serve("/data.json", catalogue([*rows, dataset(3, accessLevel="non-public")]))
        assert figures(portal.run(source)) == {"added": 1, "not modified": 3}
        assert [each["private"] for each in portal.datasets()] == [True, False, False, True]
