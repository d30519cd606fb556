"""Status of sources: what the tables know, as ``core.status_rules.SourceStatus``."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import config
from ckanext.ukharvest.core.outcomes import PendingKind
from ckanext.ukharvest.core.status_rules import GRACE, CurrentRun, Health, SourceStatus
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.gather import previews as source_previews
from ckanext.ukharvest.harvest.model import utcnow
from ckanext.ukharvest.harvest.records import pending, record_state
from ckanext.ukharvest.harvest.run import run_report
from ckanext.ukharvest.harvest.run import runs as harvest_runs

Session = model.Session

_FIELDS = frozenset(field.name for field in fields(SourceStatus))
# Of the columns of a source's runs and of what waits.
_TIMES = (
    *("due", "waits_since", "last_ended", "good_ended", "harvested", "judged_ended"),
    "failing_since",
)


def load_statuses(source_ids: Collection[str] | None = None) -> dict[str, SourceStatus]:
    """Return source id → health, of these sources or of all."""
    if source_ids is not None and not source_ids:
        return {}
    ids = {"ids": None if source_ids is None else list(source_ids), "public": False}
    now = utcnow()
    young = {
        "given_up": now - source_previews.GIVEN_UP_AFTER,
        "silent": now - source_previews.SILENT_AFTER,
    }
    sources = Session.execute(_SOURCES, {**ids, **young}).all()
    running = [row.id for row in sources if row.has_unended_run]
    # Of several runs the newest, which comes last.
    current = {run.source_id: run for run in harvest_runs.load_current_runs(running)}
    portal = {
        "now": now,
        "max_share": config.delete_max_share(),
        "cron_minutes": config.schedule_cron_minutes(),
    }
    return {row.id: _status(row._mapping, current.get(row.id), portal) for row in sources}


def _status(
    columns: Mapping[str, Any], current: CurrentRun | None, portal: Mapping[str, Any]
) -> SourceStatus:
    known = {name: columns[name] for name in _FIELDS & columns.keys()}
    # A source without runs has NULL in their columns.
    known = {name: value for name, value in known.items() if value is not None}
    return SourceStatus(**known, **portal, current=current)


def status_to_do(facts: Mapping[str, Any]) -> SourceStatus | None:
    """Return the status of a source if a person has something to do about it, else None.

    It has what health and its heading follow from, and no numbers of datasets.

    Args:
        facts: of a row of ``TO_DO``.
    """
    # To the second: Python 3.10 takes no other fractions than of three or six digits.
    times = {
        name: dt.datetime.fromisoformat(facts[name][:19]) for name in _TIMES if facts.get(name)
    }
    judged = {**(facts["why"] or {}), "counts": {"lost": facts.get("lost") or 0}}
    portal = {"now": utcnow(), "max_share": config.delete_max_share(), "judged": judged}
    status = _status({**facts, **dict.fromkeys(_TIMES), **times}, None, portal)
    # Their editors hear of each record that fails; sysadmins of sources where most do.
    is_of_editor = facts.get("is_of_editor") and status.value == Health.ERRORS
    return status if status.is_to_do or is_of_editor else None


# What waits for a decision at sources, which the source's page and all lists count alike.
_WAITS = f"""
    SELECT pending.source_id,
           count(*) FILTER (WHERE pending.kind = '{PendingKind.IDENTIFIER}') AS renamed,
           count(*) FILTER (WHERE pending.kind = '{PendingKind.DELETION}' AND NOT record.kept)
               AS held,
           min(pending.since) AS waits_since
      FROM {pending.DUE}
     WHERE pending.kind <> '{PendingKind.DUPLICATE}'
"""  # noqa: S608 - no value is put into it
_HAS_UNENDED_RUN = """
    EXISTS (SELECT FROM harvest_job AS job
             WHERE job.source_id = source.id AND job.status IN ('New', 'Running'))
