"""data.gov.uk's rules for importing a GEMINI record, each with its outcome here.

Its harvester had ten; the second, validation, is not part of the import.
"""

from __future__ import annotations

import pytest
from ckan import model
from ckan.tests import factories
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest.harvest.model import RecordProblem
from ckanext.ukharvest.source_types.gemini import GEMINI_WAF
from tests.ckan.gemini_records import dataset, uuid
from tests.ckan.harvesters.gemini_folders import Folder, errors
from tests.ckan.harvesting import Portal, act, extras, figures, statements
from tests.ckan.portal_copies import SourceMaker
from tests.contract import SERVERS
from tests.publisher import Publisher
from tests.publishing.records import items

pytestmark = pytest.mark.in_process

GUID = uuid(1)
PARTY = """<gmd:pointOfContact><gmd:CI_ResponsibleParty>
  <gmd:organisationName><gco:CharacterString>{}</gco:CharacterString></gmd:organisationName>
  <gmd:role><gmd:CI_RoleCode codeListValue="owner"/></gmd:role>
</gmd:CI_ResponsibleParty></gmd:pointOfContact>"""


@pytest.fixture
def folder(publisher: Publisher) -> Folder:
    return Folder(publisher)


@pytest.fixture
def source(portal: Portal, folder: Folder, ready_source: SourceMaker) -> str:
    """A source with one record, harvested."""
    folder.serve({"rivers.xml": dataset(GUID)})
    source_id = ready_source(folder.path, type_="gemini-waf")
    assert figures(portal.job(ready_source.job_id)) == {"added": 1}
    return source_id


def problems(code: str) -> list[str]:
    model.Session.remove()
    found = model.Session.query(RecordProblem).filter_by(code=code, current=True)
    return [each.message for each in found]


def test_1_records_of_a_responsible_party_can_be_left_out(portal: Portal, folder: Folder) -> None:
    folder.serve(
        {
            "theirs.xml": dataset(uuid(1), more=PARTY.format("Another Agency")),
            "ours.xml": dataset(uuid(2), more=PARTY.format("Somewhere Council")),
        }
    )
    config = {"skip-responsible-party": "Another Agency"}
    source = portal.source(folder.url, "gemini-waf", config=config)
    assert figures(portal.run(source)) == {"added": 1, "not modified": 1}
    assert [extras(each)["guid"] for each in portal.datasets()] == [uuid(2)]


def test_3_a_box_without_an_area_is_a_place(portal: Portal, folder: Folder) -> None:
    folder.serve({"gauge.xml": dataset(GUID, "Gauge", box=(-2.5, -2.5, 53.5, 53.5))})
    source = portal.source(folder.url, "gemini-waf")
    assert figures(portal.run(source)) == {"added": 1}
    [shown] = portal.datasets()
    assert '"Point"' in extras(shown)["spatial"]


def test_4_a_date_that_cannot_be_read_loses_no_record(portal: Portal, folder: Folder) -> None:
    dates = ("last May", "2026-13-45", "")
    folder.serve({f"{n}.xml": dataset(uuid(n), date=date) for n, date in enumerate(dates)})
    source = portal.source(folder.url, "gemini-waf")
    assert figures(portal.run(source)) == {"added": 3}
    reported = " ".join(messages := problems("bad-date"))
    assert ([date in reported for date in dates], len(messages)) == ([True] * 3, 2)


def test_5_second_file_of_an_identifier_is_reported(
    portal: Portal, folder: Folder, source: str
) -> None:
    folder.serve({"rivers.xml": dataset(GUID), "copy.xml": dataset(GUID, "Lakes")})
    for _ in range(2):
        job = portal.run(source)
        assert figures(job) == {"not modified": 1, "errored": 1}
        [message] = errors(job)
        for part in (f"{folder.url}rivers.xml", f"{folder.url}copy.xml", GUID):
            assert part in message
        assert [each["title"] for each in portal.datasets()] == ["Rivers"]


