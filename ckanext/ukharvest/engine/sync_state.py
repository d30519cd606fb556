"""Load and save a source's sync state: HTTP validators, change date, resume point (SourceState).

See docs/decisions/0009-unchanged-costs-nothing.md. Nothing here commits.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ckan import model
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest import config
from ckanext.ukharvest.core.fingerprint import canonical_json
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Copy, Ending, Source, Validators
from ckanext.ukharvest.engine.source_config import Setting
from ckanext.ukharvest.model import SourceState, staged_objects, utcnow
from ckanext.ukharvest.model.source_state import ensure_source_state
from ckanext.ukharvest.reading.record_classifier import KnownRecord

Session = model.Session


@dataclass(frozen=True, slots=True)
class SyncState:
    """Sync state of earlier reads; its attributes are those of ``Source``."""

    validators: Mapping[str, Validators] = field(default_factory=dict)
    interface: str = ""
    since: str = ""
    resume: str = ""
    copies: Mapping[str, Copy] = field(default_factory=dict)

    def source(self, setting: Setting, http: HttpClient) -> Source:
        """Return the reader's input."""
        return Source(
            setting.url,
            setting.options,
            http,
            validators=self.validators,
            interface=self.interface,
            since=self.since,
            resume=self.resume,
            copies=self.copies,
            limits=setting.limits,
            own_site=config.own_site(),
        )


def load_interface(setting: Setting) -> str:
    """Return the interface that the last successful run found at this URL, "" if none."""
    state = Session.get(SourceState, setting.id)
    if state is None or (state.sync_state or {}).get("source") != _identity(setting):
        return ""
    return str(state.interface)


def load_sync_state(setting: Setting, known: Collection[KnownRecord]) -> SyncState:
    """Return a run's sync state, without validators unless the last run imported everything."""
    state = Session.get(SourceState, setting.id)
    saved = (state.sync_state or {}) if state else {}
    basic = SyncState(interface=load_interface(setting), copies=find_copies(setting, known))
    if not _is_trusted(saved, setting, known):
        return basic
    documents = {url: Validators(*pair) for url, pair in saved["documents"].items()}
    since = "" if _is_full_read_due(saved, setting) else saved["mark"]
    return replace(basic, validators=documents, since=since)


def load_former_rules(setting: Setting) -> Sequence[object] | None:
    """Return the import rules of the last run that did not fail; None if there was none."""
    state = Session.get(SourceState, setting.id)
    saved = (state.sync_state or {}) if state else {}
    if saved.get("source") != _identity(setting):
        return None
    rules: Sequence[object] = json.loads(saved["salt"])
    return rules


def load_for_full_read(setting: Setting, known: Collection[KnownRecord]) -> SyncState:
    """Return the sync state for a run that reads every record."""
    return SyncState(
        interface=load_interface(setting), copies=find_copies(setting, known, read_all=True)
    )


def find_copies(
    setting: Setting, known: Collection[KnownRecord], *, read_all: bool = False
) -> dict[str, Copy]:
    """Return URL → the record read there before, without ETag and date if it must be read again.

    Even then its guid shows which record still exists if the URL returns something else, such as a
    maintenance page. URLs with several records are left out: one being unchanged proves nothing
    about the others.

    Args:
        read_all: read every record again.
    """
    if not setting.kind.reference_is_address:
        return {}
    here = [each for each in known if each.url not in ("", setting.url) and not each.removed]
    counts = Counter(each.url for each in here)
    rules = setting.import_rules_hash
    return {
        each.url: Copy(each.guid, each.etag, each.last_modified)
        if each.is_sound
        and each.import_rules_hash == rules
        and setting.keeps_organisation(None, each)
        and not read_all
        else Copy(each.guid)
        for each in here
        if counts[each.url] == 1
    }


def _is_trusted(saved: Mapping[str, Any], setting: Setting, known: Collection[KnownRecord]) -> bool:
    """Tell whether everything that the last run read is imported, with the present import rules."""
    if saved.get("source") != _identity(setting) or saved.get("salt") != _import_rules(setting):
        return False
    job = HarvestJob.get(saved["job_id"]) if saved["job_id"] else None
    if job is None or staged_objects.count_unfinished(job.id):
        return False
    # With the option remote_orgs, rows do not show which datasets are the source's own.
    if saved.get("owner_org", setting.owner_org) != setting.owner_org:
        return False
    return all(each.is_settled and setting.keeps_organisation(None, each) for each in known)


def _is_full_read_due(saved: Mapping[str, Any], setting: Setting) -> bool:
    days = setting.options.get("full_check_days")
    if days is None:  # a list of the source's changes includes deletions
        return False
    if not saved["full_read"]:
        return True
    age = utcnow() - dt.datetime.fromisoformat(saved["full_read"])
    return bool(age >= dt.timedelta(days=days))


def _identity(setting: Setting) -> str:
    return f"{setting.kind.name} {setting.url}"


def _import_rules(setting: Setting) -> str:
    return canonical_json(list(setting.import_rules))


def save_sync_state(setting: Setting, job_id: str, ending: Ending, *, unread: int) -> None:
    """Save the sync state of a run that did not fail.

    Args:
        unread: number of records that could not be identified or read, or that wait for a decision.
            If any, no validators and no change date are saved, so that the next run reads them
            again.
    """
    state = ensure_source_state(setting.id)
    before = state.sync_state or {}
    if ending.interface or before.get("source") != _identity(setting):
        state.interface = ending.interface
    if ending.unchanged and before:
        return
    is_sure = ending.complete and not unread
    is_full = is_sure and not ending.changes_only
    now = utcnow().isoformat(timespec="seconds")
    documents = ending.validators.items() if is_sure else ()
    mark = ending.mark if is_sure else ""
    state.sync_state = {
        "source": _identity(setting),
        "salt": _import_rules(setting),
        "owner_org": setting.owner_org,
        "job_id": job_id if documents or mark else None,
        "documents": {url: [each.etag, each.last_modified] for url, each in documents},
        "mark": mark,
        "full_read": now if is_full else before.get("full_read", ""),
    }


def save_resume_point(setting: Setting, job_id: str, point: str, since: str) -> None:
    """Save where a gather that is killed after this transaction can resume.

    Args:
        point: the reader's resume point.
        since: the change date that the read started from, "" for none; resuming uses the same.
    """
    ensure_source_state(setting.id).resume = {
        "job_id": job_id,
        "point": point,
        "since": since,
        "source": _identity(setting),
        "salt": _import_rules(setting),
    }


def load_resume_point(
    setting: Setting, job_id: str, known: Collection[KnownRecord]
) -> SyncState | None:
    """Return the sync state that resumes a job's killed gather; None to start again."""
    saved = staged_objects.point_of(setting.id, job_id)
    if (
        not saved
        or saved["source"] != _identity(setting)
        or saved["salt"] != _import_rules(setting)
    ):
        return None
    # No validators: "not modified" would prove nothing about the remaining part.
    return SyncState(
        interface=load_interface(setting),
        since=saved["since"],
        resume=saved["point"],
        copies=find_copies(setting, known),
    )
