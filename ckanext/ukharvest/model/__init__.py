"""The tables that hold a source's state (docs/decisions/0001-state-is-ours.md).

``harvest_object`` rows are work items that may be pruned at any time; what a record is, where
it went and how its last import ended stands here. All times are naive UTC, as in
ckanext-harvest. The tables are made by the migration, ``ckan db upgrade -p ukharvest``.
"""

from __future__ import annotations

import datetime

import ckan.plugins.toolkit as tk
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB


def utcnow() -> datetime.datetime:
    """Now as ckanext-harvest stores it: UTC without a time zone."""
    return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)


def _harvest_job(**kwargs: object) -> sa.ForeignKey:
    return sa.ForeignKey("harvest_job.id", ondelete="SET NULL", **kwargs)


class SourceState(tk.BaseModel):  # type: ignore[misc, name-defined]
    """What has to be remembered of one harvest source between its runs.

    Attributes:
        interface: which of several interfaces the source answered on ("" = not probed).
        validators: what the last run left for the next one, or None: {"source": type and url that
            it was of, "salt", "job_id": None if all has to be read again, "documents":
            {url: [etag, last_modified]}, "mark": what changed since it can be asked for,
            "full_read": when all was read last}.
        resume: how a gather that is killed can go on, or None: {"job_id", "point", "since",
            "source", "salt"}.
        held: deletions that wait: {"job_id", "guids", "reason", "since"}, or None.
        schedule, recipients: per source settings beyond ckanext-harvest's own. recipients also
            holds, under "confirmed", the options that a sysadmin confirmed (model/confirmed.py).
        mail: who gets which mails of this source, or None: nobody.
        mailed: what was told by mail last, so that it is told once.
    """

    __tablename__ = "ukharvest_source"

    source_id = sa.Column(
        sa.UnicodeText, sa.ForeignKey("harvest_source.id", ondelete="CASCADE"), primary_key=True
    )
    interface = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    validators = sa.Column(JSONB)
    resume = sa.Column(JSONB)
    held = sa.Column(JSONB)
    schedule = sa.Column(JSONB)
    recipients = sa.Column(JSONB)
    mail = sa.Column(JSONB)
    mailed = sa.Column(JSONB)


class Record(tk.BaseModel):  # type: ignore[misc, name-defined]
    """One record of one source: identity, dataset and how its last import ended.

    Attributes:
        fingerprint: of the content of the last successful import, "" when there is none.
        salt: digest of what else decided how that import came out (``Setting.salt_digest``).
        etag, last_modified: the record's own validators or stamp, of that import too.
        resources: resources that we wrote: [[ckan id, key], …]; others were added by hand.
        missed_runs: complete runs in a row that did not see the record.
        outcome: of the last import: "added", "updated", "deleted", "errored", "skipped"; or
            "adopted", "adopted by guid" of a row that no import has confirmed yet; "kept" of one
            that is gone, whose dataset a person kept.
        removed: we deleted the dataset, because its record was gone; else a person did.
        title: as the record has it, "" as long as none could be read.
        error: why the last import lost it: {"code", "message", "line"}; None if it did not.
        written: when we wrote the dataset last, None if that is not known: what changed it later
            was a person.
    """

    __tablename__ = "ukharvest_record"
    __table_args__ = (
        sa.UniqueConstraint("source_id", "guid", name="ukharvest_record_source_id_guid_key"),
    )

    id = sa.Column(sa.BigInteger, primary_key=True)
    source_id = sa.Column(
        sa.UnicodeText, sa.ForeignKey("harvest_source.id", ondelete="CASCADE"), nullable=False
    )
    guid = sa.Column(sa.UnicodeText, nullable=False)
    package_id = sa.Column(
        sa.UnicodeText,
        sa.ForeignKey("package.id", ondelete="SET NULL", deferrable=True, initially="DEFERRED"),
    )
    fingerprint = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    salt = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    etag = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    last_modified = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    url = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    resources = sa.Column(JSONB)
    first_seen_job_id = sa.Column(sa.UnicodeText, _harvest_job())
    last_seen_job_id = sa.Column(sa.UnicodeText, _harvest_job())
    first_seen = sa.Column(sa.DateTime, nullable=False, default=utcnow)
    last_seen = sa.Column(sa.DateTime, nullable=False, default=utcnow)
    missed_runs = sa.Column(sa.Integer, nullable=False, default=0, server_default="0")
    outcome = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    removed = sa.Column(sa.Boolean, nullable=False, default=False, server_default="false")
    title = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    error = sa.Column(JSONB(none_as_null=True))
    written = sa.Column(sa.DateTime)


