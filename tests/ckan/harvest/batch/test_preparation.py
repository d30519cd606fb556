"""Validation of records on a portal: report, reject and off."""

from __future__ import annotations

from typing import Any

import pytest
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestObjectError

from ckanext.ukharvest.core.errors import NotValid, RecordError
from ckanext.ukharvest.core.records import Problem
from ckanext.ukharvest.harvest.batch import import_stage
from ckanext.ukharvest.harvest.model import RecordProblem
from tests.ckan.harvesters.gemini_folders import Folder, errors
from tests.ckan.harvesting import Portal, act, figures
from tests.iso_spelling import text
from tests.parsers.gemini.rules.documents import ABSTRACT, TITLE, dataset
from tests.publisher import Publisher

pytestmark = pytest.mark.in_process

GOOD = dataset()
SHORT = dataset(
    title=text("gmd:title", "Land use, again"), abstract=text("gmd:abstract", "Fields.")
)
BETTER = dataset(abstract=text("gmd:abstract", ABSTRACT * 2))


@pytest.fixture
def folder(publisher: Publisher) -> Folder:
    return Folder(publisher)


def codes() -> list[str]:
    """Return the codes of all problems on the portal."""
    model.Session.remove()
    return sorted(each.code for each in model.Session.query(RecordProblem).filter_by(current=True))


def run(portal: Portal, folder: Folder, source: str, record: str) -> dict[str, Any]:
    folder.serve({"land.xml": record})
    return portal.run(source)


def test_off_asks_nothing_and_reported_records_come_in(portal: Portal, folder: Folder) -> None:
    source = portal.source(folder.url, "gemini-waf", config={"validation": "off"})
    assert figures(run(portal, folder, source, SHORT)) == {"added": 1}
    assert [each for each in codes() if each.startswith("gemini-")] == []
    # The same record is validated once the source's options say so.
    act("harvest_source_patch", id=source, config='{"validation": "report"}')
    # Its dataset is the same; only what is known of it changes.
    assert figures(run(portal, folder, source, SHORT)) == {"not modified": 1}
    assert "gemini-04-short" in codes()
    assert figures(run(portal, folder, source, GOOD)) == {"updated": 1}
    assert [each for each in codes() if each.startswith("gemini-")] == []


def test_a_rejected_record_has_no_dataset_and_keeps_its_problems(
    portal: Portal, folder: Folder
) -> None:
    source = portal.source(folder.url, "gemini-waf", config={"validation": "reject"})
    for night in range(2):
        job = run(portal, folder, source, SHORT)
        assert figures(job) == {"errored": 1}
        if night == 0:  # without an import ckanext-harvest has no error to show
            [message] = errors(job)
            assert "is rejected, as it breaks its standard: (1) line " in message
            assert "gmd:abstract (Abstract) has 7 characters" in message
        assert "gemini-04-short" in kinds(source_id=source)["lost"]
        assert codes().count("gemini-04-short") == 1
        assert portal.datasets() == []
    assert model.Session.query(HarvestObjectError).count() == 1
    assert figures(run(portal, folder, source, GOOD)) == {"added": 1}
    assert "gemini-04-short" not in codes()


def test_record_rejected_by_two_consumers_is_reported_once(portal: Portal, folder: Folder) -> None:
    source = portal.source(folder.url, "gemini-waf", config={"validation": "reject"})
    run(portal, folder, source, SHORT)
    before = codes()
    [error] = model.Session.query(HarvestObjectError)
    object_id, message, line = error.harvest_object_id, error.message, error.line
    problems = tuple(
        Problem(each.code, each.field, each.message, each.line)
        for each in model.Session.query(RecordProblem).filter_by(current=True)
    )
    for _consumer in range(2):
        import_stage.fail_object(object_id, NotValid(message, problems=problems), "Import")
        assert codes() == before
        [error] = model.Session.query(HarvestObjectError)
        assert (error.message, error.line) == (message, line)


def test_a_rejected_change_leaves_the_version_before(portal: Portal, folder: Folder) -> None:
    source = portal.source(folder.url, "gemini-waf", config={"validation": "reject"})
    assert figures(run(portal, folder, source, GOOD)) == {"added": 1}
    for mended in (GOOD, BETTER):
        [before] = portal.datasets()
        for _night in range(2):
            assert figures(run(portal, folder, source, SHORT)) == {"errored": 1}
            assert portal.datasets() == [before]
            assert codes().count("gemini-04-short") == 1
        # Also if it is again the same as before; its dataset is not written then.
        outcome = "not modified" if mended == GOOD else "updated"
        assert figures(run(portal, folder, source, mended)) == {outcome: 1}
        assert portal.datasets()[0]["title"] == TITLE
        assert "gemini-04-short" not in codes()
        assert figures(run(portal, folder, source, mended)) == {"not modified": 1}


def test_new_failure_replaces_the_validation_errors(portal: Portal, folder: Folder) -> None:
    source = portal.source(folder.url, "gemini-waf", config={"validation": "reject"})
    rejected = run(portal, folder, source, SHORT)["id"]
    assert "gemini-04-short" in kinds(job_id=rejected)["lost"]
    [object_id] = model.Session.scalars(model.Session.query(HarvestObject.id).statement)
    import_stage.fail_object(object_id, RecordError("the server answered with 503"), "Fetch")
    assert codes() == []
    assert "gemini-04-short" not in kinds(source_id=source)["lost"]


def test_failed_fetch_keeps_problems_of_stored_version(portal: Portal, folder: Folder) -> None:
    source = portal.source(folder.url, "gemini-waf")
    first = run(portal, folder, source, SHORT)["id"]
    known = kinds(job_id=first)
    assert "gemini-04-short" in known["problem"]
    folder.publisher.serve("/waf/land.xml", b"", status=404)
    for _night in range(2):
        lost = portal.run(source)["id"]
        assert kinds(job_id=lost) == {"lost": {"bad-status"}}
        assert kinds(job_id=first) == known
        assert kinds(source_id=source) == known | {"lost": {"bad-status"}}


def kinds(**of: str) -> dict[str, set[str]]:
    """Return the codes of failures and of problems."""
    found: dict[str, set[str]] = {}
    for group in act("ukharvest_problem_group_list", **of):
        found.setdefault(group["severity"], set()).add(group["code"])
    return found


def test_source_of_data_gov_uk_keeps_its_profiles(portal: Portal, folder: Folder) -> None:
    config = {
        "validator_profiles": ["iso19139eden", "constraints-1.4", "gemini2-1.3"],
        "continue_on_validation_errors": False,
    }
    source = portal.source(folder.url, "gemini-waf", config=config)
    assert figures(run(portal, folder, source, GOOD)) == {"errored": 1}
    assert "gemini-25-restricted" in codes()  # a requirement of GEMINI 2.1 alone
    profiles = '{"validation_profiles": ["iso19139eden", "constraints-1.4"]}'
    act("harvest_source_patch", id=source, config=profiles)
    assert figures(run(portal, folder, source, GOOD)) == {"added": 1}
    assert [code for code in codes() if code.startswith("gemini-")] == []
