"""What a source's runs tell the next one, and a killed gather its successor (SourceState).

docs/decisions/0010-changes-only.md. Nothing here commits.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ckan import model
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.core.fingerprint import canonical_json
from ckanext.ukharvest.core.http import HttpClient
from ckanext.ukharvest.core.records import Copy, Ending, Source, Validators
from ckanext.ukharvest.harvesters.run.setting import Setting
from ckanext.ukharvest.model import SourceState, staging, utcnow
from ckanext.ukharvest.model.known import Known

Session = model.Session


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a read is told of earlier ones; as the attributes of ``Source``."""

    validators: Mapping[str, Validators] = field(default_factory=dict)
    interface: str = ""
    since: str = ""
    resume: str = ""
    copies: Mapping[str, Copy] = field(default_factory=dict)

    def source(self, setting: Setting, http: HttpClient) -> Source:
        """Return what the reader gets."""
        return Source(
            setting.url,
            setting.options,
            http,
            validators=self.validators,
            interface=self.interface,
            since=self.since,
            resume=self.resume,
            copies=self.copies,
        )


def state_of(source_id: str) -> SourceState:
    """Return the source's state, made if there is none."""
    state = Session.get(SourceState, source_id)
    if state is None:
        state = SourceState(source_id=source_id)
        Session.add(state)
    return state


def interface(setting: Setting) -> str:
    """Return the interface that the last good run found at this address, "" if none."""
    state = Session.get(SourceState, setting.id)
    if state is None or (state.validators or {}).get("source") != _identity(setting):
        return ""
    return str(state.interface)


def recall(setting: Setting, known: Collection[Known]) -> Recalled:
    """Return what a read need not ask for again, because the last run left nothing to do."""
    state = Session.get(SourceState, setting.id)
    kept = (state.validators or {}) if state else {}
    told = Recalled(interface=interface(setting), copies=copies(setting, known))
    if not _is_trusted(kept, setting, known):
        return told
    documents = {url: Validators(*pair) for url, pair in kept["documents"].items()}
    since = "" if _is_full_read_due(kept, setting) else kept["mark"]
    return replace(told, validators=documents, since=since)


def recall_nothing(setting: Setting, known: Collection[Known]) -> Recalled:
    """Return what a read is told that asks for everything again."""
    return Recalled(interface=interface(setting), copies=copies(setting, known, read_all=True))


def copies(
    setting: Setting, known: Collection[Known], *, read_all: bool = False
) -> dict[str, Copy]:
    """Return address → the record there, without stamps where it has to be read in any case.

    Even then its identity tells which record is not gone when the address answers with something
    else, such as a page that the server is being repaired. An address that several records came
    from is left out: what it says of one of them it might not say of the others.

    Args:
        read_all: every record has to be read.
    """
    if not setting.kind.reference_is_address:
        return {}
    here = [each for each in known if each.url not in ("", setting.url) and not each.removed]
    counts = Counter(each.url for each in here)
    salt = setting.salt_digest
    return {
        each.url: Copy(each.guid, each.etag, each.last_modified)
        if each.is_sound and each.salt == salt and not read_all
        else Copy(each.guid)
        for each in here
        if counts[each.url] == 1
    }


def _is_trusted(kept: Mapping[str, Any], setting: Setting, known: Collection[Known]) -> bool:
    """Tell whether all that the last run read is imported, under the same rules as now."""
    if kept.get("source") != _identity(setting) or kept.get("salt") != _salt(setting):
        return False
    job = HarvestJob.get(kept["job_id"]) if kept["job_id"] else None
    if job is None or staging.count_unfinished(job.id):
        return False
    return all(each.is_settled for each in known)


def _is_full_read_due(kept: Mapping[str, Any], setting: Setting) -> bool:
    days = setting.options.get("full_check_days")
    if days is None:  # the source's changes tell of deletions too
        return False
    if not kept["full_read"]:
        return True
    age = utcnow() - dt.datetime.fromisoformat(kept["full_read"])
    return bool(age >= dt.timedelta(days=days))


def _identity(setting: Setting) -> str:
    return f"{setting.kind.name} {setting.url}"


def _salt(setting: Setting) -> str:
    return canonical_json(list(setting.salt))


def keep(setting: Setting, job_id: str, ending: Ending, *, lost: int) -> None:
    """Remember what a run that did not fail leaves for the next one.

    Args:
        lost: records that could not be told apart or read. They have to be asked for again, so
            nothing is kept that would leave them out.
    """
    state = state_of(setting.id)
    before = state.validators or {}
    if ending.interface or before.get("source") != _identity(setting):
        state.interface = ending.interface
    if ending.unchanged and before:
        return
    is_sure = ending.complete and not lost
    is_full = is_sure and not ending.changes_only
    now = utcnow().isoformat(timespec="seconds")
    documents = ending.validators.items() if is_sure else ()
    mark = ending.mark if is_sure else ""
    state.validators = {
        "source": _identity(setting),
        "salt": _salt(setting),
        "job_id": job_id if documents or mark else None,
        "documents": {url: [each.etag, each.last_modified] for url, each in documents},
        "mark": mark,
        "full_read": now if is_full else before.get("full_read", ""),
    }


def note_point(setting: Setting, job_id: str, point: str, since: str) -> None:
    """Note where a gather can go on that is killed behind this transaction.

    Args:
        since: what the read was told to ask for; its continuation asks for the same.
    """
    state_of(setting.id).resume = {
        "job_id": job_id,
        "point": point,
        "since": since,
        "source": _identity(setting),
        "salt": _salt(setting),
    }


def recall_point(setting: Setting, job_id: str, known: Collection[Known]) -> Recalled | None:
    """Return how an interrupted gather of this job goes on; None if it starts again."""
    noted = staging.point_of(setting.id, job_id)
    if not noted or noted["source"] != _identity(setting) or noted["salt"] != _salt(setting):
        return None
    # No validators: "not modified" would say nothing of the part that is left.
    return Recalled(
        interface=interface(setting),
        since=noted["since"],
        resume=noted["point"],
        copies=copies(setting, known),
    )
