"""The tables that hold a source's state (docs/decisions/0001-state-is-ours.md).

``harvest_object`` rows are work items that may be pruned at any time; what a record is, where
it went and how its last import ended is stored here. All times are naive UTC, as in
ckanext-harvest. The tables are made by the migration, ``ckan db upgrade -p ukharvest``.
"""

from __future__ import annotations

import datetime

import sqlalchemy as sa
from ckan.plugins import toolkit as tk
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from ckanext.ukharvest.core.outcomes import RunMode
from ckanext.ukharvest.core.relations import OPERATES_ON


def utcnow() -> datetime.datetime:
    """Return the time now as ckanext-harvest stores it: UTC without a time zone."""
    return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)


def database_time() -> sa.ColumnElement[datetime.datetime]:
    """Return the SQL expression for the time now by the database's clock, as ``utcnow`` has it.

    For what processes of several hosts compare: their own clocks may differ.
    """
    return sa.func.timezone("utc", sa.func.clock_timestamp(), type_=sa.DateTime)


def _harvest_job(**kwargs: object) -> sa.ForeignKey:
    return sa.ForeignKey("harvest_job.id", ondelete="SET NULL", **kwargs)


class SourceState(tk.BaseModel):  # type: ignore[misc, name-defined]
    """The state of one harvest source between its runs.

    Attributes:
        interface: which of several interfaces the source answered on ("" = not probed).
        sync_state: what the last run saved for the next one, or None: {"source": its type and
            url, "salt": the import rules, "owner_org": the source's organisation, "job_id": None if
            everything has to be read again, "documents": {url: [etag, last_modified]}, "mark": the
            next run can ask for changes since then, "full_read": time of the last full read}.
        resume: where a gather that was killed can continue, or None: {"job_id", "point", "since",
            "source", "salt": the import rules}.
        schedule: time of day, days and time zone of the runs; None for the portal's.
        mail: recipients and kinds of this source's mails; None if there are none.
        mailed: the news mailed last, so that each is mailed once.
        adopted_from: the source type and options that another harvester stored, before ``adopt``
            changed them to ours: {"type", "config": text, "adopted": ISO time in UTC}; else None.
        claimed: when a fetch consumer last took a batch of its objects, UTC; None: never.
        values_digest: of the tables of values with which its records were last compared
            (value_tables.py); "" for empty ones.
        runs: what its ended runs say of it (``run_report.store_runs``); None if none has ended.
        dead_links: {"number": of its datasets' files with a dead link, "since": of the oldest, UTC
            in ISO 8601}; None for none.
    """

    __tablename__ = "ukharvest_source"
    __table_args__ = (
        sa.Index(
            "ukharvest_source_not_fine",
            "source_id",
            postgresql_where=sa.text("runs ->> 'is_fine' = 'false'"),
        ),
    )

    source_id = sa.Column(
        sa.UnicodeText, sa.ForeignKey("harvest_source.id", ondelete="CASCADE"), primary_key=True
    )
    interface = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    sync_state = sa.Column(JSONB)
    resume = sa.Column(JSONB)
    schedule = sa.Column(JSONB)
    mail = sa.Column(JSONB)
    mailed = sa.Column(JSONB)
    adopted_from = sa.Column(JSONB(none_as_null=True))
    claimed = sa.Column(sa.DateTime)
    values_digest = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    runs = sa.Column(JSONB(none_as_null=True))
    dead_links = sa.Column(JSONB(none_as_null=True))


