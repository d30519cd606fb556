"""Effects of a run: new, changed, unchanged, gone, missing, forced, broken, twice."""

from __future__ import annotations

import pytest
from ckan import model
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.harvest.model import RecordProblem
from ckanext.ukharvest.source_types import source_type
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import Portal, act, extras, figures, statements
from tests.publisher import Publisher

PATH = "/data.json"


@pytest.fixture
def source(portal: Portal, publisher: Publisher) -> str:
    publisher.serve(PATH, catalogue(4))
    return portal.source(publisher.url(PATH))


def ids(portal: Portal) -> dict[str, tuple[str, str, list[str]]]:
    """Return title → id, name and resource ids of each dataset."""
    return {
        each["title"]: (each["id"], each["name"], [r["id"] for r in each["resources"]])
        for each in portal.datasets()
    }


def test_a_new_source_brings_all_its_datasets(portal: Portal, source: str) -> None:
    job = portal.run(source)
    assert job["status"] == "Finished"
    assert figures(job) == {"added": 4}
    first = portal.datasets()[0]
    assert first["title"] == "Dataset 00000"
    assert first["notes"] == "What is known about number 0."
    assert first["license_id"] == "uk-ogl"
    assert first["maintainer_email"] == "data@somewhere.example"
    assert sorted(tag["name"] for tag in first["tags"]) == ["parking", "roads"]
    assert extras(first)["guid"] == "https://data.example/id/00000"
    assert [(r["url"], r["format"], r["name"]) for r in first["resources"]] == [
        ("https://data.example/files/0.csv", "CSV", "Table 0")
    ]
    assert len(portal.search_names()) == 4


