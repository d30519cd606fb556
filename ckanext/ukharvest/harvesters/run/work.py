"""Fetch and import one harvest object."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ckan import model
from ckanext.harvest.model import HarvestObject

from ckanext.ukharvest import config, mapper, store
from ckanext.ukharvest.core.errors import FetchError, ParseError, SkipRecord, UkharvestError
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RawRecord
from ckanext.ukharvest.core.values import shorten
from ckanext.ukharvest.harvesters.run import dated, memory, profiles, remote
from ckanext.ukharvest.harvesters.run.setting import Setting, setting_of
from ckanext.ukharvest.logic import schema
from ckanext.ukharvest.model import JobReport, Record, staging, stopping
from ckanext.ukharvest.types import SourceType

log = logging.getLogger(__name__)
Session = model.Session

Answer = bool | str  # what a stage returns to ckanext.harvest.queue: True, "unchanged" or False
ANSWERS: Mapping[str, Answer] = {
    store.UNCHANGED: "unchanged",
    store.ERRORED: False,
    stopping.STOPPED: False,
}


def fetch(kind: SourceType, obj: HarvestObject) -> Answer:
    """Make sure that the object has its content, asking the source only if the listing had none.

    Raises:
        FetchError, RecordError, ConfigError: the record is lost.
    """
    if obj.report_status:
        return ANSWERS.get(obj.report_status, True)
    if stopping.is_asked_for(obj.harvest_job_id):
        stopping.end_object(obj)
        return False
    extras = staging.extras_of(obj.id)
    if obj.content is not None or extras.get(staging.STATUS) == "delete":
        return True
    setting = setting_of(kind, obj.source)
    with config.http_client(setting.options["credential"]) as http:
        told = memory.Recalled(interface=memory.interface(setting))
        raw = kind.reader.fetch(told.source(setting, http), _raw(obj, extras))
    if raw.content is None:
        raise FetchError(f"{raw.url or raw.guid} has no content", url=raw.url)
    obj.content = raw.content
    # What was fetched may be newer than what was listed: its own stamp is the one to compare.
    staging.restamp(obj.id, {staging.MODIFIED: raw.modified, staging.ETAG: raw.etag}, extras)
    Session.commit()
    return True


def import_record(kind: SourceType, obj: HarvestObject, *, again: bool = False) -> Answer:
    """Write the object's record, or delete its dataset.

    Args:
        again: import an object that was imported before (``ckan harvester import``).

    Raises:
        RecordError, ConfigError: the record is lost; the dataset stays as it is.
    """
    if obj.report_status and not again:
        return ANSWERS.get(obj.report_status, True)
    extras = staging.extras_of(obj.id)
    if extras.get(staging.STATUS) == "delete":
        return ANSWERS.get(store.delete(obj.id), True)
    setting = setting_of(kind, obj.source)
    raw = _raw(obj, extras)
    if raw.content is None:
        raise ParseError(f"{raw.guid}: there is no content to import", url=raw.url)
    try:
        record = kind.parser.parse(raw, setting.options)
    except SkipRecord as exc:
        log.info("Skipped %s: %s", obj.guid, exc.message)
        store.skip(obj.id, setting.stamp(raw))
        return "unchanged"
    (result,) = store.upsert_many([_write(obj, raw, record, setting, again=again)])
    if isinstance(result, UkharvestError):
        raise result
    return ANSWERS.get(result, True)


def _write(
    obj: HarvestObject, raw: RawRecord, record: DatasetRecord, setting: Setting, *, again: bool
) -> store.Write:
    further, problems = _profiles(raw.content or "", setting)
    record = _with_parent_checked(record, obj)
    problems = (*record.problems, *dated.check(setting, raw, record), *problems)
    report = Session.query(JobReport.mode).filter_by(job_id=obj.harvest_job_id).first()
    return store.Write(
        object_id=obj.id,
        record=replace(record, problems=problems),
        stamp=setting.stamp(raw),
        defaults=_defaults(setting, raw, record),
        further=further,
        forced=again or bool(report and report.mode == "force"),
        schema=schema.dataset_fields(),
    )


def _profiles(content: str, setting: Setting) -> tuple[Mapping[str, Any], Sequence[Problem]]:
    names = setting.options.get(profiles.OPTION)
    return profiles.read(content, names) if names else ({}, ())


def _with_parent_checked(record: DatasetRecord, obj: HarvestObject) -> DatasetRecord:
    """Report a collection (isPartOf) that neither this run nor an earlier one has seen."""
    parent = record.extras.get("is_part_of")
    if not parent:
        return record
    in_run = Session.query(HarvestObject.id).filter_by(
        harvest_job_id=obj.harvest_job_id, guid=parent
    )
    before = Session.query(Record.id).filter_by(source_id=obj.harvest_source_id, guid=parent)
    if in_run.first() or before.first():
        return record
    problem = Problem(
        "missing-parent",
        "isPartOf",
        f"isPartOf: '{shorten(parent)}' is not a dataset of this source; expected the identifier "
        "of the collection that the dataset belongs to",
    )
    return replace(record, problems=(*record.problems, problem))


def _raw(obj: HarvestObject, extras: Mapping[str, str]) -> RawRecord:
    return RawRecord(
        guid=obj.guid,
        content=obj.content,
        url=extras.get(staging.URL, obj.source.url),
        modified=extras.get(staging.MODIFIED, ""),
        etag=extras.get(staging.ETAG, ""),
    )


def _defaults(setting: Setting, raw: RawRecord, record: DatasetRecord) -> mapper.Defaults:
    of = setting.options
    groups = remote.groups(record.groups, of.get("remote_groups", ""))
    owner_org = remote.organisation(record.organisation, of.get("remote_orgs", ""))
    extras = dict(each.split("=", 1) for each in of["default_extras"] if "=" in each)
    return mapper.Defaults(
        owner_org=owner_org or setting.owner_org,
        tags=of["default_tags"],
        groups=(*of["default_groups"], *groups),
        extras=extras,
        not_overwrite={*of["not_overwrite"], *config.not_overwrite_fields()},
        reference=raw.url if setting.kind.reference_is_address else "",
    )
