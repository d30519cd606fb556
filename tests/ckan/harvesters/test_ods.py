"""An Opendatasoft portal through real consumers: runs, a change of interface, nightly counts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ckanext.ukharvest.harvest.model import SourceState
from tests.ckan.harvesting import Portal, act, extras, figures
from tests.publisher import Publisher

COUNT = 8
PAGE = 5
LIST = "/api/explore/v2.1/catalog/datasets?limit=100&offset={}&order_by=dataset_id"
SEARCH = "/api/datasets/1.0/search?rows=100&start={}&interopmetas=true"
SECRET = "ckanext.ukharvest.credentials.marlbeck"


def datasets() -> list[dict[str, Any]]:
    return [_dataset(number) for number in range(COUNT)]


def _dataset(number: int) -> dict[str, Any]:
    default = {
        "title": f"Parks {number}",
        "description": "<p>Parks of the borough.</p>",
        "keyword": ["parks"],
        "license": "Open Government Licence v3.0",
        "publisher": "Marlbeck",
        "modified": "2026-05-04T09:00:00+00:00",
        "records_count": 10,
        "metadata_processed": "2026-11-24T02:00:00+00:00",
    }
    return {
        "dataset_id": f"parks-{number:02}",
        "has_records": True,
        "features": ["geo"],
        "attachments": [{"id": "plan", "title": "Plan", "url": "odsfile://plan.pdf"}],
        "metas": {"default": default},
    }


def serve_explore(publisher: Publisher, found: list[dict[str, Any]]) -> None:
    publisher.routes.clear()
    for start in range(0, len(found), PAGE):
        page = found[start : start + PAGE]
        publisher.serve(LIST.format(start), {"total_count": len(found), "results": page})


def serve_search(publisher: Publisher, found: list[dict[str, Any]]) -> None:
    publisher.routes.clear()
    old = [
        {
            **{key: value for key, value in each.items() if key != "dataset_id"},
            "datasetid": each["dataset_id"],
            "metas": each["metas"]["default"],
        }
        for each in found
    ]
    for start in range(0, len(old), PAGE):
        answer = {"nhits": len(old), "datasets": old[start : start + PAGE]}
        publisher.serve(SEARCH.format(start), answer)


def ids(found: list[dict[str, Any]]) -> dict[str, tuple[str, dict[str, str]]]:
    """Return guid → id of the dataset, and of its exports and files by name."""
    return {
        extras(each)["guid"]: (
            each["id"],
            {resource["name"]: resource["id"] for resource in each["resources"]},
        )
        for each in found
    }


def interface(source: str) -> str:
    from ckan import model

    model.Session.remove()
    return str(model.Session.query(SourceState.interface).filter_by(source_id=source).scalar())


def shown() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = act("package_search", q="*:*", rows=COUNT + 1)["results"]
    return found


def test_a_portal_is_harvested_whatever_its_interface(portal: Portal, publisher: Publisher) -> None:
    known = datasets()
    serve_explore(publisher, known)
    source = portal.source(publisher.url("/explore/"), "ods")
    assert figures(portal.run(source)) == {"added": COUNT}
    assert interface(source) == "explore-2.1"
    first = ids(shown())
    assert set(first) == {each["dataset_id"] for each in known}
    names = ["CSV export", "GeoJSON export", "JSON export", "KML export", "Plan", "SHP export"]
    assert all(sorted(resources) == names for _, resources in first.values())

    # What a portal counts and stamps each night is no change.
    for each in known:
        default = each["metas"]["default"]
        default |= {"records_count": 11, "metadata_processed": "2026-11-25T02:00:00+00:00"}
    serve_explore(publisher, known)
    assert figures(portal.run(source)) == {"not modified": COUNT}

    gone = known.pop(4)["dataset_id"]
    known[5]["metas"]["default"]["title"] = "Ponds"
    serve_explore(publisher, known)
    expected = {"updated": 1, "not modified": COUNT - 2, "missing": 1}
    assert figures(portal.run(source)) == expected
    assert figures(portal.run(source)) == {"not modified": COUNT - 1, "deleted": 1}
    del first[gone]

    # Other interfaces bring the same datasets, and the files keep their ids.
    serve_search(publisher, known)
    assert figures(portal.run(source)) == {"updated": COUNT - 1}
    assert interface(source) == "search-1.0"
    assert ids(shown()) == first

    # A number that does not fit deletes nothing, however often.
    publisher.routes.clear()
    answer = {"total_count": COUNT, "results": known[:2]}
    publisher.serve(LIST.format(0), answer)
    publisher.serve(LIST.format(2), {"total_count": COUNT, "results": []})
    assert figures(portal.run(source)) == {"updated": 2}
    assert figures(portal.run(source)) == {"not modified": 2}
    assert len(shown()) == COUNT - 1


@pytest.mark.in_process
def test_a_key_is_sent_and_stored_nowhere(
    portal: Portal, publisher: Publisher, ckan_config: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "0123456789abcdef"
    monkeypatch.setitem(ckan_config, SECRET, f"{publisher.base} Authorization: Apikey {key}")
    serve_explore(publisher, datasets()[:2])
    source = portal.source(publisher.url("/"), "ods", config={"credential": "marlbeck"})
    assert figures(portal.run(source)) == {"added": 2}
    assert {each.headers["Authorization"] for each in publisher.requests} == {f"Apikey {key}"}
    assert key not in json.dumps([shown(), act("harvest_source_show", id=source)])
