"""The same 1,000 GEMINI records by CSW, SPARQL, CKAN and OAI-PMH, from real servers.

pycsw serves generated records by CSW. What the portal makes of them is exported as DCAT to an
Oxigraph and harvested by SPARQL, and is harvested from the portal itself as another CKAN's. Then
pycsw serves the same records by OAI-PMH. Each way loses consumers to SIGKILL on its first run.
"""

from __future__ import annotations

import gzip
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.tests import factories

from ckanext.ukharvest.export import files as export_files
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.gather import gather_stage
from tests import gemini_catalogue
from tests.ckan import servers
from tests.ckan.gateway import Gateway, other_id, spell, with_other_ids
from tests.ckan.harvesting import Consumers, Portal, Workers, act, extras, figures, tick, write_ini
from tests.ckan.same_fields import Facts, check_same, facts_of
from tests.ckan.servers import oxigraph, pycsw

COUNT = 1_000
MADE = gemini_catalogue.records(COUNT)
GONE, CHANGED = [each.guid for each in MADE[10:13]], MADE[20].guid
LATER = timedelta(seconds=61)  # when the sweeper takes a consumer without heartbeats for dead
PATIENCE = 600.0  # seconds
# Records at once for a fetch consumer: those that it has when it is killed are imported singly.
BATCH = 50
# Conditions of ``count``.
_ACTIVE = "owner_org = :id AND type = 'dataset' AND state = 'active'"
_ENDED = "harvest_job_id = :id AND state = 'COMPLETE'"


@dataclass
class Way:
    """One way by which the records are harvested.

    Attributes:
        kind: the source type.
        gateway: before the server.
        source: id of the harvest source.
        organization: id of the organisation of its datasets.
        key: guid → identifier of the GEMINI record.
        opening: part of the requests with which each read begins, also one that goes on.
        is_proven_again: whether a read that went on then reads the first records once more, to
            count them; the other readers store their number.
    """

    kind: str
    gateway: Gateway
    source: str
    organization: str
    key: Callable[[str], str] = str
    opening: str = ""
    is_proven_again: bool = False

    def datasets(self) -> dict[str, Facts]:
        """Return identifier → fields of all datasets, as the portal's API has them."""
        found = act("package_search", fq=f"owner_org:{self.organization}", rows=COUNT)
        datasets = {self.key(extras(each)["guid"]): facts_of(each) for each in found["results"]}
        assert len(datasets) == found["count"] == count("package", _ACTIVE, id=self.organization)
        return datasets


def count(table: str, condition: str = "true", **values: Any) -> int:
    """Count rows over a connection of its own."""
    statement = sa.text(f"SELECT count(*) FROM {table} WHERE {condition}")  # noqa: S608  # our own
    with model.meta.engine.connect() as connection:
        return int(connection.scalar(statement, values))


def kill_first(consumers: Consumers) -> None:
    """End a consumer by SIGKILL, and do what cron's tick does a minute later."""
    process = consumers.processes.pop(0)
    process.kill()
    process.wait(30)
    now, database_time = tables.utcnow, tables.database_time
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "utcnow", lambda: now() + LATER)
        patch.setattr(tables, "database_time", lambda: database_time() + LATER)
        tick()


def harvest_through_kills(way: Way, consumers: Consumers) -> None:
    """Harvest all records, although the gather and the fetch consumer are killed at their work."""
    gateway = way.gateway
    gateway.is_due = lambda: count("harvest_object", "state = 'GATHERED'") >= gather_stage.BATCH
    job_id = act("ukharvest_run_create", source_id=way.source, mode="normal")["id"]
    assert gateway.held.wait(PATIENCE)
    kill_first(consumers)
    before = gateway.release()
    consumers.start_named(["gather-consumer"])

    wait_for_imports(job_id, consumers)
    kill_first(consumers)  # the fetch consumer: the gather consumer is the newer one
    assert count("harvest_object", _ENDED, id=job_id) < COUNT
    consumers.start_named(["fetch-consumer"])
    consumers.wait(job_id, PATIENCE)
    job = Portal("").finish(job_id)
    assert (job["status"], figures(job)) == ("Finished", {"added": COUNT})
    assert count("harvest_object", "current AND harvest_source_id = :id", id=way.source) == COUNT

    check_went_on(way, before, [spell(each) for each in gateway.requests])


