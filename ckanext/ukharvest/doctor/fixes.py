"""Fix what the doctor finds, with the code that cron's tick, runs and commands use."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

import ckan.plugins.toolkit as tk
import sqlalchemy as sa
from ckan import model
from ckan.lib import search
from ckan.lib.config_tool import config_edit_using_option_strings
from ckanext.harvest.model import HarvestJob, HarvestObject, HarvestSource

from ckanext.ukharvest import compat, config, doctor
from ckanext.ukharvest.core.values.text import counted
from ckanext.ukharvest.doctor import datasets, runs, services
from ckanext.ukharvest.harvest import lists
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.index import search_index
from ckanext.ukharvest.harvest.records import record_rows
from ckanext.ukharvest.harvest.run import prune, sweeper
from ckanext.ukharvest.harvest.sources import dataset_adoption
from ckanext.ukharvest.lib import checks
from ckanext.ukharvest.lib.checks import Finding, Fix

log = logging.getLogger(__name__)
Session = model.Session


def find_fixes(report: Iterable[Finding]) -> list[Fix]:
    """Return the fixes for these findings, in the order in which they are to run."""
    codes = {finding.fix for finding in report}
    own = [fix for fix in lists.DOCTOR if isinstance(fix, Fix)]
    return [fix for fix in (*FIXES, *own) if fix.code in codes]


def apply(fix: Fix) -> Iterator[str]:
    """Run a fix and yield what it did; a fix that fails says so, and does not stop the others."""
    try:
        yield from fix.run()
        Session.commit()
    except Exception as exc:  # noqa: BLE001 - a broken portal is what this is for
        log.warning("Fix %s failed", fix.code, exc_info=True)
        compat.rollback()
        yield f"This could not be fixed: {doctor.first_line(exc)}"


def _write_settings() -> Iterator[str]:
    path = tk.config["__file__"]
    for line in services.better_settings():
        config_edit_using_option_strings(path, [line], "app:main")
        key = line.partition(" = ")[0]
        yield f"wrote {key} to {path}: restart web servers, consumers and jobs workers"


def _recover_runs() -> Iterator[str]:
    yield from sweeper.sweep()
    if number := runs.release_ended():
        Session.commit()
        yield f"released {counted(number, 'claim')} of consumers that have ended"
    # Runs that have nothing left to do.
    unfinished = sa.exists().where(
        HarvestObject.harvest_job_id == HarvestJob.id, objects.is_open_object()
    )
    done = (
        Session.query(HarvestJob.source_id)
        .filter(HarvestJob.status == "Running", HarvestJob.gather_finished.isnot(None))
        .filter(~unfinished)
    )
    for (source_id,) in done.distinct().all():
        # ckanext-harvest's own way to close the ended runs of one source; it starts none.
        tk.get_action("harvest_jobs_run")({"ignore_auth": True}, {"source_id": source_id})
        yield f"closed the run of {_name(source_id)}"


def _name(source_id: str) -> str:
    package = Session.get(model.Package, source_id)
    return str(package.name) if package else source_id


def _adopt_orphans() -> Iterator[str]:
    ids = {row[0] for row in datasets.orphans().with_entities(HarvestObject.harvest_source_id)}
    for source_id in sorted(ids):
        made = dataset_adoption.adopt_datasets(HarvestSource.get(source_id))
        Session.commit()
        if made:
            yield f"{_name(source_id)} adopted {counted(len(made), 'dataset')}"


def _keep_newest_current() -> Iterator[str]:
    ambiguous = datasets.ambiguous_in_source().with_entities(model.Package.id)
    newest = (
        Session.query(HarvestObject.package_id, HarvestObject.id)
        .filter(HarvestObject.package_id.in_(ambiguous), HarvestObject.current.is_(True))
        .distinct(HarvestObject.package_id)
        .order_by(HarvestObject.package_id, HarvestObject.import_finished.desc().nulls_last())
    )
    current = dict(newest.all())
    record_rows.retire_objects(current)
    Session.commit()
    if current:
        yield f"left one current harvest object of {counted(len(current), 'dataset')}"


def _repair_index() -> Iterator[str]:
    # Whole lists first: the search goes on by a cursor, which changes of the index would disturb.
    missing = [id_ for batch in datasets.missing_in_index() for id_ in batch]
    ghosts = [id_ for batch in datasets.without_dataset() for id_ in batch]
    search_index.put_in_index(missing)
    compat.remove_from_index(ghosts)
    # CKAN indexes a new dataset before its commit: one may have been created just now.
    search_index.put_in_index(sorted(datasets.existing(ghosts)))
    search.commit()
    if missing:
        yield f"indexed {counted(len(missing), 'dataset')} that the search index lacked"
    if ghosts:
        yield f"removed {counted(len(ghosts), 'search result')} without a dataset"


def _prune() -> Iterator[str]:
    gone = prune.prune_all(config.our_type_names(), keep_runs=config.prune_keep_runs())
    yield f"pruned {gone.objects:,} harvest objects and {gone.jobs:,} jobs of older runs"


FIXES: tuple[Fix, ...] = (
    Fix(checks.SETTINGS, "Write better settings into the portal's ini.", _write_settings),
    Fix(
        checks.STUCK,
        "Recover and close stuck runs, as 'ckan harvester run' does, without starting any.",
        _recover_runs,
    ),
    Fix(
        checks.LEFTOVERS,
        "Remove or end the harvest objects that ended runs left.",
        sweeper.sweep,
    ),
    Fix(
        checks.ORPHANS,
        "Let sources adopt the datasets that their harvest objects name.",
        _adopt_orphans,
    ),
    Fix(
        checks.CURRENT,
        "Leave only the newest harvest object of a dataset current.",
        _keep_newest_current,
    ),
    Fix(
        checks.INDEX,
        "Index the datasets that the search index lacks, and remove results without a dataset.",
        _repair_index,
    ),
    Fix(checks.PRUNE, "Delete what older runs left, as 'ckan ukharvest prune' does.", _prune),
)