class Record(tk.BaseModel):  # type: ignore[misc, name-defined]
    """One record of one source: identity, dataset and how its last import ended.

    What it is now follows from that, its dataset and what waits: see record_state.py.

    Attributes:
        fingerprint: of the content of the last successful import, "" when there is none.
        import_rules_hash: of the other inputs of that import (source_config.py).
        package_hash: of the dataset that it wrote, as ``dataset_writer.package_hash`` returns it;
            "" if unknown.
        own_guid: the identity that a plugin gave the record (``IUkHarvest.record_guid``), which the
            dataset has as ``guid``; "" for none.
        owner_org: id of the organisation that it gave the dataset to, "none" for no organisation;
            "" if unknown, which counts as no difference (``record_rows.stored_organization``).
        etag, last_modified: the record's own validators or timestamp at that import.
        resources: resources written by imports: [[ckan id, key], …]; others were added by hand.
        supplied_fields: names of the fields that the last import got from the source, as
            ``SuppliedFields.as_stored`` (mapping/kept_fields.py); None if unknown.
        missed_runs: number of complete runs in a row without the record.
        outcome: how the last import ended: "added", "updated", "deleted", "errored" or "skipped";
            "" if none did.
        adopted: by what a dataset was found that no import has confirmed yet, as
            ``AdoptedBy``; "" for none.
        kept: a person kept the dataset although the record is gone; until that comes back.
        removed: a run deleted the dataset because its record was gone; else a person did.
        origin_guid: of a record that another portal hands on: the identity under which that portal
            got it; "" if it names none. Of one that was skipped because its dataset is here already
            it is never "", of one that the options skip always.
        same_as: the dataset that a skipped record would be once more (``routes.lock_and_find``);
            None: it was skipped by the options, or that dataset is gone.
        title: the record's, "" if none was read yet.
        error: why the last import failed: {"code", "message", "line"}, and of content that would
            fail again "stamp", as ``record_rows.Stamp``; None if it did not.
        written: time of our last write to the dataset, None if unknown; a later change was a
            person's.
        source_values: the publisher's values that tables can map, and what the last import made of
            them, as ``record_values.StoredValues``; None if unknown.
    """

    __tablename__ = "ukharvest_record"
    __table_args__ = (
        sa.UniqueConstraint("source_id", "guid", name="ukharvest_record_source_id_guid_key"),
        # Hashes, because a URL can be longer than an index takes.
        sa.Index("ukharvest_record_guid", sa.text("md5(guid)")),
        sa.Index("ukharvest_record_url", sa.text("md5(url)")),
        sa.Index(
            "ukharvest_record_origin_guid",
            sa.text("md5(origin_guid)"),
            postgresql_where=sa.text("origin_guid <> ''"),
        ),
        sa.Index(
            "ukharvest_record_own_guid",
            sa.text("md5(own_guid)"),
            postgresql_where=sa.text("own_guid <> ''"),
        ),
        sa.Index(
            "ukharvest_record_absent",
            "source_id",
            postgresql_where=sa.text("missed_runs > 0"),
        ),
        sa.Index(
            "ukharvest_record_same_as", "same_as", postgresql_where=sa.text("same_as IS NOT NULL")
        ),
    )

    id = sa.Column(sa.BigInteger, primary_key=True)
    source_id = sa.Column(
        sa.UnicodeText, sa.ForeignKey("harvest_source.id", ondelete="CASCADE"), nullable=False
    )
    guid = sa.Column(sa.UnicodeText, nullable=False)
    own_guid = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    package_id = sa.Column(
        sa.UnicodeText,
        sa.ForeignKey("package.id", ondelete="SET NULL", deferrable=True, initially="DEFERRED"),
        index=True,
    )
    fingerprint = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    package_hash = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    import_rules_hash = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    owner_org = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    etag = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    last_modified = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    url = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    resources = sa.Column(JSONB)
    supplied_fields = sa.Column(JSONB(none_as_null=True))
    # Without indexes, each job that is deleted would scan this table for SET NULL.
    first_seen_job_id = sa.Column(sa.UnicodeText, _harvest_job(), index=True)
    last_seen_job_id = sa.Column(sa.UnicodeText, _harvest_job(), index=True)
    first_seen = sa.Column(sa.DateTime, nullable=False, default=utcnow)
    last_seen = sa.Column(sa.DateTime, nullable=False, default=utcnow)
    missed_runs = sa.Column(sa.Integer, nullable=False, default=0, server_default="0")
    outcome = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    adopted = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    kept = sa.Column(sa.Boolean, nullable=False, default=False, server_default="false")
    removed = sa.Column(sa.Boolean, nullable=False, default=False, server_default="false")
    origin_guid = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    same_as = sa.Column(sa.UnicodeText, sa.ForeignKey("package.id", ondelete="SET NULL"))
    title = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    error = sa.Column(JSONB(none_as_null=True))
    written = sa.Column(sa.DateTime)
    source_values = sa.Column(JSONB(none_as_null=True))


