"""What everybody gets of a source: a short status, and an index without errors.

tests/ckan/lib/test_source_secrets.py has all pages and actions.
"""

from __future__ import annotations

import json

import pytest
import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from ckan.tests.helpers import call_action
from ckanext.harvest.model import HarvestGatherError, HarvestJob, HarvestObjectError

from ckanext.ukharvest.harvest.model import JobReport, RecordProblem
from tests.ckan.catalogues import catalogue, dataset
from tests.ckan.harvesting import statements
from tests.ckan.portal_copies import SourceMaker
from tests.publisher import Response

pytestmark = pytest.mark.in_process

Session = model.Session


@pytest.fixture
def source(ready_source: SourceMaker) -> str:
    """A source with a failed record, one with a problem, and a failed run."""
    faulty = [dataset(0), dataset(1, title=""), dataset(2, modified="the tenth of Brumaire")]
    gone = Response(b"gone", status=410)
    return ready_source("/data.json", catalogue(faulty), name="somewhere", then=[gone])


def test_the_short_status(source: str) -> None:
    context = {"user": "", "model": model, "session": Session}
    with statements() as sent:
        status = tk.get_action("harvest_source_show_status")(context, {"id": source})
    finished = Session.query(sa.func.min(HarvestJob.finished)).scalar()  # the later run failed
    assert status == {"job_count": 2, "last_job": {"finished": str(finished)}, "total_datasets": 2}
    assert len(sent) <= 8


def test_the_index_keeps_no_errors(source: str) -> None:
    """A run's result is in the index, which everybody can search."""
    context = {"user": "", "ignore_auth": False}
    found = call_action("package_search", context=context, fq="dataset_type:harvest")
    assert found["count"] == 1
    text = json.dumps(found, ensure_ascii=False)
    assert '"total_datasets": 2' in text
    columns = (
        *(HarvestGatherError.message, HarvestObjectError.message, RecordProblem.message),
        JobReport.reason,
    )
    messages = {row[0] for column in columns for row in Session.query(column) if row[0]}
    assert len(messages) >= 3
    for message in messages:
        assert json.dumps(message, ensure_ascii=False)[1:-1] not in text