def check_went_on(way: Way, before: list[str], after: list[str]) -> None:
    """Check that a read went on where the killed one had stored its last records."""
    after = [each for each in after if not way.opening or way.opening not in each]
    new = [each for each in after if each not in before]
    assert new
    assert after == new + (before if way.is_proven_again else [])


def wait_for_imports(job_id: str, consumers: Consumers) -> None:
    """Wait until two batches are imported, and the fetch consumer has the next."""
    deadline = time.monotonic() + PATIENCE
    while count("harvest_object", _ENDED, id=job_id) < 2 * BATCH or not count("ukharvest_claim"):
        assert consumers.are_alive
        assert time.monotonic() < deadline
        time.sleep(0.05)


def check_unchanged(way: Way, consumers: Consumers) -> None:
    """Harvest once more; no dataset is written."""
    query = {"fq": f"owner_org:{way.organization}", "sort": "metadata_modified desc", "rows": 1}
    before = act("package_search", **query)["results"]
    assert figures(consumers.run(way.source)) == {"not modified": COUNT}
    assert act("package_search", **query)["results"] == before


def follow_changes(way: Way, consumers: Consumers, first: dict[str, Facts]) -> None:
    """Harvest what the server changed: three records are gone, one has another title."""
    kept = COUNT - len(GONE)
    expected = {"updated": 1, "not modified": kept - 1, "missing": len(GONE)}
    assert figures(consumers.run(way.source)) == expected
    assert figures(consumers.run(way.source)) == {"not modified": kept, "deleted": len(GONE)}
    left = {key: facts for key, facts in first.items() if key not in GONE}
    left[CHANGED] = {**left[CHANGED], "title": new_title(first)}
    check_same(left, way.datasets(), way.kind)


def new_title(first: dict[str, Facts]) -> str:
    return f"{first[CHANGED]['title']}, revised"


class Catalogue:
    """A pycsw with the records, filled by its own load command."""

    def __init__(self, url: str, database: Path) -> None:
        self.place = urlsplit(url).netloc
        self._database = database

    def change(self, title: str) -> None:
        """Delete three records, and give one another title."""
        with sqlite3.connect(self._database) as connection:
            connection.execute("CREATE TABLE before AS SELECT * FROM records")
            gone = [(guid,) for guid in GONE]
            connection.executemany("DELETE FROM records WHERE identifier = ?", gone)
            connection.execute(
                "UPDATE records SET xml = replace(xml, title, ?) WHERE identifier = ?",
                (title, CHANGED),
            )

    def restore(self) -> None:
        """Make the records as they were."""
        with sqlite3.connect(self._database) as connection:
            connection.execute("DELETE FROM records")
            connection.execute("INSERT INTO records SELECT * FROM before")
            connection.execute("DROP TABLE before")


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[Catalogue]:
    folder = tmp_path / "records"
    folder.mkdir()
    gemini_catalogue.write(MADE, folder)
    with pycsw.serve(folder, tmp_path / "records.db") as server:
        assert server.held == COUNT
        yield Catalogue(server.url, tmp_path / "records.db")


@pytest.fixture
def own_site(ckan_config: Any) -> Iterator[str]:
    """Host and port of the portal itself."""
    with servers.own_site(ckan_config) as place:
        yield place


@pytest.fixture
def make_way(portal: Portal) -> Iterator[Callable[..., Way]]:
    """Makes a source behind a gateway, with an organisation of its own unless one is given."""
    with ExitStack() as stack:

        def make(kind: str, place: str, path: str, owner: str = "", **more: Any) -> Way:
            gateway = stack.enter_context(Gateway(place, more.pop("change", bytes)))
            owner = owner or factories.Organization(name=f"by-{kind}", title=f"By {kind}")["id"]
            fields = {"owner_org": owner, "config": more.pop("config", {})}
            source = portal.source(gateway.url(path), kind, **fields)
            return Way(kind, gateway, source, owner, **more)

        yield make


