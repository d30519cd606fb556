"""Compare records of which only the import rules changed: after an upgrade, or with other options.

Most come out as before. They need no harvest object: what we remember of them is saved here.
"""

from __future__ import annotations

import logging

from ckan import model

from ckanext.ukharvest.core.errors import SkipRecord, UkharvestError
from ckanext.ukharvest.core.values.text import name_unseen
from ckanext.ukharvest.engine import dataset_writer
from ckanext.ukharvest.engine.gather import intake
from ckanext.ukharvest.engine.gather.state import GatherState
from ckanext.ukharvest.engine.import_stage import SourceImport
from ckanext.ukharvest.reading.record_classifier import Classified

log = logging.getLogger(__name__)


def settle(state: GatherState) -> None:
    """Count records that come out as before as unchanged, and stage the others; no commit."""
    records, state.to_compare = state.to_compare, []
    if not records:
        return
    with SourceImport(state.kind, state.source) as source:
        source.load_versions(record.raw.guid for record in records)
        writes = {
            record.raw.guid: write
            for record in records
            if (write := _write(source, record, state.job_id)) is not None
        }
    model.Session.commit()  # parsing took a while: the locks begin here
    left = dataset_writer.leave(writes, state.source.id, state.job_id)
    for record in records:
        if record.known and record.raw.guid in left:
            intake.leave(state, record.known)
        else:
            intake.stage(state, record)


def _write(source: SourceImport, record: Classified, job_id: str) -> dataset_writer.Write | None:
    """Return what the record comes out as; None if its import has to find out what is wrong."""
    try:
        return source.write_of(record.raw, job_id, record.fingerprint)
    except (UkharvestError, SkipRecord):
        return None
    except Exception:
        log.exception("Record %s could not be compared", name_unseen(record.raw.guid))
        return None