"""
# A run is due only after the last change of the source: one that was switched off for months, or
# had no schedule, is not late as soon as it gets one.
_SOURCES = sa.text(
    f"""
    SELECT source.id, source.active AND package.state = 'active' AS active, start.next_run,
           start.due, waits.renamed, waits.held, waits.waits_since, run.*,
           COALESCE(absent.kept, 0) AS kept,
           COALESCE(absent.missing, 0) AS unseen,
           EXISTS (SELECT FROM ukharvest_trial AS preview
                    WHERE preview.source_id = source.id AND preview.user_name <> ''
                      AND (preview.state = 'waiting' AND preview.created > :given_up
                           OR preview.state = 'running'
                          AND COALESCE(preview.heartbeat, preview.created) > :silent))
               AS is_checked,
           {_HAS_UNENDED_RUN} AS has_unended_run,
           COALESCE(counted.datasets, 0) AS datasets
      FROM harvest_source AS source
      JOIN package ON package.id = source.id
      LEFT JOIN LATERAL (
           SELECT source.next_run,
                  GREATEST(source.next_run, package.metadata_modified) AS due
            WHERE source.active AND package.state = 'active'
              AND COALESCE(source.frequency, 'MANUAL') <> 'MANUAL') AS start ON true
      LEFT JOIN ukharvest_source AS state ON state.source_id = source.id
      LEFT JOIN LATERAL {run_report.RUNS} ON true
      LEFT JOIN ({_WAITS}
             AND (CAST(:ids AS text[]) IS NULL
                  OR pending.source_id = ANY (CAST(:ids AS text[])))
           GROUP BY pending.source_id) AS waits ON waits.source_id = source.id
      LEFT JOIN (
           SELECT source_id,
                  count(*) FILTER (WHERE state = 'kept') AS kept,
                  count(*) FILTER (WHERE state = 'missing') AS missing
             FROM (SELECT record.source_id, {record_state.STATE} AS state
                     FROM ukharvest_record AS record {record_state.JOINS}
                    WHERE record.missed_runs > 0
                      AND (record.kept OR deletion.id IS NOT NULL
                           OR cardinality(CAST(:ids AS text[])) = 1)
                      AND (CAST(:ids AS text[]) IS NULL
                           OR record.source_id = ANY (CAST(:ids AS text[])))) AS record
            GROUP BY source_id) AS absent ON absent.source_id = source.id
      LEFT JOIN ({dataset_rows.OF_SOURCES}) AS counted ON counted.source_id = source.id
     WHERE CAST(:ids AS text[]) IS NULL OR source.id = ANY (CAST(:ids AS text[]))
    """  # noqa: S608 - no value is put into it
)

# Of sources about which there may be something to do: who may do it (all organisations of which
# one has to be an editor), and the columns of ``_SOURCES`` that health follows from. A run that is
# under way is not late. Few sources are candidates, and only of these more than a row is read. It
# joins few tables: planning takes longer than running it.
TO_DO = f"""
    SELECT source.id AS source_id, ARRAY[package.owner_org] AS whom,
           COALESCE(state.runs, '{{}}') || jsonb_build_object(
               'active', true, 'renamed', waits.renamed, 'held', waits.held,
               'waits_since', waits.waits_since,
               'due', CASE WHEN source.frequency <> 'MANUAL' AND NOT {_HAS_UNENDED_RUN}
                           THEN GREATEST(source.next_run, package.metadata_modified) END,
               'why', (SELECT jsonb_build_object('error', error, 'reason', reason)
                         FROM ukharvest_job WHERE job_id = state.runs ->> 'judged_id')) AS facts
      FROM (SELECT source_id AS id FROM ukharvest_source
             WHERE runs ->> 'is_fine' = 'false'
             UNION
            SELECT source_id FROM ukharvest_pending WHERE kind <> '{PendingKind.DUPLICATE}'
             UNION
            SELECT id FROM harvest_source
             WHERE active AND frequency <> 'MANUAL'
               AND next_run < :now - interval '{GRACE.total_seconds()} seconds') AS candidate
      JOIN harvest_source AS source ON source.id = candidate.id AND source.active
      JOIN package ON package.id = source.id AND package.state = 'active'
      LEFT JOIN ukharvest_source AS state ON state.source_id = source.id
      LEFT JOIN ({_WAITS} GROUP BY pending.source_id) AS waits ON waits.source_id = source.id
"""  # noqa: S608 - no value is put into it
