"""Ten thousand rows of everything that our pages list, inserted in a second or two."""

from __future__ import annotations

import sqlalchemy as sa
from ckan import model

from tests.ckan.faulty_runs import make_many

Session = model.Session
MANY = 10_000
KEPT_CHANGES = 20

_RUNS = (
    """INSERT INTO harvest_job (id, source_id, status, created, gather_started, gather_finished,
                                finished)
       SELECT 'run-' || n, :source, 'Finished', at, at, at, at + interval '3 minutes'
         FROM (SELECT n, now() - n * interval '1 hour' AS at
                 FROM generate_series(1, :n) AS n) AS run""",
    """INSERT INTO ukharvest_job (job_id, source_id, outcome, complete, counts, reason, asked_by,
                                  started, finished)
       SELECT 'run-' || n, :source,
              (ARRAY['finished', 'finished', 'failed', 'stopped', 'held'])[1 + n % 5], true,
              '{"seen": 10000, "unchanged": 9000}', '',
              CASE WHEN n % 3 = 0 THEN 'nobody' ELSE '' END, created, finished
         FROM generate_series(1, :n) AS n JOIN harvest_job ON id = 'run-' || n""",
)
_DATASETS = (
    """INSERT INTO package (id, name, title, type, state, owner_org, private, metadata_created,
                            metadata_modified)
       SELECT 'crowd-' || id, 'crowd-' || id, title, 'dataset', 'active', :org, false, now(), now()
         FROM ukharvest_record WHERE source_id = :source AND package_id IS NULL""",
    """UPDATE ukharvest_record SET package_id = 'crowd-' || id
        WHERE source_id = :source AND package_id IS NULL""",
    """UPDATE harvest_object AS object SET package_id = record.package_id
         FROM ukharvest_record AS record
        WHERE record.source_id = object.harvest_source_id AND record.guid = object.guid""",
)
_HELD = (
    "UPDATE ukharvest_record SET missed_runs = 3 WHERE source_id = :source AND id % 2 = 0",
    """INSERT INTO ukharvest_pending (source_id, job_id, kind, guid, since)
       SELECT :source, :job, 'deletion', guid, '2026-11-01 10:00:00'
         FROM ukharvest_record WHERE source_id = :source AND missed_runs > 0""",
    """UPDATE ukharvest_job SET waits = '{"reason": "all are gone"}' WHERE job_id = :job""",
    """INSERT INTO ukharvest_change (record_id, job_id, created, kind, fields)
       SELECT (SELECT min(id) FROM ukharvest_record WHERE source_id = :source), :job,
              now() - (:changes - n) * interval '1 day', 'updated',
              '[{"field": "title", "of": "dataset", "old": "Before", "new": "After"}]'
         FROM generate_series(1, :changes) AS n""",
)


def fill(source_id: str, organization_id: str) -> str:
    """Give a source this many records, datasets and runs; return the last run.

    A tenth of the records failed, nearly a third have three problems each; half of the datasets are
    pending deletion.
    """
    run = make_many(source_id, MANY)
    given = {"source": source_id, "org": organization_id, "job": run, "n": MANY}
    given["changes"] = KEPT_CHANGES
    for statement in (*_RUNS, *_DATASETS, *_HELD):
        Session.execute(sa.text(statement), given)
    Session.commit()
    Session.execute(sa.text("ANALYZE"))
    Session.commit()
    return run


def first_record(source_id: str) -> int:
    """Return the record with changes, which existed before."""
    statement = sa.text("SELECT min(id) FROM ukharvest_record WHERE source_id = :source")
    return int(Session.execute(statement, {"source": source_id}).scalar_one())
