"""A search service, harvested on a portal: added, unchanged, changed, deleted, not proven."""

from __future__ import annotations

from typing import Any

from ckan import model

from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.harvest.model import JobReport
from tests.ckan.harvesting import Portal, act, extras, figures
from tests.publisher import Publisher
from tests.publishing.opensearch import Search, atom_entry
from tests.publishing.records import Item

COUNT = 8


def entry(number: int, **changed: Any) -> str:
    return atom_entry(Item(number, **{"title": f"Title {number}", **changed}))


def test_a_search_is_harvested_and_only_proven_lists_delete(
    portal: Portal, publisher: Publisher
) -> None:
    service = Search([entry(number) for number in range(COUNT)], cap=3)
    source = portal.source(service.serve(publisher), "opensearch", config={"search_terms": "title"})
    assert figures(portal.run(source)) == {"added": COUNT}
    assert {given["q"] for given in service.asked} == {"title"}
    found = {extras(each)["guid"]: each for each in act("package_search", rows=COUNT)["results"]}
    one = found["https://search.example/3"]
    assert (one["title"], one["notes"]) == ("Title 3", "A description.")
    assert [each["url"] for each in one["resources"]] == ["https://data.example/3.csv"]

    # The time of the answer is no change, a title is.
    stamp = "2024-05-01T10:00:00Z"
    records = [each.replace(stamp, "2026-11-25T01:02:03Z") for each in service.records]
    service.records = [*records[:-1], entry(COUNT - 1, title="Another title")]
    assert figures(portal.run(source)) == {"updated": 1, "not modified": COUNT - 1}

    # A total that is not met deletes nothing, however often.
    whole = service.records
    service.records, service.total = whole[2:], str(COUNT)
    for _ in range(3):
        job = portal.run(source)
        assert figures(job) == {"not modified": COUNT - 2}
    report = model.Session.query(JobReport).filter_by(job_id=job["id"]).one()
    assert f"announces {counted(COUNT, 'record')} and shows {COUNT - 2}" in str(report.reason)

    service.total = None
    assert figures(portal.run(source)) == {"not modified": COUNT - 2, "missing": 2}
    assert figures(portal.run(source)) == {"not modified": COUNT - 2, "deleted": 2}
    assert act("package_search")["count"] == COUNT - 2
