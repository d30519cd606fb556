"""The last versions of a record, and the differences between two of them."""

from __future__ import annotations

from ckan import model
from ckan.tests.helpers import call_action

from ckanext.ukharvest.harvest.model import RecordVersion
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvest.records.record_versions import GUID, PATH, change
from tests.ckan.harvesting import Portal
from tests.publisher import Publisher


def test_the_last_five_contents_that_differ_are_kept(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    jobs = []
    for number in range(7):
        change(publisher, f"Text {number}.")
        jobs.append(portal.run(source)["id"])
    kept = call_action("ukharvest_record_version_list", source_id=source, guid=GUID)
    assert [each["version"] for each in kept] == [1, 2, 3, 4, 5]
    assert [each["job_id"] for each in kept] == jobs[-5:]
    assert all(each["size"] > 100 for each in kept)
    assert kept[0]["created"] < kept[4]["created"] or kept[0]["created"] == kept[4]["created"]
    other = call_action("ukharvest_record_version_list", source_id="source-1", guid=GUID[:-1] + "1")
    assert len(other) == 1
    assert model.Session.query(RecordVersion).count() == 6


def test_unchanged_record_makes_no_version(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    portal.run(source)
    portal.run(source, force=True)
    publisher.serve(PATH, catalogue([dict(reversed(dataset(n).items())) for n in range(2)]))
    portal.run(source, force=True)
    assert len(call_action("ukharvest_record_version_list", source_id=source, guid=GUID)) == 1


def test_a_record_that_ckan_refuses_makes_no_version(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    publisher.serve(PATH, catalogue([dataset(0, title=""), dataset(1)]))
    portal.run(source)
    assert len(call_action("ukharvest_record_version_list", source_id=source, guid=GUID)) == 1
