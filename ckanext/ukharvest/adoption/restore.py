"""Go back: restore the datasets of an adopted source as its earlier harvester left them.

Nothing here commits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckan.logic.schema import default_show_package_schema
from ckanext.harvest.model import HarvestObject, HarvestSource

from ckanext.ukharvest import source_types, write_batch
from ckanext.ukharvest.core.dataset_changes import RESOURCES, differing_fields
from ckanext.ukharvest.core.outcomes import PendingKind
from ckanext.ukharvest.core.records import extra_values
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.batch.dataset_writer import restore_version, show_dataset
from ckanext.ukharvest.harvest.consumers import held_jobs
from ckanext.ukharvest.harvest.database import execute
from ckanext.ukharvest.harvest.index import pending_index
from ckanext.ukharvest.harvest.model import DatasetBefore, Pending, Record, SourceState
from ckanext.ukharvest.harvest.records import record_rows
from ckanext.ukharvest.harvest.records.conflicts import Rejected, rejection_error
from ckanext.ukharvest.write_batch import WriteBatch

Session = model.Session
ACTIVE = "active"
MODIFIED = "metadata_modified"  # CKAN 2.12 would keep one that is sent

# Why a dataset is not as before.
STAYS_NEW = "it came with a run of ckanext-ukharvest, and stays"
STAYS_DELETED = "somebody deleted it; it stays deleted"
FIELDS_STAY = "fields that others changed stay: {names}"


class LeftDataset(NamedTuple):
    """A dataset that is not as before; ``reason``: English, for commands."""

    name: str
    reason: str


class Restored(NamedTuple):
    """What was restored.

    Attributes:
        datasets: number of datasets that are as before, but for ``left``.
        left: datasets that are not.
        batch: what is to be indexed after the commit.
        jobs: jobs of plugins, to send after the commit.
    """

    datasets: int
    left: list[LeftDataset]
    batch: WriteBatch
    jobs: Any


def has_versions(source_id: str) -> bool:
    """Tell whether versions of before our first write are kept for a source's datasets."""
    return bool(Session.query(DatasetBefore).filter_by(source_id=source_id).first())


def unkept_names(source_id: str, *conditions: Any) -> list[str]:
    """Return names of datasets that a source's runs wrote without a version that is kept."""
    query = (
        Session.query(model.Package.name)
        .join(Record, Record.package_id == model.Package.id)
        .outerjoin(DatasetBefore, DatasetBefore.package_id == model.Package.id)
        .filter(
            Record.source_id == source_id,
            Record.written.isnot(None),
            DatasetBefore.package_id.is_(None),
            *conditions,
        )
    )
    return sorted(name for (name,) in query)


def restore_datasets(source: HarvestSource, *, dry_run: bool) -> Restored:
    """Restore what nobody but our harvest changed; forget the source's records.

    Of a source of ours the records stay to which no datasets were attached.

    Args:
        dry_run: only put the datasets through the validators; the transaction is rolled back.
    """
    kind = source_types.find(source.type)
    source_id, type_name = source.id, kind.name if kind else source.type
    new = unkept_names(source_id, model.Package.state == ACTIVE)
    left = [LeftDataset(name, STAYS_NEW) for name in new]
    datasets, refused = 0, []
    state = Session.get(SourceState, source_id)
    is_ours = not (state and state.adopted_from)
    with write_batch.collect(is_trial=dry_run) as batch:
        for row, package, removed in _kept(source_id):
            if row.object_id or "harvest_source_id" in extra_values(row.before or {}):
                is_ours = False
            if package.state != ACTIVE and not removed:
                left.append(LeftDataset(package.name, STAYS_DELETED))
                continue
            try:
                reason = _restore(batch, row, package, type_name)
                datasets += 1
            except (Rejected, sa.exc.IntegrityError) as exc:
                reason = rejection_error(exc).message
                refused.append(package.id)
            left += [LeftDataset(package.name, reason)] if reason else []
        dataset_rows.save_collected(batch.own_rows)
        jobs = None if dry_run else held_jobs.store_held_jobs(batch)
    if not dry_run:
        _return_objects(source_id, refused)
        before = sa.select(DatasetBefore.package_id).where(DatasetBefore.source_id == source_id)
        attached = (Record.source_id == source_id, Record.package_id.in_(before))
        guids = sa.select(Record.guid).where(*attached)
        waits = Pending.source_id == source_id, Pending.kind != PendingKind.SOURCE
        of_these = (Pending.guid.in_(guids),) if is_ours else ()
        execute(sa.delete(Pending).where(*waits, *of_these))
        # What CKAN refuses now can be restored later.
        for table, *own in (
            # Those that no run has confirmed are released as before a first run.
            (Record, Record.adopted == "", *(attached if is_ours else ())),
            (DatasetBefore,),
        ):
            is_done = sa.func.coalesce(table.package_id, "").notin_(refused)
            execute(sa.delete(table).where(table.source_id == source_id, is_done, *own))
        record_rows.forget_stamps(refused)
    return Restored(datasets, sorted(left), batch, jobs)