def test_6_an_identifier_of_another_publisher(
    portal: Portal, publisher: Publisher, folder: Folder, ready_source: SourceMaker
) -> None:
    titles = ("Rivers", "rivers ", "Lakes")  # the last makes it another dataset than the other's
    folder.serve({f"{n}.xml": dataset(uuid(n)) for n in range(3)})
    source = ready_source(folder.path, type_="gemini-waf")
    before = portal.datasets()
    other_folder = Folder(publisher, "/other/")
    other_folder.serve(
        {f"{n}.xml": dataset(uuid(n), title, date="2026-06-01") for n, title in enumerate(titles)}
    )
    elsewhere = factories.Organization()
    other = portal.source(other_folder.url, "gemini-waf", owner_org=elsewhere["id"])
    for _ in range(2):
        job = portal.run(other)
        assert figures(job) == {"errored": 1, "not modified": 2}
        [message] = errors(job)
        advice = "give the record an identifier of its own"
        for part in (uuid(2), other_folder.url, publisher.url("/waf/"), advice):
            assert part in message
        assert figures(portal.run(source)) == {"not modified": 3}
        assert portal.datasets() == before


def test_6_but_not_of_one_that_has_deleted_it(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    act("package_delete", id=portal.datasets()[0]["id"])
    other_folder = Folder(publisher, "/other/")
    other_folder.serve({"mine.xml": dataset(GUID)})
    other = portal.source(other_folder.url, "gemini-waf")
    assert figures(portal.run(other)) == {"added": 1}


def test_7_a_newer_date_is_an_update_and_nothing_new_is_none(
    portal: Portal, folder: Folder, source: str
) -> None:
    assert figures(portal.run(source)) == {"not modified": 1}
    folder.serve({"rivers.xml": dataset(GUID, abstract="More.", date="2026-06-01")})
    assert figures(portal.run(source)) == {"updated": 1}
    assert problems("date-not-changed") == []


def test_7_change_under_an_old_date_is_imported_and_reported(
    portal: Portal, folder: Folder, ready_source: SourceMaker
) -> None:
    dates = ("2026-05-01", "2026-04-30", "2026-04", "2025")

    def serve(*given: str, **fields: str) -> None:
        records = [dataset(uuid(n), f"No {n}", date=date, **fields) for n, date in enumerate(given)]
        folder.serve({f"{n}.xml": record for n, record in enumerate(records)})

    serve(*["2026-05-01"] * 4)
    source = ready_source(folder.path, type_="gemini-waf")
    serve(*dates, abstract="More.")
    assert figures(portal.run(source)) == {"updated": 4}
    assert {each["notes"] for each in portal.datasets()} == {"More."}
    found = problems("date-not-changed")
    assert len(found) == 4
    counts = {date: sum(date in message for message in found) for date in dates}
    assert counts == {"2026-05-01": 4, "2026-04-30": 1, "2026-04": 2, "2025": 1}
    for message in found:
        assert message.startswith("gmd:dateStamp: ")
        assert "identifier" in message
    # It stays reported until the publisher sets the date.
    assert figures(portal.run(source)) == {"not modified": 4}
    assert figures(portal.run(source, force=True)) == {"updated": 4}
    assert len(problems("date-not-changed")) == 4
    serve(*["2026-05-02"] * 4, abstract="More.")
    assert figures(portal.run(source)) == {"updated": 4}
    assert problems("date-not-changed") == []


def test_7_what_differs_in_layout_alone_has_not_changed(
    portal: Portal, folder: Folder, source: str
) -> None:
    folder.serve({"rivers.xml": dataset(GUID).replace(">\n", ">\n\n    ")})
    assert figures(portal.run(source)) == {"not modified": 1}
    assert figures(portal.run(source, force=True)) == {"updated": 1}
    assert problems("date-not-changed") == []


def test_7_other_types_know_no_such_date(portal: Portal, publisher: Publisher) -> None:
    serve = SERVERS["data_json"]
    source = portal.source(publisher.url(serve(publisher, items(1)).path))
    portal.run(source)
    serve(publisher, items(1, description="Another."))
    assert figures(portal.run(source)) == {"updated": 1}
    assert problems("date-not-changed") == []


def test_7_earlier_versions_are_loaded_once_for_all_records(
    portal: Portal, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(publisher, "/rivers/")
    folder.serve({f"{number}.xml": dataset(uuid(number)) for number in range(4)})
    source = portal.source(folder.url, "gemini-waf")
    assert figures(portal.run(source)) == {"added": 4}
    monkeypatch.setattr(GEMINI_WAF.parser, "VERSION", 999)
    with statements("ukharvest_version") as sent:
        assert figures(portal.run(source)) == {"not modified": 4}
    assert len(sent) == 1


def test_8_what_a_person_deleted_stays_so_whatever_the_date(
    portal: Portal, folder: Folder, source: str
) -> None:
    [before] = portal.datasets()
    act("package_delete", id=before["id"])
    folder.serve({"rivers.xml": dataset(GUID, abstract="More.", date="2026-06-01")})
    assert figures(portal.run(source)) == {"not modified": 1}
    assert portal.datasets() == []
    assert figures(portal.run(source, force=True)) == {"updated": 1}
    assert [each["id"] for each in portal.datasets()] == [before["id"]]


def test_8_returned_record_gets_its_dataset_back(
    portal: Portal, folder: Folder, source: str
) -> None:
    [before] = portal.datasets()
    folder.serve({"lakes.xml": dataset(uuid(2), "Lakes")})
    portal.run(source)
    portal.run(source)
    assert [each["title"] for each in portal.datasets()] == ["Lakes"]
    folder.serve({"lakes.xml": dataset(uuid(2), "Lakes"), "rivers.xml": dataset(GUID)})
    assert figures(portal.run(source)) == {"not modified": 1, "updated": 1}
    assert (portal.datasets()[1]["id"], portal.datasets()[1]["name"]) == (
        before["id"],
        before["name"],
    )
    assert problems("date-not-changed") == []


def test_9_there_is_one_current_object(portal: Portal, folder: Folder, source: str) -> None:
    [before] = portal.datasets()
    folder.serve({"rivers.xml": dataset(GUID, abstract="More.", date="2026-06-01")})
    portal.run(source)
    current = model.Session.query(HarvestObject).filter_by(package_id=before["id"], current=True)
    assert current.count() == 1
    current.update({"current": False})
    model.Session.commit()
    assert figures(portal.run(source)) == {"updated": 1}
    assert [each["id"] for each in portal.datasets()] == [before["id"]]
    assert current.count() == 1


def test_9_a_file_under_another_name_is_the_same_dataset(
    portal: Portal, folder: Folder, source: str
) -> None:
    [before] = portal.datasets()
    assert extras(before)["harvest_source_reference"] == f"{folder.url}rivers.xml"
    folder.serve({"water.xml": dataset(GUID, "Waters", date="2026-06-01")})
    assert figures(portal.run(source)) == {"updated": 1}
    [after] = portal.datasets()
    for key in ("id", "name", "owner_org"):
        assert after[key] == before[key]
    assert after["title"] == "Waters"
    assert extras(after)["harvest_source_reference"] == f"{folder.url}water.xml"


def test_10_what_is_gone_is_deleted_once_two_runs_have_missed_it(
    portal: Portal, folder: Folder, source: str
) -> None:
    files = {f"{n}.xml": dataset(uuid(n), f"Record {n}") for n in range(1, 5)}
    folder.serve(files)
    portal.run(source)
    portal.run(source)
    del files["4.xml"]
    folder.serve(files)
    assert figures(portal.run(source)) == {"not modified": 3, "missing": 1}
    assert figures(portal.run(source)) == {"not modified": 3, "deleted": 1}
    assert len(portal.datasets()) == 3


@pytest.mark.parametrize("type_name", ["gemini-single", "gemini-waf", "gemini-csw"])
def test_gemini_dataset_names_its_file_or_identifier(
    portal: Portal, publisher: Publisher, type_name: str
) -> None:
    served = SERVERS[type_name](publisher, items(1))
    portal.run(portal.source(publisher.url(served.path), type_name))
    [shown] = portal.datasets()
    assert (
        extras(shown)["harvest_source_reference"]
        == {
            "gemini-single": publisher.url(served.path),
            "gemini-waf": publisher.url("/waf/0.xml"),
            "gemini-csw": "id-0",
        }[type_name]
    )