class RecordProblem(tk.BaseModel):  # type: ignore[misc, name-defined]
    """A defect in a record as last imported; replaced as a whole at each import.

    Attributes:
        job_id: the run of that import, or the one that rejected the record for it.
    """

    __tablename__ = "ukharvest_problem"

    id = sa.Column(sa.BigInteger, primary_key=True)
    record_id = sa.Column(
        sa.BigInteger, sa.ForeignKey("ukharvest_record.id", ondelete="CASCADE"), nullable=False
    )
    code = sa.Column(sa.UnicodeText, nullable=False)
    field = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    message = sa.Column(sa.UnicodeText, nullable=False)
    line = sa.Column(sa.Integer)
    job_id = sa.Column(sa.UnicodeText, _harvest_job(), index=True)


class Coupling(tk.BaseModel):  # type: ignore[misc, name-defined]
    """One way to find a dataset that a service operates on; replaced at each import.

    Attributes:
        record_id: the service's record.
        reference: identifier or address of the dataset's record, as the service gives it. The
            record may come later, from another source, or never.
    """

    __tablename__ = "ukharvest_coupling"

    id = sa.Column(sa.BigInteger, primary_key=True)
    record_id = sa.Column(
        sa.BigInteger, sa.ForeignKey("ukharvest_record.id", ondelete="CASCADE"), nullable=False
    )
    reference = sa.Column(sa.UnicodeText, nullable=False)


class JobReport(tk.BaseModel):  # type: ignore[misc, name-defined]
    """What one run saw, beyond what harvest objects tell; outlives the job it belongs to.

    Attributes:
        mode: "normal", "force" (import every record whatever its fingerprint) or "approval"
            (carry out held deletions).
        heartbeat: last sign of life of the gather.
        counts: {"seen", "unchanged", "missing", "kept_deleted", …}: numbers of records.
        complete: the read proved that it saw every record.
        outcome: "" while it runs, then "finished", "held", "failed" or "stopped".
        reason: one sentence on why nothing was deleted, or why the run failed.
        asked_by: name of the person who asked for it, "" for the schedule.
        stopped_by: name of the person who asked to stop it, "" as long as nobody did.
        error: what a failed run ended with: {"code", "message", "passes": such an error often
            passes by itself}; None of others.
    """

    __tablename__ = "ukharvest_job"

    id = sa.Column(sa.BigInteger, primary_key=True)
    job_id = sa.Column(sa.UnicodeText, _harvest_job(), unique=True)
    source_id = sa.Column(
        sa.UnicodeText, sa.ForeignKey("harvest_source.id", ondelete="CASCADE"), nullable=False
    )
    mode = sa.Column(sa.UnicodeText, nullable=False, default="normal", server_default="normal")
    started = sa.Column(sa.DateTime)
    heartbeat = sa.Column(sa.DateTime)
    finished = sa.Column(sa.DateTime)
    counts = sa.Column(JSONB, nullable=False, default=dict, server_default="{}")
    complete = sa.Column(sa.Boolean, nullable=False, default=False, server_default="false")
    outcome = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    reason = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    asked_by = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    stopped_by = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    error = sa.Column(JSONB(none_as_null=True))


class RecordVersion(tk.BaseModel):  # type: ignore[misc, name-defined]
    """A record's content as one import brought it; the last few that differ are kept.

    Attributes:
        content: the harvest object's content, UTF-8, compressed by zlib.
    """

    __tablename__ = "ukharvest_version"

    id = sa.Column(sa.BigInteger, primary_key=True)
    record_id = sa.Column(
        sa.BigInteger, sa.ForeignKey("ukharvest_record.id", ondelete="CASCADE"), nullable=False
    )
    job_id = sa.Column(sa.UnicodeText, _harvest_job())
    created = sa.Column(sa.DateTime, nullable=False, default=utcnow)
    content = sa.Column(sa.LargeBinary, nullable=False)


