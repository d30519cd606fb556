"""What a record is now: how its last import ended, its dataset's state, and what waits.

Worked out when asked, because datasets are also deleted and restored by what calls no hook: CKAN
2.11's bulk actions, purges, SQL. All that shows, counts or decides about records reads it here.
"""

# ruff: noqa: S608 - the statements are put together of constants of this module alone
from __future__ import annotations

import sqlalchemy as sa
from ckan import model
from sqlalchemy.orm import aliased

from ckanext.ukharvest.core.outcomes import PendingKind, RecordState
from ckanext.ukharvest.harvest.model import Pending, Record

Session = model.Session

# As aliases, these are expected by the expressions below.
RECORD = aliased(Record, name="record")
DATASET = aliased(model.Package, name="dataset")
DELETION = aliased(Pending, name="deletion")
# On what they are joined.
DATASET_OF = sa.text("dataset.id = record.package_id")
DELETION_OF = sa.text(
    "deletion.source_id = record.source_id AND deletion.guid = record.guid"
    f" AND deletion.kind = '{PendingKind.DELETION}'"
)
# The same in SQL, to stand behind ``ukharvest_record AS record``.
JOINS = f"""
      LEFT JOIN package AS dataset ON {DATASET_OF}
      LEFT JOIN ukharvest_pending AS deletion ON {DELETION_OF}
"""
# Absent counts more than how the last import ended.
_STATE = f"""
    CASE WHEN record.outcome = 'deleted' AND dataset.state IS DISTINCT FROM 'active'
         THEN '{RecordState.DELETED}'
         WHEN record.missed_runs > 0 AND dataset.state = 'active'
         THEN CASE WHEN record.kept THEN '{RecordState.KEPT}'
                   WHEN deletion.id IS NOT NULL THEN '{RecordState.HELD}'
                   ELSE '{RecordState.MISSING}' END
         WHEN record.missed_runs > 0 THEN '{RecordState.DELETED_HERE}'
         WHEN record.outcome = 'errored' THEN '{RecordState.LOST}'
         WHEN dataset.state <> 'active' AND NOT record.removed THEN '{RecordState.DELETED_HERE}'
         WHEN record.outcome = 'skipped' THEN '{RecordState.SKIPPED}'
         WHEN record.outcome IN ('added', 'updated') AND dataset.state = 'active' THEN {{written}}
         ELSE '{RecordState.WAITING}' END
"""
# Datasets that are as the last import left them are "unchanged", also those that it wrote.
STATE = _STATE.format(written=f"'{RecordState.UNCHANGED}'")
# "added" or "updated" if the run that saw the record last did that. ``LAST`` is joined besides.
NOW = _STATE.format(written=f"COALESCE(last.state, '{RecordState.UNCHANGED}')")
LAST = """
      LEFT JOIN (SELECT DISTINCT ON (stored.record_id, run.job_id)
                        stored.record_id, run.job_id, stored.state
                   FROM ukharvest_outcome AS stored JOIN ukharvest_job AS run
                     ON run.id = stored.run_id
                  WHERE run.source_id = :source_id AND stored.state IN ('added', 'updated')
                  ORDER BY stored.record_id, run.job_id, stored.id DESC) AS last
             ON last.record_id = record.id AND last.job_id = record.last_seen_job_id
"""
_NOW = sa.text(
    f"SELECT {NOW} FROM ukharvest_record AS record {JOINS} {LAST} WHERE record.id = :record_id"
)


def state_now(record_id: int, source_id: str) -> str:
    """Return what a record is now, as ``RecordState``."""
    return str(Session.scalar(_NOW, {"record_id": record_id, "source_id": source_id}))


def count_absent(source_id: str, state: RecordState) -> int:
    """Return the number of a source's records that are absent in this way."""
    return int(Session.scalar(_ABSENT, {"source_id": source_id, "state": state}) or 0)


_ABSENT = sa.text(
    f"""
    SELECT count(*) FROM ukharvest_record AS record {JOINS}
     WHERE record.source_id = :source_id AND record.missed_runs > 0 AND {STATE} = :state
    """
)