@pytest.fixture
def consumers(ini: str, workers: Workers, tmp_path: Path) -> Iterator[Consumers]:
    workers.stop()
    # As of another portal: they harvest this one, which refuses itself.
    settings = {"ckanext.ukharvest.batch_size": str(BATCH), "SECRET_KEY": "of another portal"}
    with Consumers(write_ini(ini, settings, tmp_path / "consumers.ini")) as running:
        yield running


@pytest.mark.giant
@pytest.mark.in_process
@pytest.mark.timeout(2400)
def test_1000_records_are_the_same_datasets_by_each_way(
    catalogue: Catalogue,
    own_site: str,
    make_way: Callable[..., Way],
    consumers: Consumers,
    tmp_path: Path,
) -> None:
    csw = make_way("gemini-csw", catalogue.place, "/csw", is_proven_again=True)
    harvest_through_kills(csw, consumers)
    first = csw.datasets()
    assert first.keys() == {each.guid for each in MADE}
    check_unchanged(csw, consumers)

    by_dcat(make_way, consumers, first, tmp_path)

    keys = {other_id(facts["id"]): key for key, facts in first.items()}
    config = {"organizations_filter_include": ["by-gemini-csw"], "full_check_days": 0}
    change = with_other_ids(facts["id"] for facts in first.values())
    more = {"key": keys.__getitem__, "config": config, "change": change}
    ckan = make_way("ckan", own_site, "/", opening="status_show", **more)
    harvest_through_kills(ckan, consumers)
    check_same(first, ckan.datasets(), "ckan")
    check_unchanged(ckan, consumers)

    catalogue.change(new_title(first))
    follow_changes(csw, consumers, first)
    follow_changes(ckan, consumers, first)

    catalogue.restore()
    act("harvest_source_clear", id=csw.source)
    formats = "verb=ListMetadataFormats"
    path = "/csw?mode=oaipmh"
    oaipmh = make_way("oaipmh", catalogue.place, path, csw.organization, opening=formats)
    harvest_through_kills(oaipmh, consumers)
    check_same(first, oaipmh.datasets(), "oaipmh")
    check_unchanged(oaipmh, consumers)
    catalogue.change(new_title(first))
    follow_changes(oaipmh, consumers, first)


def by_dcat(
    make_way: Callable[..., Way], consumers: Consumers, first: dict[str, Facts], folder: Path
) -> None:
    """Export the datasets as DCAT, and harvest them from a real Oxigraph."""
    made = export_files.export_catalogue(folder / "export", ["turtle"], lambda *_: None)
    assert made["datasets"] == COUNT
    site = "https://other.example"  # this portal leaves out its own ids and pages
    uris = {key: f"{site}/dataset/{other_id(facts['id'])}" for key, facts in first.items()}
    keys = {uri: key for key, uri in uris.items()}
    with oxigraph.serve(folder / "oxigraph") as server:
        exported = gzip.decompress((folder / "export" / "catalogue.ttl.gz").read_bytes())
        change = with_other_ids(facts["id"] for facts in first.values())
        server.load(change(exported).decode().replace(made["catalogue"], site))
        way = make_way("sparql", server.place, "/query", key=keys.__getitem__, opening="COUNT")
        harvest_through_kills(way, consumers)
        check_same(first, way.datasets(), "sparql")
        check_unchanged(way, consumers)
        for key in GONE:
            server.update(f"DELETE WHERE {{ <{uris[key]}> ?p ?o }}")
        node = f"<{uris[CHANGED]}> <http://purl.org/dc/terms/title>"
        title = f'{node} "{new_title(first)}"'
        server.update(f"DELETE WHERE {{ {node} ?o }} ; INSERT DATA {{ {title} }}")
        follow_changes(way, consumers, first)