def test_only_changed_records_are_written_and_keep_their_ids(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    portal.run(source)
    before = ids(portal)
    job = portal.run(source)
    assert figures(job) == {"not modified": 4}
    objects = model.Session.query(HarvestObject).filter_by(harvest_job_id=job["id"])
    assert objects.count() == 0, "an unchanged record costs no harvest object"
    shuffled = [dict(reversed(dataset(n).items())) for n in reversed(range(4))]
    publisher.serve(PATH, catalogue(shuffled))
    assert figures(portal.run(source)) == {"not modified": 4}, "order is no change"
    changed = [dataset(n) for n in range(4)]
    changed[2]["description"] = "More is known now."
    changed[3]["distribution"][0]["downloadURL"] += "?version=20261121"
    publisher.serve(PATH, catalogue(changed))
    assert figures(portal.run(source)) == {"updated": 2, "not modified": 2}
    assert ids(portal) == before
    assert portal.datasets()[2]["notes"] == "More is known now."
    assert portal.datasets()[3]["resources"][0]["url"].endswith("?version=20261121")


def test_gone_records_are_deleted_and_come_back(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    portal.run(source)
    before = ids(portal)
    publisher.serve(PATH, catalogue(3))
    assert figures(portal.run(source)) == {"not modified": 3, "missing": 1}
    assert len(portal.datasets()) == 4, "the first complete run without a record deletes nothing"
    job = portal.run(source)
    assert figures(job) == {"not modified": 3, "deleted": 1}
    assert len(portal.datasets()) == len(portal.search_names()) == 3
    assert figures(portal.run(source)) == {"not modified": 3}
    publisher.serve(PATH, catalogue(4))
    assert figures(portal.run(source)) == {"not modified": 3, "updated": 1}
    assert ids(portal) == before, "a record that comes back has its old dataset again"
    assert len(portal.search_names()) == 4
    [deletion] = portal.objects(job["id"])
    act("harvest_objects_import", harvest_object_id=deletion)
    assert ids(portal) == before, "importing the old object again deletes nothing"
    call_action(
        "package_delete", {"ignore_auth": True}, id="dataset-00003"
    )  # from now on a person's word counts
    portal.run(source)
    publisher.serve(PATH, catalogue([*map(dataset, range(3)), dataset(3, title="Renamed")]))
    portal.run(source)
    assert len(portal.datasets()) == 3


def test_mass_disappearance_and_empty_document_delete_nothing(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    portal.run(source)
    publisher.serve(PATH, catalogue(0))
    for _ in range(3):
        assert "deleted" not in figures(portal.run(source)), "empty"
    assert len(portal.datasets()) == 4, "empty"
    publisher.serve(PATH, catalogue(1))
    portal.run(source)
    job = portal.run(source)
    assert figures(job) == {"not modified": 1, "missing": 3}
    assert job["ukharvest"]["outcome"] == "held"
    assert "3 of 4" in job["ukharvest"]["reason"]
    assert len(portal.datasets()) == 4


@pytest.mark.ckan_config("ckanext.ukharvest.delete.after_runs", "1")
def test_gone_records_are_deleted_at_once_by_setting(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    portal.run(source)
    publisher.serve(PATH, catalogue(3))
    assert figures(portal.run(source)) == {"not modified": 3, "deleted": 1}


@pytest.mark.ckan_config("ckanext.ukharvest.delete.after_runs", "3")
def test_record_no_longer_public_is_deleted(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    portal.run(source)
    records = [dataset(n) for n in range(4)]
    records[3]["accessLevel"] = "non-public"
    publisher.serve(PATH, catalogue(records))
    assert figures(portal.run(source)) == {"not modified": 4}  # the import finds it out
    for _ in range(2):
        assert figures(portal.run(source)) == {"not modified": 4, "missing": 1}
    assert figures(portal.run(source)) == {"not modified": 4, "deleted": 1}
    assert figures(portal.run(source)) == {"not modified": 4}


def test_a_server_that_fails_on_page_2_stops_the_run(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    publisher.serve("/data.json?page=2", catalogue([dataset(n) for n in range(4, 8)]))
    assert figures(portal.run(source)) == {"added": 8}
    publisher.serve(PATH, catalogue([dataset(n, title=f"Renamed {n}") for n in range(4)]))
    publisher.fail("/data.json?page=2", status=500, times=10)
    job = portal.run(source)
    assert job["status"] == "Finished"
    assert figures(job) == {"errored": 1}
    assert job["ukharvest"]["outcome"] == "failed"
    [error] = job["gather_error_summary"]
    assert "/data.json?page=2" in error["message"]
    assert "500" in error["message"]
    assert len(portal.datasets()) == 8
    assert portal.datasets()[0]["title"] == "Dataset 00000"
    assert model.Session.query(HarvestObject).filter_by(harvest_job_id=job["id"]).count() == 0


def test_bad_record_loses_no_other_record(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    broken = [dataset(n) for n in range(4)]
    del broken[1]["title"]
    del broken[3]["identifier"]
    publisher.serve(PATH, catalogue(broken))
    job = portal.run(source)
    assert figures(job) == {"added": 2, "errored": 2}
    messages = " ".join(error["message"] for error in job["object_error_summary"])
    assert "title" in messages
    assert "identifier" in messages
    assert figures(portal.run(source)) == {"not modified": 2, "errored": 2}


@pytest.mark.parametrize("is_known", [False, True])
def test_a_duplicate_is_listed_under_its_own_title(
    portal: Portal, publisher: Publisher, source: str, *, is_known: bool
) -> None:
    if is_known:  # then the first record is unchanged, and nothing of it is staged
        publisher.serve(PATH, catalogue([dataset(1)]))
        portal.run(source)
    publisher.serve(PATH, catalogue([dataset(1), dataset(1, title="Impostor"), dataset(2)]))
    job = portal.run(source)
    assert figures(job) == {"added": 2 - is_known, "errored": 1} | (
        {"not modified": 1} if is_known else {}
    )
    titles = [each["title"] for each in portal.datasets()]
    assert titles == ["Dataset 00001", "Dataset 00002"], "the first counts"
    run = job["id"]
    [problem] = call_action("ukharvest_problem_list", job_id=run)["results"]
    assert problem["message"] == (
        "“Impostor” (dataset 2) has the same identifier as dataset 1:"
        " 'https://data.example/id/00001'. Only dataset 1 is imported."
        " The title of the imported record is “Dataset 00001”."
    )
    assert (problem["record_title"], problem["dataset_name"]) == ("Impostor", None)
    [group] = call_action("ukharvest_problem_group_list", source_id=source)
    assert group["examples"][0]["title"] == "Impostor"
    [lost] = call_action("ukharvest_record_list", job_id=run, outcome="lost")["results"]
    assert (lost["title"], lost["record_id"], lost["dataset_name"]) == ("Impostor", None, None)
    [first] = call_action("ukharvest_record_list", source_id=source, q="00001")["results"][1:]
    shown = call_action("ukharvest_record_show", id=first["record_id"])
    assert {each["outcome"] for each in shown["history"]} == {"added"}


def test_messages_delivered_twice_change_nothing(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    broken = [dataset(n) for n in range(4)]
    broken[0]["title"] = ""
    publisher.serve(PATH, catalogue(broken))
    assert figures(portal.run(source, twice=True)) == {"added": 3, "errored": 1}
    broken[1]["description"] = "Changed."
    publisher.serve(PATH, catalogue(broken[:3]))
    job = portal.run(source, twice=True)
    assert figures(job) == {"updated": 1, "not modified": 1, "errored": 1, "missing": 1}
    job = portal.run(source, twice=True)
    assert figures(job) == {"not modified": 2, "errored": 1, "deleted": 1}
    assert len(portal.datasets()) == 2


def test_a_gather_delivered_twice_gathers_once(portal: Portal, source: str) -> None:
    job_id = portal.create_job(source)
    assert len(portal.gather(job_id)) == 4
    assert portal.gather(job_id) == []
    for object_id in portal.waiting(job_id):
        portal.deliver(object_id)
    assert figures(portal.finish(job_id)) == {"added": 4}


def test_a_forced_run_writes_all(portal: Portal, source: str) -> None:
    portal.run(source)
    job_id = portal.create_job(source)
    portal.gather(job_id, force=True)
    for object_id in portal.waiting(job_id):
        portal.deliver(object_id)
    assert figures(portal.finish(job_id)) == {"updated": 4}


def test_a_persons_edit_survives_until_the_record_changes(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    portal.run(source)
    first = portal.datasets()[0]
    call_action("package_patch", {"ignore_auth": True}, id=first["id"], notes="By hand.")
    call_action(
        "resource_create",
        {"ignore_auth": True},
        package_id=first["id"],
        url="https://example.org/guide.pdf",
        name="Guide",
    )
    portal.run(source)
    assert portal.datasets()[0]["notes"] == "By hand."
    publisher.serve(PATH, catalogue([dataset(n, description="New.") for n in range(4)]))
    portal.run(source)
    first = portal.datasets()[0]
    assert first["notes"] == "New."
    assert [r["name"] for r in first["resources"]] == ["Table 0", "Guide"]


def test_fields_that_the_source_may_not_overwrite_stay(
    portal: Portal, publisher: Publisher
) -> None:
    publisher.serve(PATH, catalogue(1))
    source = portal.source(publisher.url(PATH), config={"not_overwrite": ["notes"]})
    portal.run(source)
    dataset_id = portal.datasets()[0]["id"]
    call_action("package_patch", {"ignore_auth": True}, id=dataset_id, notes="By hand.")
    publisher.serve(PATH, catalogue([dataset(0, description="New.", title="New title")]))
    portal.run(source)
    assert portal.datasets()[0]["notes"] == "By hand."
    assert portal.datasets()[0]["title"] == "New title"


def test_two_records_with_one_title_have_two_names(portal: Portal, publisher: Publisher) -> None:
    publisher.serve(PATH, catalogue([dataset(n, title="Car parks") for n in range(3)]))
    portal.run(portal.source(publisher.url(PATH)))
    assert [each["name"] for each in portal.datasets()] == [
        "car-parks",
        "car-parks-2",
        "car-parks-3",
    ]


def test_not_modified_is_trusted_after_a_clean_run(
    portal: Portal, publisher: Publisher, source: str
) -> None:
    publisher.serve(PATH, catalogue(4), etag='"one"')
    portal.run(source)
    publisher.requests.clear()
    assert figures(portal.run(source)) == {"not modified": 4}
    assert publisher.requests[0].headers["If-None-Match"] == '"one"'
    call_action("dataset_purge", {"ignore_auth": True}, id=portal.datasets()[0]["id"])
    publisher.requests.clear()
    assert figures(portal.run(source)) == {"not modified": 3, "added": 1}
    assert "If-None-Match" not in publisher.requests[0].headers


def test_a_wrong_configuration_is_refused_on_save(portal: Portal, publisher: Publisher) -> None:
    with pytest.raises(Exception, match="not_overwrite"):
        portal.source(publisher.url(PATH), config={"not_overwite": ["notes"]})


def test_each_import_replaces_the_problems_of_a_record(
    portal: Portal, publisher: Publisher
) -> None:
    def problems() -> list[tuple[str, str]]:
        query = model.Session.query(RecordProblem.code, RecordProblem.field).filter_by(current=True)
        return sorted((code, field) for code, field in query)

    nowhere = '{"type": "Point", "coordinates": [NaN, NaN]}'
    first = dataset(0, issued="soon", isPartOf="nobody", spatial=nowhere)
    publisher.serve(PATH, catalogue([first]))
    source = portal.source(publisher.url(PATH))
    assert figures(portal.run(source)) == {"added": 1}
    assert problems() == [
        ("bad-date", "issued"),
        ("bad-spatial", "spatial"),
        ("missing-parent", "isPartOf"),
    ]
    children = [dataset(0, isPartOf="collection"), dataset(1, identifier="collection")]
    publisher.serve(PATH, catalogue(children))
    portal.run(source)
    assert problems() == []


@pytest.mark.in_process
def test_unchanged_run_needs_a_fixed_number_of_statements(
    portal: Portal, publisher: Publisher
) -> None:
    def count_requests(path: str, numbers: range) -> int:
        publisher.serve(path, catalogue([dataset(number) for number in numbers]))
        source = portal.source(publisher.url(path))
        portal.run(source)
        job_id = portal.create_job(source)
        with statements() as sent:
            assert portal.gather(job_id) == []
        return len(sent)

    few, many = count_requests("/few.json", range(2)), count_requests("/many.json", range(2, 14))
    assert few == many
    assert many < 40


@pytest.mark.in_process
def test_new_option_of_a_release_imports_nothing_again(
    portal: Portal, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    portal.run(source)
    added = Option("brand_new", "boolean", False, "Came with the next release.")
    monkeypatch.setattr(source_type, "COMMON_OPTIONS", (*COMMON_OPTIONS, added))
    assert figures(portal.run(source)) == {"not modified": 4}


def test_a_changed_option_imports_everything_again(portal: Portal, publisher: Publisher) -> None:
    publisher.serve(PATH, catalogue(3))
    source = portal.source(publisher.url(PATH))
    portal.run(source)
    call_action(
        "harvest_source_patch",
        {"ignore_auth": True},
        id=source,
        config='{"default_tags": ["harvested"]}',
    )
    assert figures(portal.run(source)) == {"updated": 3}
    assert "harvested" in [tag["name"] for tag in portal.datasets()[0]["tags"]]