class ValueMapping(tk.BaseModel):  # type: ignore[misc, name-defined]
    """One row of a table of values: what a publisher's value becomes (value_tables.py).

    Attributes:
        source_id: the source whose records it is for; None for those of all sources.
        field: as in ``record_values.FIELDS``, or the name of an extra.
        value: as the publisher writes it; case and blanks do not matter.
        ours: an organisation's or group's id or name, or the value here.
    """

    __tablename__ = "ukharvest_mapping"

    id = sa.Column(sa.BigInteger, primary_key=True)
    source_id = sa.Column(
        sa.UnicodeText, sa.ForeignKey("harvest_source.id", ondelete="CASCADE"), index=True
    )
    field = sa.Column(sa.UnicodeText, nullable=False)
    value = sa.Column(sa.UnicodeText, nullable=False)
    ours = sa.Column(sa.UnicodeText, nullable=False)


class RecordProblem(tk.BaseModel):  # type: ignore[misc, name-defined]
    """A defect that one run found in a record; past ones are pruned with their run.

    Attributes:
        job_id: the run that imported the record, or that rejected it for its problems.
        current: of the record's last import, or of its rejection since.
        wording: what the message is made of, as ``core.messages.wording_of`` returns it.
        lost: the run did not import the record because of its problems.
        accepted_until: the last day on which its kind is accepted (``accepted_problems``);
            None: it is not.
    """

    __tablename__ = "ukharvest_problem"

    id = sa.Column(sa.BigInteger, primary_key=True)
    record_id = sa.Column(
        sa.BigInteger,
        sa.ForeignKey("ukharvest_record.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    )
    code = sa.Column(sa.UnicodeText, nullable=False)
    field = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    message = sa.Column(sa.UnicodeText, nullable=False)
    wording = sa.Column(JSONB(none_as_null=True))
    line = sa.Column(sa.Integer)
    job_id = sa.Column(sa.UnicodeText, _harvest_job(), index=True)
    current = sa.Column(sa.Boolean, nullable=False, default=True, server_default="true")
    lost = sa.Column(sa.Boolean, nullable=False, default=False, server_default="false")
    accepted_until = sa.Column(sa.Date)


class Coupling(tk.BaseModel):  # type: ignore[misc, name-defined]
    """One way to find a dataset that another names; replaced at each import.

    Attributes:
        record_id: the record that names it, such as a service's.
        relation: of that record to the other, as in ``core/relations.py``.
        reference: identifier or address of the other's record, as this one gives it. The record may
            come later, from another source, or never.
    """

    __tablename__ = "ukharvest_coupling"
    __table_args__ = (sa.Index("ukharvest_coupling_reference", sa.text("md5(reference)")),)

    id = sa.Column(sa.BigInteger, primary_key=True)
    record_id = sa.Column(
        sa.BigInteger,
        sa.ForeignKey("ukharvest_record.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    )
    relation = sa.Column(sa.UnicodeText, nullable=False, server_default=OPERATES_ON)
    reference = sa.Column(sa.UnicodeText, nullable=False)


class JobReport(tk.BaseModel):  # type: ignore[misc, name-defined]
    """Figures and outcome of one run, beyond its harvest objects; outlives the job.

    Attributes:
        mode: "normal", "force" (import every record whatever its fingerprint) or "approval"
            (carry out held deletions).
        heartbeat: time of the gather's last heartbeat.
        counts: {"seen", "unchanged", "missing", "kept_deleted", "failed_again" (with the content
            that failed before, so not imported), …}: numbers of records; and
            {"shortfall"}, as ``core.deletions.Shortfall``, where there is one.
        waits: why records of the run wait for a person: {"reason": of its deletions, a sentence,
            "moves": how URLs of resources changed with the identifiers, "missing": number of
            records that it missed for the first time}; None if none ever did.
        complete: the source was read completely.
        outcome: as ``RunOutcome``: "" until it is read, then how the reading ended ("finished",
            "held", "failed" or "stopped"), and from the end of the run on how that ended.
        figures: numbers of records, stored when the run ends (``outcomes.store_run_results``); None
            before.
        progress: numbers of problems since the records' import before: "fixed", "new" (of records
            that are new too), and "fixed_by_rules", "new_by_rules" where they were read under other
            import rules; the first good run of a source has none.
        reason: one sentence on why nothing was deleted, or why the run failed.
        asked_by: name of the person who asked for it, "" for the schedule.
        stopped_by: name of the person who asked to stop it, "" if none did.
        error: of a failed run: {"code", "message", "wording", "passes": whether such errors are
            often temporary}; else None.
        status_mail_due: ckanext-harvest's email about the run is to be sent (run_end.py).
        plugins_due: plugins that are to be told that it has ended (after_run.py): name → number of
            calls that failed; None once all are.
    """

    __tablename__ = "ukharvest_job"

    id = sa.Column(sa.BigInteger, primary_key=True)
    job_id = sa.Column(sa.UnicodeText, _harvest_job(), unique=True)
    source_id = sa.Column(
        sa.UnicodeText,
        sa.ForeignKey("harvest_source.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    )
    mode = sa.Column(
        sa.UnicodeText, nullable=False, default=RunMode.NORMAL, server_default="normal"
    )
    started = sa.Column(sa.DateTime)
    heartbeat = sa.Column(sa.DateTime)
    finished = sa.Column(sa.DateTime)
    counts = sa.Column(JSONB, nullable=False, default=dict, server_default="{}")
    waits = sa.Column(JSONB(none_as_null=True))
    complete = sa.Column(sa.Boolean, nullable=False, default=False, server_default="false")
    outcome = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    reason = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    asked_by = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    stopped_by = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    error = sa.Column(JSONB(none_as_null=True))
    figures = sa.Column(JSONB(none_as_null=True))
    progress = sa.Column(JSONB, nullable=False, default=dict, server_default="{}")
    status_mail_due = sa.Column(sa.Boolean, nullable=False, default=False, server_default="false")
    plugins_due = sa.Column(JSONB(none_as_null=True))


class DailyFigure(tk.BaseModel):  # type: ignore[misc, name-defined]
    """One figure of a source on one day, UTC (daily_figures.py)."""

    __tablename__ = "ukharvest_figure"

    source_id = sa.Column(
        sa.UnicodeText, sa.ForeignKey("harvest_source.id", ondelete="CASCADE"), primary_key=True
    )
    day = sa.Column(sa.Date, primary_key=True, index=True)
    name = sa.Column(sa.UnicodeText, primary_key=True)
    value = sa.Column(sa.BigInteger, nullable=False)


class Pending(tk.BaseModel):  # type: ignore[misc, name-defined]
    """What waits until a person decides about it; not due any more if the record came back.

    Attributes:
        job_id: the last complete run that found it so; None: it was deleted, or no run did.
        kind: as ``PendingKind``.
        guid: of the record, whose dataset is to be deleted or has a new identifier; "" of a source.
        new_guid: the new identifier, under which the source lists the record; "" of a deletion; of
            a likely duplicate the id of the other dataset.
        since: when the first run found it so, or a person asked.
        asked: of a source, as ``records.pending.SourceRequest`` without ``since``; else None.
    """

    __tablename__ = "ukharvest_pending"
    __table_args__ = (
        sa.UniqueConstraint("source_id", "kind", "guid", name="ukharvest_pending_source_id_key"),
    )

    id = sa.Column(sa.BigInteger, primary_key=True)
    source_id = sa.Column(
        sa.UnicodeText, sa.ForeignKey("harvest_source.id", ondelete="CASCADE"), nullable=False
    )
    job_id = sa.Column(sa.UnicodeText, _harvest_job(), index=True)
    kind = sa.Column(sa.UnicodeText, nullable=False)
    guid = sa.Column(sa.UnicodeText, nullable=False)
    new_guid = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    since = sa.Column(sa.DateTime, nullable=False, default=utcnow)
    asked = sa.Column(JSONB(none_as_null=True))


class HeldJob(tk.BaseModel):  # type: ignore[misc, name-defined]
    """A background job that a plugin queued while datasets were written (held_jobs.py).

    Attributes:
        queue: CKAN's name of its queue.
        job_id: RQ's id, which the plugin may have stored.
        title: as CKAN shows it; None without one.
        call: as ``write_batch.HeldCall``.
    """

    __tablename__ = "ukharvest_held_job"

    id = sa.Column(sa.BigInteger, primary_key=True)
    queue = sa.Column(sa.UnicodeText, nullable=False)
    job_id = sa.Column(sa.UnicodeText, nullable=False)
    title = sa.Column(sa.UnicodeText)
    call = sa.Column(sa.LargeBinary, nullable=False)
    created = sa.Column(sa.DateTime, nullable=False, default=utcnow)


class Decision(tk.BaseModel):  # type: ignore[misc, name-defined]
    """What a person decided about a source (harvest/sources/decision_log.py); rows are only added.

    Attributes:
        job_id: the run that asked for the decision, or was stopped; else None.
        user_name: who decided; "" for a command.
        kind: as ``DecisionKind``.
        number: of datasets or records that it is about, 0 if it is about none.
        reason: why, in the person's words; "" if they gave none.
        until: the last day on which it holds; None: until another decision.
        options: confirmed ones, by name; of a move: the URLs ``from`` and ``to``; of datasets that
            changed hands: ``source_id`` and ``source``, the other one's title, and ``run_id``; of
            likely duplicates the ``title`` and ``pair`` (ids of both, or the identifier of a record
            without a dataset), of joined ones ``kept``, ``gone``, ``name`` of that one and
            ``record_id`` of its record, of parted ones ``join``, the decision's id; of a source
            that was accepted or refused ``url``, ``source_type`` and ``asked_by``; else None.
        code, field: of the kind of problem that it is about, the field without numbers of entries.
        record_ids: of the records that had an accepted problem then; None if it is accepted for
            those too that get it later, and of other decisions.
    """

    __tablename__ = "ukharvest_decision"

    id = sa.Column(sa.BigInteger, primary_key=True)
    source_id = sa.Column(
        sa.UnicodeText,
        sa.ForeignKey("harvest_source.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    )
    job_id = sa.Column(sa.UnicodeText, _harvest_job(), index=True)
    created = sa.Column(sa.DateTime, nullable=False, default=utcnow)
    user_name = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    kind = sa.Column(sa.UnicodeText, nullable=False)
    number = sa.Column(sa.Integer, nullable=False, default=0, server_default="0")
    reason = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    until = sa.Column(sa.Date)
    options = sa.Column(JSONB(none_as_null=True))
    code = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    field = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    record_ids = sa.orm.deferred(sa.Column(ARRAY(sa.BigInteger)))


class Outcome(tk.BaseModel):  # type: ignore[misc, name-defined]
    """What one run did with one record (harvest/run/outcomes.py).

    Each harvest object that has ended has a row, and each record that a run missed for the first
    time. Without a row are records that a run found unchanged, skipped again or missed again.

    Attributes:
        run_id: the run's ``JobReport``.
        record_id: None if the record has no row, as those of other harvesters.
        object_id: the harvest object's, which may be pruned; None of a missing record.
        package_id: the dataset of a record without a row.
        state: as ``RecordState``.
        is_same: it was skipped because its dataset is here already, or was deleted here.
        is_unread: it failed while the source was read; another record may have its identifier.
        code, message, wording, line: its error; "" and None without one. Other harvesters also
            store errors of imported records.
        more: further errors of another harvester's record: [{"message", "line"}, …]; else None.
    """

    __tablename__ = "ukharvest_outcome"

    id = sa.Column(sa.BigInteger, primary_key=True)
    run_id = sa.Column(
        sa.BigInteger,
        sa.ForeignKey("ukharvest_job.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    )
    record_id = sa.Column(
        sa.BigInteger, sa.ForeignKey("ukharvest_record.id", ondelete="SET NULL"), index=True
    )
    object_id = sa.Column(sa.UnicodeText, unique=True)
    package_id = sa.Column(sa.UnicodeText)
    guid = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    title = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    state = sa.Column(sa.UnicodeText, nullable=False)
    is_same = sa.Column(sa.Boolean, nullable=False, default=False, server_default="false")
    is_unread = sa.Column(sa.Boolean, nullable=False, default=False, server_default="false")
    code = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    message = sa.Column(sa.UnicodeText)
    wording = sa.Column(JSONB(none_as_null=True))
    line = sa.Column(sa.Integer)
    more = sa.Column(JSONB(none_as_null=True))
    created = sa.Column(sa.DateTime, nullable=False, default=utcnow)


class RecordVersion(tk.BaseModel):  # type: ignore[misc, name-defined]
    """A record's content at one import; the last few that differ are kept.

    Attributes:
        content: the harvest object's content, UTF-8, compressed by zlib.
    """

    __tablename__ = "ukharvest_version"

    id = sa.Column(sa.BigInteger, primary_key=True)
    record_id = sa.Column(
        sa.BigInteger,
        sa.ForeignKey("ukharvest_record.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    )
    job_id = sa.Column(sa.UnicodeText, _harvest_job(), index=True)
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


class DatasetBefore(tk.BaseModel):  # type: ignore[misc, name-defined]
    """A dataset of another harvester as it was before our first write, until the move is finished.

    Attributes:
        source_id: the source that adopted it.
        object_id: its current harvest object then, which is not pruned; None for none.
        is_stock: both versions are as CKAN's own schema shows them, with the form's fields as
            extras.
        before, after: as package_show gave it before our first and after our last write. If we
            only deleted it, ``before`` has its groups, and ``after`` is None.
        edited: names of fields that others changed since (``dataset_changes.differing_fields``).
    """

    __tablename__ = "ukharvest_before"

    package_id = sa.Column(
        sa.UnicodeText, sa.ForeignKey("package.id", ondelete="CASCADE"), primary_key=True
    )
    source_id = sa.Column(
        sa.UnicodeText,
        sa.ForeignKey("harvest_source.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    )
    object_id = sa.Column(sa.UnicodeText)
    is_stock = sa.Column(sa.Boolean, nullable=False, default=False, server_default="false")
    before = sa.Column(JSONB(none_as_null=True))
    after = sa.Column(JSONB(none_as_null=True))
    edited = sa.Column(JSONB, nullable=False, default=list, server_default="[]")
    created = sa.Column(sa.DateTime, nullable=False, default=utcnow)


class Link(tk.BaseModel):  # type: ignore[misc, name-defined]
    """The result of checking a URL of resources (harvest/records/links.py).

    Attributes:
        url_digest: SHA-256 of the URL in UTF-8; a changed URL is another link.
        format: CKAN's label; "" if unknown.
        version, layers, base_url, title: of a service; layers are [{"name", "title"}, …].
        media_type: of the response, without parameters.
        why: one sentence for the publisher if the last check had no result; earlier results
            stay.
        checked: time of the last check with a result, or of the first without; None before.
        due: time of the next check.
        host: of the URL, in lower case, without port.
        state, fault, faults, tried, worked, failed_since, absent, absent_since: see ``LinkHistory``
            (core/link_states.py).
        status: HTTP status of the last answer, None if none came.
        size, checksum: bytes and SHA-256 of the file, None and "" if not known.
        covered: resources with this URL that changed later make it due.
        rescore: the stars of its datasets were calculated before its last change.
    """

    __tablename__ = "ukharvest_link"
    __table_args__ = (
        sa.Index("ix_ukharvest_link_rescore", "id", postgresql_where=sa.text("rescore")),
        sa.Index("ukharvest_link_dead", "id", postgresql_where=sa.text("state = 'dead'")),
    )

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
    host = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="", index=True)
    state = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    fault = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    status = sa.Column(sa.Integer)
    tried = sa.Column(sa.DateTime)
    worked = sa.Column(sa.DateTime)
    failed_since = sa.Column(sa.DateTime)
    absent = sa.Column(sa.Integer, nullable=False, default=0, server_default="0")
    absent_since = sa.Column(sa.DateTime)
    size = sa.Column(sa.BigInteger)
    checksum = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    covered = sa.Column(sa.DateTime)
    rescore = sa.Column(sa.Boolean, nullable=False, default=False, server_default="false")


class Worker(tk.BaseModel):  # type: ignore[misc, name-defined]
    """A consumer process; alive as long as its heartbeat is recent.

    Attributes:
        id: host, process id and start, so that a new process never looks like an old one.
        kind: "gather" or "fetch".
        busy_with: id of the job or harvest object that it works on, "" if idle.
    """

    __tablename__ = "ukharvest_worker"

    id = sa.Column(sa.UnicodeText, primary_key=True)
    kind = sa.Column(sa.UnicodeText, nullable=False)
    started = sa.Column(sa.DateTime, nullable=False, default=utcnow)
    heartbeat = sa.Column(sa.DateTime, nullable=False, default=utcnow)
    busy_with = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    busy_since = sa.Column(sa.DateTime)


class Claim(tk.BaseModel):  # type: ignore[misc, name-defined]
    """A harvest object that a fetch consumer works on, as part of a batch (claims.py).

    Attributes:
        worker_id: of the consumer's row in ``Worker``; without a heartbeat the claim is void.
        since: when it was claimed, UTC.
    """

    __tablename__ = "ukharvest_claim"

    harvest_object_id = sa.Column(
        sa.UnicodeText, sa.ForeignKey("harvest_object.id", ondelete="CASCADE"), primary_key=True
    )
    worker_id = sa.Column(sa.UnicodeText, nullable=False, index=True)
    since = sa.Column(sa.DateTime, nullable=False, default=utcnow)


class Retry(tk.BaseModel):  # type: ignore[misc, name-defined]
    """A harvest object that waits again because a service failed during its import.

    Attributes:
        attempts: imports that ended in a failing service so far.
        due: not sent to the fetch queue again before this time.
        service: the one that failed: "database", "search index", "queue".
        message: the failure, for the error if all attempts fail.
    """

    __tablename__ = "ukharvest_retry"

    harvest_object_id = sa.Column(
        sa.UnicodeText, sa.ForeignKey("harvest_object.id", ondelete="CASCADE"), primary_key=True
    )
    attempts = sa.Column(sa.Integer, nullable=False, default=0, server_default="0")
    due = sa.Column(sa.DateTime, nullable=False, default=utcnow, index=True)
    service = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    message = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