class Change(tk.BaseModel):  # type: ignore[misc, name-defined]
    """What one import changed in a record's dataset; the last few of each record are kept.

    Attributes:
        kind: "added", "updated" or "deleted".
        fields: of an update: [{"field": its key, "of": "dataset", or the resource's name, "old",
            "new"}, …]; texts are for people and shortened. At the end may be {"more": number} and,
            if the dataset was private, {"private": true}.
    """

    __tablename__ = "ukharvest_change"

    id = sa.Column(sa.BigInteger, primary_key=True)
    record_id = sa.Column(
        sa.BigInteger,
        sa.ForeignKey("ukharvest_record.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    )
    job_id = sa.Column(sa.UnicodeText, _harvest_job(), index=True)
    created = sa.Column(sa.DateTime, nullable=False, default=utcnow)
    kind = sa.Column(sa.UnicodeText, nullable=False)
    fields = sa.Column(JSONB, nullable=False, default=list, server_default="[]")


class Trial(tk.BaseModel):  # type: ignore[misc, name-defined]
    """A look at a source that changes nothing: "Test this source" and "Check only".

    Attributes:
        user_name: who asked for it.
        source_id: the saved source that is looked at, None for one that is being typed in.
        source_type, url, config: what is looked at, as the form sent it.
        state: "waiting", "running", "done" or "stopped".
        stage: what it does now, in words of the program: "connecting", "listing", "reading".
        done: records read so far.
        result: what was found, once it is done.
    """

    __tablename__ = "ukharvest_trial"

    id = sa.Column(sa.UnicodeText, primary_key=True)
    user_name = sa.Column(sa.UnicodeText, nullable=False, index=True)
    source_id = sa.Column(
        sa.UnicodeText, sa.ForeignKey("harvest_source.id", ondelete="CASCADE"), index=True
    )
    source_type = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    url = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    config = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    state = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    stage = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    done = sa.Column(sa.Integer, nullable=False, default=0, server_default="0")
    created = sa.Column(sa.DateTime, nullable=False, default=utcnow)
    heartbeat = sa.Column(sa.DateTime)
    finished = sa.Column(sa.DateTime)
    result = sa.Column(JSONB)


class Link(tk.BaseModel):  # type: ignore[misc, name-defined]
    """What is at an address that resources point to (model/links.py).

    Attributes:
        url_digest: SHA-256 of the address in UTF-8; a changed address is another link.
        format: as CKAN labels it; "" when it could not be told.
        version, layers, base_url, title: of a service; layers are [{"name", "title"}, …].
        media_type: as the server said, without parameters.
        why: one sentence for the publisher if the last look told nothing; what an earlier one
            told stays.
        checked: when the link was last told, or was not and never had been; None before that.
        due: when to look again.
        faults: looks in a row that ended in a fault that may pass.
    """

    __tablename__ = "ukharvest_link"

    id = sa.Column(sa.BigInteger, primary_key=True)
    url = sa.Column(sa.UnicodeText, nullable=False)
    url_digest = sa.Column(sa.LargeBinary, nullable=False, unique=True)
    format = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    version = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    layers = sa.Column(JSONB, nullable=False, default=list, server_default="[]")
    base_url = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    media_type = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    title = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    why = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    checked = sa.Column(sa.DateTime)
    due = sa.Column(sa.DateTime, nullable=False, index=True)
    faults = sa.Column(sa.Integer, nullable=False, default=0, server_default="0")


class Assessment(tk.BaseModel):  # type: ignore[misc, name-defined]
    """What the portal works out of a dataset, harvested or not (model/assessments.py).

    Attributes:
        stars, stars_code, stars_detail: stars of openness, and why (core/stars.py).
        resources: {CKAN id: [stars, code, detail]} of the resources that count.
        theme, theme_secondary: those that the dataset has, by their stored names.
        theme_origin: what its theme comes from: "source", "function", "service", "eu", "inspire",
            "topic", "words" (a suggestion) or "person"; "" where it has none.
        themes: all that anything speaks for, best first: [{"theme", "score", "reasons": [[kind,
            text, where, points], …]}, …] (core/themes.py).
        assessed: when it was last worked out and came out otherwise than before.
    """

    __tablename__ = "ukharvest_assessment"

    package_id = sa.Column(
        sa.UnicodeText,
        sa.ForeignKey("package.id", ondelete="CASCADE", deferrable=True, initially="DEFERRED"),
        primary_key=True,
    )
    stars = sa.Column(sa.SmallInteger, nullable=False, default=0, server_default="0")
    stars_code = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    stars_detail = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    resources = sa.Column(JSONB, nullable=False, default=dict, server_default="{}")
    theme = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    theme_secondary = sa.Column(JSONB, nullable=False, default=list, server_default="[]")
    theme_origin = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    themes = sa.Column(JSONB, nullable=False, default=list, server_default="[]")
    assessed = sa.Column(sa.DateTime, nullable=False, default=utcnow)


class Worker(tk.BaseModel):  # type: ignore[misc, name-defined]
    """A consumer process that is alive as long as its heartbeat is young.

    Attributes:
        id: host, process id and start, so that a new process never looks like an old one.
        kind: "gather" or "fetch".
        busy_with: id of the job or harvest object that it works on, "" while it waits.
    """

    __tablename__ = "ukharvest_worker"

    id = sa.Column(sa.UnicodeText, primary_key=True)
    kind = sa.Column(sa.UnicodeText, nullable=False)
    started = sa.Column(sa.DateTime, nullable=False, default=utcnow)
    heartbeat = sa.Column(sa.DateTime, nullable=False, default=utcnow)
    busy_with = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    busy_since = sa.Column(sa.DateTime)
