"""Tell plugins that a run has ended (``IUkHarvest.after_run``): at least once, over kills.

A run stores which plugins it has to tell in the transaction that ends it. A background job calls
them, and strikes each off once it has returned. What a killed worker, a failing plugin or a Redis
that is down leaves, the sweeper queues again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import partial
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan import plugins as p
from ckan.lib import jobs
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import compat, source_types
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.outcomes import RecordState
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.consumers import failures
from ckanext.ukharvest.harvest.hooks import plugin_hooks
from ckanext.ukharvest.harvest.model import JobReport, Outcome, Record
from ckanext.ukharvest.harvest.sources.source_config import setting_of
from ckanext.ukharvest.interfaces import SourceFacts

log = logging.getLogger(__name__)
Session = model.Session

MOST_TRIES = 10  # calls of one plugin about one run
MOST = 100  # runs that a tick queues
TIMEOUT = 3600  # seconds of a job
_PREFIX = "ukharvest-after-run-"  # of the ids of the jobs


def plugins_to_tell() -> dict[str, int] | None:
    """Return the value of ``JobReport.plugins_due`` for a run that ends now."""
    return {plugin.name: 0 for plugin in plugin_hooks.plugins_with("after_run")} or None


def enqueue_calls(run_ids: Iterable[int]) -> int:
    """Queue the jobs that tell runs' plugins; return how many did not wait already."""
    queued = 0

    def send() -> None:
        nonlocal queued
        waiting = frozenset(jobs.get_queue().job_ids)
        for run_id in run_ids:
            if (job_id := f"{_PREFIX}{run_id}") not in waiting:
                own = {"job_id": job_id, "timeout": TIMEOUT}
                tk.enqueue_job(call_plugins, [run_id], title="Tell plugins of a run", rq_kwargs=own)
                queued += 1

    failures.try_to_queue(send)
    return queued


def enqueue_left_calls() -> list[str]:
    """Queue the jobs of runs whose plugins were not told: a step of the sweeper."""
    query = sa.select(JobReport.id).where(JobReport.plugins_due.isnot(None))
    due = list(Session.scalars(query.order_by(JobReport.id).limit(MOST)))
    Session.commit()
    number = enqueue_calls(due) if due else 0
    return [f"queued calls of plugins about {counted(number, 'run')}"] if number else []


def call_plugins(run_id: int) -> None:
    """Tell the plugins that are due of a run: the background job.

    Args:
        run_id: of its ``JobReport``.
    """
    with database.hold_alone(database.AFTER_RUN, str(run_id)) as is_alone:
        report = Session.get(JobReport, run_id, populate_existing=True) if is_alone else None
        due = dict(report.plugins_due or {}) if report else {}
        if report is None or not due:
            Session.commit()
            return
        call = partial(_call, _facts(report.source_id), report.job_id or "", *_written(run_id))
        Session.commit()
        for name, tries in due.items():
            if tries < MOST_TRIES:
                _store(run_id, name, tries + 1)  # before the call: a kill counts too
                if not call(name) and tries + 1 < MOST_TRIES:
                    continue
            _store(run_id, name, None)


def _facts(source_id: str) -> SourceFacts:
    """Return what plugins are told about a source, without options if these cannot be used."""
    source = Session.get(HarvestSource, source_id)
    kind = source_types.registered(source.type)
    try:
        return setting_of(kind, source).facts
    except ConfigError:
        return setting_of(kind, source, "").facts


def _written(run_id: int) -> tuple[list[str], list[str]]:
    """Return the ids of the datasets that a run added or updated, and of those that it deleted."""
    package_id = sa.func.coalesce(Record.package_id, Outcome.package_id)
    query = (
        sa.select(package_id, Outcome.state)
        .outerjoin(Record, Record.id == Outcome.record_id)
        .where(Outcome.run_id == run_id, package_id.isnot(None))
        .order_by(Outcome.id)
    )
    rows = Session.execute(query).all()
    written = (RecordState.ADDED, RecordState.UPDATED)
    changed = [id_ for id_, state in rows if state in written]
    return changed, [id_ for id_, state in rows if state == RecordState.DELETED]


def _call(
    source: SourceFacts, job_id: str, changed: list[str], deleted: list[str], name: str
) -> bool:
    """Call one plugin; return whether it need not be called again."""
    if not p.plugin_loaded(name):
        return True
    plugin: Any = p.get_plugin(name)
    try:
        plugin.after_run(source, job_id, changed, deleted)
    except Exception:
        log.exception("Plugin %r failed after the run %s", name, job_id)
        compat.rollback()
        return False
    Session.commit()
    return True


def _store(run_id: int, name: str, tries: int | None) -> None:
    """Store how often a plugin was called; None: it need not be called again; commit."""
    query = Session.query(JobReport).filter_by(id=run_id).with_for_update()
    report = query.populate_existing().one_or_none()
    if report is not None:
        others = {key: value for key, value in (report.plugins_due or {}).items() if key != name}
        report.plugins_due = (others if tries is None else {**others, name: tries}) or None
    Session.commit()
