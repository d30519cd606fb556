"""Documents for the search index by rows read in bulk; what a run repairs in the index."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping
from typing import Any

import pysolr
import pytest
import sqlalchemy as sa
from ckan import model
from ckan.lib.dictization import model_dictize
from ckan.lib.search.common import make_connection
from ckan.tests import factories

from ckanext.ukharvest import bulk_rows, compat, write_batch
from ckanext.ukharvest.harvest.gather import gather_state
from ckanext.ukharvest.harvest.index import index_values, pending_index, search_index
from ckanext.ukharvest.harvest.index.pending_index import PendingIndex
from ckanext.ukharvest.harvest.records.record_rows import known_records
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, act, figures, statements
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

PATH = "/data.json"


def documents(ids: list[str]) -> dict[str, Any]:
    """Return dataset id → document, as it would be sent to Solr."""
    model.Session.remove()
    built, refused = compat._build(index_values.load_index_values(ids))
    assert refused == {}
    return {document["id"]: _ordered(document) for document in built}


def dicts(ids: list[str], rows: bulk_rows.BulkRows | None) -> dict[str, Any]:
    """Return dataset id → dict of the dataset, as CKAN makes it of rows."""
    dictized = {}
    with write_batch.use(write_batch.WriteBatch(documents=[], rows=rows)):
        for id_ in ids:
            package = model.Package.get(id_)
            context = {"model": model, "session": model.Session, "package": package}
            dictized[id_] = _ordered(model_dictize.package_dictize(package, context))
    return dictized


def _ordered(value: Any) -> Any:
    """Sort all lists, whose order CKAN leaves to PostgreSQL; also in dicts that are JSON."""
    if isinstance(value, Mapping):
        return {key: _ordered(part) for key, part in value.items()}
    if isinstance(value, list):
        return sorted((_ordered(part) for part in value), key=repr)
    if isinstance(value, str) and value.startswith("{"):
        return _ordered(json.loads(value))
    return value


@pytest.fixture
def harvested(ready_source: SourceMaker) -> str:
    """A source with three datasets."""
    return ready_source(PATH, catalogue(3))


@pytest.fixture
def people() -> Callable[..., dict[str, Any]]:
    """Make a dataset as people do, with all that the index knows of datasets."""

    def make(**fields: Any) -> dict[str, Any]:
        more = {
            "title": " Air quality ",
            "license_id": "uk-ogl",
            "extras": [{"key": "guid", "value": "A"}, {"key": "empty", "value": "0"}],
            "tags": [{"name": "air"}, {"name": "zebra"}, {"name": "Quality"}],
            "resources": [
                {"url": "example.com/b.csv", "name": "B", "format": "CSV", "language": "cy"},
                {"url": "https://example.com/a.csv", "name": "A", "size": 7},
            ],
        }
        return dict(factories.Dataset(**{**more, **fields}))

    return make


def test_documents_from_bulk_rows_are_those_of_ckan(
    portal: Portal,
    harvested: str,
    people: Callable[..., dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    organization = {"owner_org": portal.organization_id}
    groups = [{"name": factories.Group()["name"]} for _ in range(2)]
    first = people(**organization, groups=groups)
    second = people(private=True, **organization)
    draft = people(state="draft", **organization)
    alone = people(groups=groups[:1])
    plain = factories.Dataset()
    model.Session.query(model.Resource).filter_by(package_id=second["id"], name="A").update(
        {"state": "deleted"}
    )
    model.Session.commit()
    ids = [found["id"] for found in (first, second, draft, alone, plain, *portal.datasets())]
    ids = sorted({*ids, harvested})
    assert len(ids) == 9
    with monkeypatch.context() as patch:
        patch.delitem(compat.applied_patches, bulk_rows.PATCH)
        expected = documents(ids)
    assert documents(ids) == expected
    assert set(expected) == set(ids)
    assert expected[first["id"]]["groups"] == sorted(group["name"] for group in groups)
    # CKAN cannot index relationships ("KeyError: subject_package_id").
    act("package_relationship_create", subject=first["id"], object=second["id"], type="depends_on")
    act("package_relationship_create", subject=alone["id"], object=first["id"], type="child_of")
    related = dicts(ids, None)
    assert dicts(ids, bulk_rows.BulkRows(ids)) == related
    assert related[first["id"]]["relationships_as_subject"] != []
    assert related[first["id"]]["relationships_as_object"] != []


def test_a_document_costs_few_statements(portal: Portal, publisher: Publisher) -> None:
    publisher.serve(PATH, catalogue(24))
    portal.run(portal.source(publisher.url(PATH)))
    ids = [dataset["id"] for dataset in portal.datasets()]
    counts = []
    for number in (4, 24):
        model.Session.remove()
        with statements() as sent:
            assert compat.index_packages(ids[:number], index_values.load_index_values(ids)) == {}
        counts.append(len(sent))
    assert (counts[1] - counts[0]) / 20 < 3, counts


def test_deleted_datasets_leave_the_index_in_one_request(
    portal: Portal, harvested: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = [dataset["id"] for dataset in portal.datasets()]
    model.Session.query(model.Package).filter(model.Package.id.in_([first, second])).update(
        {"state": "deleted"}
    )
    model.Session.commit()
    sent: list[str] = []
    delete = pysolr.Solr.delete

    def count(self: Any, *args: Any, **more: Any) -> Any:
        sent.append(more["q"])
        return delete(self, *args, **more)

    monkeypatch.setattr(pysolr.Solr, "delete", count)
    assert compat.index_packages([first, second, third, "purged"]) == {}
    assert len(sent) == 1
    assert search_index.indexed_ids(harvested) == {third}


def test_a_failed_query_of_the_comparison_fails_no_run(
    portal: Portal, harvested: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: Any) -> set[str]:
        model.Session.execute(sa.text("SELECT 1 / 0"))
        return set()

    monkeypatch.setattr(search_index, "_changed", fail)
    job = portal.run(harvested)
    assert figures(job) == {"not modified": 3}
    assert job["gather_error_summary"] == []


@pytest.fixture
def unindexed(portal: Portal, harvested: str) -> list[str]:
    """Ids of three datasets changed long ago that the index lacks."""
    ids = [dataset["id"] for dataset in portal.datasets()]
    long_ago = dt.datetime(2020, 1, 1)  # noqa: DTZ001 - as CKAN stores it
    model.Session.query(model.Package).update({"metadata_modified": long_ago})
    model.Session.commit()
    compat.remove_from_index(ids)
    return ids


def mended(source_id: str, **more: Any) -> int:
    return search_index.mend_source(source_id, known_records(source_id).values(), **more)


def test_run_leaves_pending_datasets_to_their_own_request(
    harvested: str, unindexed: list[str]
) -> None:
    pending_index.add_pending(unindexed[:1])
    model.Session.commit()
    assert mended(harvested) == 2
    assert search_index.indexed_ids(harvested) == set(unindexed[1:])
    assert model.Session.query(PendingIndex).count() == 1


def test_run_leaves_what_solr_shows_a_moment_later(harvested: str, unindexed: list[str]) -> None:
    now = dt.datetime.now(dt.timezone.utc).replace(tzinfo=None)
    query = model.Session.query(model.Package).filter_by(id=unindexed[0])
    query.update({"metadata_modified": now})
    model.Session.commit()
    assert mended(harvested) == 2
    query.update({"metadata_modified": now - search_index.MOMENT})
    model.Session.commit()
    assert mended(harvested) == 1


def test_repair_of_the_index_shows_signs_of_life(
    harvested: str, unindexed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "BATCH", 2)
    shown: list[int] = []
    assert mended(harvested, show_life=lambda: shown.append(1)) == 3
    assert len(shown) == 2


def test_stopped_run_stops_repairing_the_index(
    portal: Portal, harvested: str, unindexed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_index, "BATCH", 2)

    def stop() -> None:
        raise gather_state.RunStopped

    with pytest.raises(gather_state.RunStopped):
        mended(harvested, show_life=stop)
    assert len(make_connection().search("*:*", fq="dataset_type:dataset")) == 2
