"""Faults of a publisher at a source's second run, through CKAN's real stages: nothing is deleted.

tests/publishers has every fault for every source type, without CKAN.
"""

from __future__ import annotations

import pytest
from ckan import model

from ckanext.ukharvest.harvest.model import JobReport, Record
from ckanext.ukharvest.source_types import TYPES
from tests.ckan.harvesting import Portal
from tests.contract import SERVERS
from tests.publisher import Publisher
from tests.publishing.faults import FAULTS, play
from tests.publishing.records import items

# Which publisher it is matters to the readers alone: a document, a graph, a file for a record and
# pages of records play all five faults. bin/test --all has the other types too.
SHAPES = ("data_json", "dcat_rdf", "gemini-waf", "oaipmh")
PLAYED = ("slow", "resets-halfway", "half-a-document", "error-page-with-200", "five-gigabytes")


@pytest.mark.ckan_config("ckanext.ukharvest.http.total_timeout", "3")
@pytest.mark.ckan_config("ckanext.ukharvest.http.max_megabytes", "1")
@pytest.mark.ckan_config("ckanext.ukharvest.delete.after_runs", "1")
@pytest.mark.parametrize(
    "type_name",
    [pytest.param(name, marks=() if name in SHAPES else pytest.mark.giant) for name in TYPES],
)
def test_a_faulty_publisher_loses_no_dataset(
    portal: Portal, publisher: Publisher, type_name: str
) -> None:
    served = SERVERS[type_name](publisher, items(4))
    url = publisher.url(served.path)
    source = portal.source(url, type_name)
    portal.run(source)
    late = "/waf/2.xml" if type_name == "gemini-waf" else served.late_path
    # One record is gone; a folder's page proves that even if one of its files cannot be read.
    left = 4 if type_name == "gemini-waf" else 3
    number = sorted(TYPES).index(type_name)
    for name in (PLAYED[number % len(PLAYED)], PLAYED[(number + 2) % len(PLAYED)]):
        (fault,) = [each for each in FAULTS if each.name == name]
        SERVERS[type_name](publisher, items(left, description=name))
        play(fault, publisher, late)
        job = portal.run(source)
        assert job["status"] == "Finished", fault.name
        errors = (*job["gather_error_summary"], *job["object_error_summary"])
        told = [_reason(job["id"]), *(each["message"] for each in errors)]
        assert any(publisher.base in message for message in told), (fault.name, told)
        assert len(portal.datasets()) == 4, fault.name
        assert _missed() == 0, fault.name


def _reason(job_id: str) -> str:
    return str(model.Session.query(JobReport.reason).filter_by(job_id=job_id).scalar())


def _missed() -> int:
    return model.Session.query(Record).filter(Record.missed_runs > 0).count()
