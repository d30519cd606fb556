"""Rows of many datasets, read at once: the documents are those that CKAN makes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from ckan import model
from ckan.lib.dictization import model_dictize
from ckan.tests import factories

from ckanext.ukharvest import bulk_rows, compat, write_batch
from ckanext.ukharvest.harvest.index import index_values
from tests.ckan.catalogues import catalogue
from tests.ckan.harvesting import Portal, act, statements
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