def _kept(source_id: str) -> Iterator[tuple[DatasetBefore, model.Package, bool]]:
    """Yield kept versions with their datasets, and whether a run deleted these."""
    query = (
        Session.query(DatasetBefore, model.Package, Record.removed)
        .join(model.Package, model.Package.id == DatasetBefore.package_id)
        .outerjoin(Record, Record.package_id == DatasetBefore.package_id)
        .filter(DatasetBefore.source_id == source_id)
        .order_by(DatasetBefore.package_id)
    )
    for row, package, removed in query.all():
        yield row, package, bool(removed)


def _restore(batch: WriteBatch, row: DatasetBefore, package: model.Package, type_name: str) -> str:
    """Restore one dataset; return what is not as before, "" for nothing.

    Raises:
        Rejected, IntegrityError: CKAN refused it; it stays as it is.
    """
    with batch.savepoint():
        if package.state != ACTIVE:
            package.state = ACTIVE
            _return_to_groups(package, row.after or row.before or {})
        Session.flush()
        pending_index.mark_pending(package.id)
        if row.after is None:  # nothing of it was written
            return ""
        shown = {"schema": default_show_package_schema()} if row.is_stock else {}
        now = show_dataset(package.id, **shown)
        edited = {*row.edited, *differing_fields(row.after, now)}
        merged = _merge(row.before, now, edited)
        if differing_fields(now, merged):
            restore_version(merged, type_name, is_stock=row.is_stock)
            if not batch.is_trial:  # plugins may have changed it once more
                merged = show_dataset(package.id, **shown)
    names = sorted(differing_fields(row.before, merged))
    return FIELDS_STAY.format(names=", ".join(names)) if names else ""


def _return_to_groups(package: model.Package, shown: Mapping[str, Any]) -> None:
    """Give a dataset back its organisation and groups, from which its deletion took it."""
    groups = [package.owner_org, *(group["id"] for group in shown.get("groups") or ())]
    member = model.Member
    own = (member.table_id == package.id, member.group_id.in_(groups))
    # CKAN may have several rows for a group that the dataset once left, and saves any of them.
    ids = sa.select(sa.func.max(member.id)).where(*own).group_by(member.group_id)
    execute(sa.delete(member).where(*own, member.id.notin_(ids)))
    execute(sa.update(member).where(*own).values(state=ACTIVE))


def _merge(
    before: Mapping[str, Any], now: Mapping[str, Any], edited: Collection[str]
) -> dict[str, Any]:
    """Return a dataset as it was before, with the fields that others have edited since."""
    merged = {key: value for key, value in before.items() if key != MODIFIED}
    merged |= {"state": ACTIVE, "name": now["name"]}
    extras = extra_values(before)
    current = extra_values(now)
    for field in edited:
        if field in now or field in before:
            merged[field] = now.get(field)
        elif field in current:
            extras[field] = current[field]
        else:
            extras.pop(field, None)
    merged["extras"] = [{"key": key, "value": value} for key, value in extras.items()]
    if RESOURCES not in edited:
        files = {file["id"]: file for file in now.get(RESOURCES) or ()}
        merged[RESOURCES] = [
            _with_blanks(model.Resource, file, files.get(file["id"], {}))
            for file in before.get(RESOURCES) or ()
        ]
    return _with_blanks(model.Package, merged, now)


def _with_blanks(
    model_class: type, before: Mapping[str, Any], now: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a version with "" where it had no value: CKAN would keep the value of now."""
    columns = sa.inspect(model_class).columns.keys()
    blanks = {key for key in columns if before.get(key) is None and now.get(key) is not None}
    return {**before, **dict.fromkeys(blanks - {MODIFIED}, "")}


def _return_objects(source_id: str, refused: Collection[str]) -> None:
    """Make the earlier harvester's objects the current ones again, by which it finds datasets."""
    kept = Session.query(
        DatasetBefore.package_id, sa.func.coalesce(HarvestObject.id, "")
    ).outerjoin(HarvestObject, HarvestObject.id == DatasetBefore.object_id)
    of_restored = (
        DatasetBefore.source_id == source_id,
        DatasetBefore.package_id.notin_(refused),
    )
    objects = dict(kept.filter(*of_restored).all())
    record_rows.retire_objects(objects)
    is_theirs = HarvestObject.id.in_(objects.values())
    execute(sa.update(HarvestObject).where(is_theirs).values(current=True))
