"""Trials: end records of a source as its next run would, and save nothing.

Records go through everything that a run does with them: options, other extensions' hooks, the
portal's validators, its plugins and the database, in a transaction that is rolled back. The code
that decides is the run's own (``batch_transaction.write_some``).
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ckan import model
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.core.errors import RejectedByCkan
from ckanext.ukharvest.core.outcomes import RecordState
from ckanext.ukharvest.harvest.batch.batch_transaction import write_some
from ckanext.ukharvest.harvest.batch.import_stage import prepare_item
from ckanext.ukharvest.harvest.batch.items import Failed, Item, Left, Same, Skipped, Written
from ckanext.ukharvest.harvest.batch.preparation import Preparation
from ckanext.ukharvest.harvest.sources import value_tables
from ckanext.ukharvest.harvest.sources.source_config import Setting, read_options
from ckanext.ukharvest.reading.adoption_changes import list_removed_files
from ckanext.ukharvest.reading.record_classifier import RecordClass
from ckanext.ukharvest.reading.records import error_entry
from ckanext.ukharvest.reading.refusals import ReadRecord, Trial, Tried
from ckanext.ukharvest.source_types.source_type import SourceType

_CREATING = ("remote_orgs", "remote_groups")


@contextlib.contextmanager
def open_trial(
    kind: SourceType,
    source: HarvestSource,
    setting: Setting,
    adoptable: Mapping[str, str | None] | None = None,
    found: set[str | None] | None = None,
    *,
    is_saved: bool = True,
) -> Iterator[Trial]:
    """Return a function that tries records of a source, with open connections.

    Args:
        source, setting: as they are, or as a form has them that is not saved.
        adoptable: guid → id of the datasets that a first run would adopt: their changes are found
            out too.
        found: gets the ids of the datasets that tried records have.
        is_saved: the source is in the database; each transaction of the trial adds another.
    """
    adoptable = adoptable or {}
    # What the portal lacks of another portal's organisations and groups is not created.
    local = {
        name: value_tables.ONLY_LOCAL
        for name in _CREATING
        if setting.options.get(name) == value_tables.CREATE
    }
    own = replace(setting, options={**setting.options, **local})
    place: tuple[HarvestSource, Any] = (source, model.Session.get(model.Package, source.id))
    unsaved: tuple[Any, ...] = ()
    if not is_saved:
        unsaved = place = (source, _package_of(source, setting))
    with Preparation(kind, source, own) as preparation:

        def try_records(records: Sequence[ReadRecord]) -> Sequence[Tried]:
            items = [
                Item(
                    key=(setting.id, raw.guid),
                    job_id="",
                    raw=raw,
                    source=place,
                    adopts=known.package_id if known else None,
                    read=parsed,
                )
                for raw, known, parsed in records
            ]
            preparation.load_versions(items)
            for item in items:
                prepare_item(preparation, item)
                if item.parsed and item.parsed.own_guid:
                    item.adopts = item.adopts or adoptable.get(item.parsed.own_guid)
                if found is not None:
                    found.add(item.adopts)
            waiting = list(items)
            while waiting:
                how: dict[str, Any] = {"compares": bool(adoptable), "unsaved": unsaved}
                done = set(write_some(waiting, is_trial=True, **how))
                waiting = [item for item in waiting if item not in done]
            return [_tried(item) for item in items]

        yield try_records


def open_trial_of_form(
    kind: SourceType, url: str, config_text: str, owner_org: str, source_id: str | None
) -> contextlib.AbstractContextManager[Trial]:
    """Return a trial of the source that a form has which is not saved.

    Args:
        kind, url, config_text: as the form has them.
        owner_org: id of its organisation.
        source_id: of the saved source that the form edits; None for a new one.

    Raises:
        ConfigError: the options cannot be used.
    """
    stored = HarvestSource.get(source_id) if source_id else None
    source = HarvestSource(id=source_id or str(uuid.uuid4()), url=url, type=kind.name)
    source.active, source.config = True, config_text
    options = read_options(kind, config_text)
    package = model.Session.get(model.Package, source_id) if stored else None
    setting = Setting(
        kind.for_options(options),
        source.id,
        url,
        owner_org,
        options,
        title=package.title or "" if package else "",
        name=package.name if package else "",
    )
    return open_trial(kind, source, setting, is_saved=stored is not None)


def _package_of(source: HarvestSource, setting: Setting) -> model.Package:
    own: dict[str, Any] = {
        "name": f"unsaved-{source.id}",
        "title": setting.title,
        "type": "harvest",
    }
    own |= {"owner_org": setting.owner_org, "state": "active", "private": False}
    return model.Package(id=source.id, **own)


def _tried(item: Item) -> Tried:
    result = item.result
    if isinstance(result, Failed):
        error = result.error
        refused = error.fields if isinstance(error, RejectedByCkan) else {}
        return Tried(error=error_entry(error), refused=refused)
    if isinstance(result, Skipped):
        return Tried(skipped=result.reason)
    if isinstance(result, Same):
        return Tried(skipped="")
    if isinstance(result, Left) and result.state == RecordState.UNCHANGED:
        return Tried(change=RecordClass.UNCHANGED)
    is_new = bool(result and result.state == RecordClass.ADDED)
    if isinstance(result, Written) and result.shown:
        before, after = result.shown
        files = list(list_removed_files(before, after))
        return Tried(RecordClass.UPDATED, name=before["name"], changed=result.changed, files=files)
    return Tried(change=RecordClass.ADDED if is_new else RecordClass.UPDATED)
