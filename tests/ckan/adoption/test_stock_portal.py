"""The first runs on a portal that stock harvesters filled, in a sysadmin's order of steps.

Stock plugins in an ini and processes of their own fill the portal before our tables exist; then
the ini is changed, ``ckan db upgrade -p ukharvest`` is run, and the consumers are restarted.
No id, name or resource id of a dataset changes; nothing is added or deleted. For the
patches that let stock harvesters run on a current Python see ``stock_portal``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from ckan import model

from tests import gemini_catalogue
from tests.ckan.adoption.takeovers import is_easy
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Consumers, act, figures
from tests.ckan.remote_site import RemoteSite, package
from tests.ckan.servers import nginx, pycsw
from tests.ckan.stock_portal import StockPortal, drop_our_tables, our_tables, read_datasets
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process  # the consumers are the portal's own

TURTLE_HEAD = """\
@prefix dcat: <http://www.w3.org/ns/dcat#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .

"""
TURTLE = """\
<{base}/catalog> a dcat:Catalog ; dcat:dataset <{base}/id/{n}> .
<{base}/id/{n}> a dcat:Dataset ;
    dct:title "Bus stops {n}"@en ;
    dct:identifier "BS-{n}" ;
    dct:description "All bus stops of ward {n}." ;
    dcat:keyword "bus", "transport" ;
    dct:publisher [ a foaf:Organization ; foaf:name "Somewhere Council" ] ;
    dcat:distribution <{base}/id/{n}/csv>, <{base}/id/{n}/json> .
<{base}/id/{n}/csv> a dcat:Distribution ;
    dct:title "Table" ; dcat:downloadURL <https://data.example/bus/{n}.csv> .
<{base}/id/{n}/json> a dcat:Distribution ;
    dct:title "Service" ; dcat:accessURL <https://data.example/bus/{n}.json> .
"""
COUNTS = {"ckan": 6, "dcat_rdf": 6, "dcat_json": 6, "waf": 4, "csw": 4, "single-doc": 1}
# The options that `ckan ukharvest adopt` changes.
OUR_NAMES = {
    "dcat_json": "data_json",
    "waf": "gemini-waf",
    "csw": "gemini-csw",
    "single-doc": "gemini-single",
}


@pytest.fixture
def web(tmp_path: Path, publisher: Publisher) -> Iterator[dict[str, str]]:
    """Publishers; the URL of a source of each stock type."""
    easy = [each for each in gemini_catalogue.records() if is_easy(each.element)]
    folders = [tmp_path / "waf", tmp_path / "csw", tmp_path / "single"]
    parts = (easy[:4], easy[4:8], easy[8:9])
    for folder, records in zip(folders, parts, strict=True):
        folder.mkdir()
        gemini_catalogue.write(records, folder)
    turtle = "".join(TURTLE.format(base=publisher.base, n=n) for n in range(COUNTS["dcat_rdf"]))
    publisher.serve("/catalog.ttl", TURTLE_HEAD + turtle, headers={"Content-Type": "text/turtle"})
    publisher.serve("/data.json", catalogue([dataset(n) for n in range(COUNTS["dcat_json"])]))
    with (
        Publisher() as remote,
        nginx.serve(folders[0], tmp_path / "nginx-waf") as waf,
        nginx.serve(folders[2], tmp_path / "nginx-single") as single,
        pycsw.serve(folders[1], tmp_path / "records.db") as csw,
    ):
        remote.routes = RemoteSite([package(n) for n in range(COUNTS["ckan"])])  # type: ignore[assignment]
        yield {
            "ckan": remote.base,
            "dcat_rdf": publisher.url("/catalog.ttl"),
            "dcat_json": publisher.url("/data.json"),
            "waf": f"{waf.url}/",
            "csw": csw.url,
            "single-doc": f"{single.url}/{parts[2][0].file}",
        }


@pytest.fixture
def stock(
    organization: dict[str, str],
    ini: str,
    ckan_config: Any,
    tmp_path: Path,
    ckan: Callable[..., Any],
) -> Iterator[StockPortal]:
    """A portal that has never had our plugins or tables."""
    folder = tmp_path / "portal"
    folder.mkdir()
    drop_our_tables()
    try:
        yield StockPortal(ini, folder, ckan_config["ckan.redis.url"])
    finally:
        ckan("db", "upgrade", "-p", "ukharvest")


def as_source(type_name: str, url: str, owner_org: str) -> dict[str, str]:
    """Return the fields of a new harvest source."""
    return {
        "name": f"stock-{type_name.replace('_', '-')}",
        "title": f"Stock {type_name}",
        "url": url,
        "source_type": type_name,
        "owner_org": owner_org,
        "frequency": "MANUAL",
        "config": "",
    }


def fill(stock: StockPortal, web: dict[str, str], owner_org: str) -> dict[str, str]:
    """Let stock consumers harvest a source of each type; return type → source id."""
    wanted = [as_source(type_name, url, owner_org) for type_name, url in web.items()]
    with stock.consumers() as consumers:
        sources = dict(zip(web, stock.create_sources(wanted), strict=True))
        stock.run_all(consumers)
    assert our_tables() == []
    return sources


def count_datasets(source_id: str) -> int:
    """Return how many datasets have a current harvest object of this source."""
    statement = sa.text(
        "SELECT count(DISTINCT package_id) FROM harvest_object"
        " WHERE harvest_source_id = :id AND current"
    )
    with model.meta.engine.connect() as connection:
        return int(connection.execute(statement, {"id": source_id}).scalar() or 0)


def run_all(stock: StockPortal, consumers: Consumers, sources: dict[str, str]) -> dict[str, Any]:
    """Harvest all sources by our plugins; return type → figures. No record may be in error."""
    jobs = stock.run_all(consumers)
    shown = {name: act("harvest_job_show", id=jobs[id_]) for name, id_ in sources.items()}
    errors = [
        each["message"]
        for job in shown.values()
        for each in job["gather_error_summary"] + job["object_error_summary"]
    ]
    assert not errors
    return {name: figures(job) for name, job in shown.items()}


@pytest.mark.giant
def test_the_first_two_runs_after_stock_harvesters(
    stock: StockPortal, web: dict[str, str], organization: dict[str, str]
) -> None:
    sources = fill(stock, web, organization["id"])
    assert {name: count_datasets(id_) for name, id_ in sources.items()} == COUNTS
    before = read_datasets()
    assert len(before) == sum(COUNTS.values())
    left = stock.leave_run(sources["dcat_rdf"])

    stock.use_ours()
    stock.ckan("db", "upgrade", "-p", "ukharvest")
    told = stock.ckan("ukharvest", "adopt", "--all", "--dry-run")
    assert all(f"{name} → {ours}" in told for name, ours in OUR_NAMES.items()), told
    stock.ckan("ukharvest", "adopt", "--all")
    shown = {name: act("harvest_source_show", id=id_) for name, id_ in sources.items()}
    assert {name: shown[name]["source_type"] for name in OUR_NAMES} == OUR_NAMES
    with stock.consumers() as consumers:
        # The interrupted run ends without effect; the next one reads its records.
        consumers.wait(left)
        stock.ckan("harvester", "run")
        assert act("harvest_job_show", id=left)["ukharvest"]["outcome"] == "stopped"
        assert read_datasets() == before

        for outcome in ("updated", "not modified"):
            expected = {name: {outcome: count} for name, count in COUNTS.items()}
            assert run_all(stock, consumers, sources) == expected
            assert read_datasets() == before
