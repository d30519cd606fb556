"""Datasets with faults, and runs with many failed records."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob

from tests.ckan.catalogues import dataset
from tests.ckan.harvesting import end_runs

Session = model.Session


def faulty() -> list[dict[str, Any]]:
    """Return six datasets: two good, one without a title, one twice, two with problems."""
    return [
        dataset(0),
        dataset(1),
        dataset(2, title=""),
        dataset(3, contactPoint={"fn": "Data team", "hasEmail": "mailto:nobody at all"}),
        dataset(
            4, contactPoint={"fn": "Data team", "hasEmail": "mailto:nobody"}, modified="last year"
        ),
        dataset(4, title="Copied from number 4"),
    ]


def make_many(source_id: str, number: int) -> str:
    """Insert a run of this many records: a tenth failed, a third has problems."""
    job = HarvestJob(source_id=source_id, status="Finished")
    job.gather_started = job.gather_finished = job.finished = job.created
    job.save()
    for statement in _MANY:
        Session.execute(sa.text(statement), {"job": job.id, "source": source_id, "n": number})
    Session.commit()
    end_runs()
    tables = "harvest_object, ukharvest_record, ukharvest_problem, ukharvest_outcome"
    Session.execute(sa.text(f"ANALYZE {tables}"))
    Session.commit()
    return str(job.id)


_MANY = (
    """INSERT INTO ukharvest_job (job_id, source_id, mode, outcome, complete, counts, reason,
                                   started, finished)
       VALUES (:job, :source, 'normal', 'finished', true,
               jsonb_build_object('seen', CAST(:n AS integer)), '', now(), now())""",
    """INSERT INTO harvest_object (id, guid, current, state, report_status, harvest_job_id,
                                   harvest_source_id, fetch_started)
       SELECT 'object-' || n, 'https://data.example/id/' || n, n % 10 <> 0,
              CASE WHEN n % 10 = 0 THEN 'ERROR' ELSE 'COMPLETE' END,
              CASE WHEN n % 10 = 0 THEN 'errored' ELSE 'updated' END, :job, :source, now()
         FROM generate_series(1, :n) AS n""",
    """INSERT INTO harvest_object_error (id, harvest_object_id, message, stage, created)
       SELECT 'error-' || n, 'object-' || n, 'title is missing', 'Import', now()
         FROM generate_series(1, :n) AS n WHERE n % 10 = 0""",
    """INSERT INTO ukharvest_record (source_id, guid, title, outcome, last_seen_job_id, error,
                                     first_seen, last_seen)
       SELECT :source, 'https://data.example/id/' || n, 'Record number ' || n,
              CASE WHEN n % 10 = 0 THEN 'errored' ELSE 'updated' END, :job,
              CASE WHEN n % 10 = 0 THEN CAST('{"code": "missing-title", "message":
                   "title is missing", "line": null}' AS jsonb) END, now(), now()
         FROM generate_series(1, :n) AS n""",
    """INSERT INTO ukharvest_problem (record_id, code, field, message, line, job_id)
       SELECT id, code, 'modified', 'modified: ''last year'' is no date; left out', id % 1000, :job
         FROM ukharvest_record,
              unnest(ARRAY['bad-date', 'unknown-licence', 'bad-email']) AS code
        WHERE source_id = :source AND outcome = 'updated' AND id % 3 = 0""",
)
