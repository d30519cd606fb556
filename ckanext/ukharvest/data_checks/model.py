"""Checks of data: which resources are due, their results and figures, and the schemas."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from sqlalchemy.dialects.postgresql import JSONB

from ckanext.ukharvest.core.link_states import LinkState, growing_pause
from ckanext.ukharvest.core.records import Validators
from ckanext.ukharvest.core.values import formats, multivalue
from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.batch.dataset_rows import IS_DATASET, IS_PUBLIC, OF_ORGANISATION
from ckanext.ukharvest.harvest.database import execute, upsert_statement
from ckanext.ukharvest.harvest.lists import IndexField
from ckanext.ukharvest.harvest.model import Link, Record
from ckanext.ukharvest.harvest.records.links import ASKED, digest_url, live_resources, of_source
from ckanext.ukharvest.schema_check.files import SchemaFile

Session = model.Session


class DataSchema(tk.BaseModel):  # type: ignore[misc, name-defined]
    """A schema that data are checked against, as it was last read.

    Attributes:
        url_digest: SHA-256 of the URL in UTF-8.
        etag, last_modified: validators of ``content``.
        checksum: SHA-256 of the schema, "" if it was never read.
        content: the schema, compressed by zlib; None if it was never read.
        error: why the last request for it failed, as a sentence; "" if it did not.
        fetched: time of the last request, None before the first.
        due: time of the next.
        faults: failed requests in a row.
    """

    __tablename__ = "ukharvest_data_schema"

    id = sa.Column(sa.BigInteger, primary_key=True)
    url = sa.Column(sa.UnicodeText, nullable=False)
    url_digest = sa.Column(sa.LargeBinary, nullable=False, unique=True)
    etag = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    last_modified = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    checksum = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    error = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    content = sa.Column(sa.LargeBinary)
    fetched = sa.Column(sa.DateTime)
    due = sa.Column(sa.DateTime, nullable=False)
    faults = sa.Column(sa.Integer, nullable=False, default=0, server_default="0")


class DataCheck(tk.BaseModel):  # type: ignore[misc, name-defined]
    """Whether the data of a resource follow their schema.

    Attributes:
        url, schema_url: of the data and the schema at the check.
        verdict, errors, checked, unit, reason, stopped, schema_type: see ``DataReport``.
        report: the whole report for JSON, with the first findings.
        findings: all findings as CSV, compressed by zlib; None if there are none.
        checksum, etag, last_modified: SHA-256 and validators of the data.
        schema_checksum: of the schema, "" if it could not be read.
        link_tried: the link check before this one; a later one makes the data due.
        found: when the result was made; tried: the last attempt.
        due: a check is due from then on whatever has changed; None: only after a change.
        faults, fault: failed attempts in a row, and why the last one failed, as a sentence.
    """

    __tablename__ = "ukharvest_data_check"

    resource_id = sa.Column(
        sa.UnicodeText, sa.ForeignKey("resource.id", ondelete="CASCADE"), primary_key=True
    )
    url = sa.Column(sa.UnicodeText, nullable=False)
    schema_url = sa.Column(sa.UnicodeText, nullable=False, index=True)
    verdict = sa.Column(sa.UnicodeText, nullable=False)
    errors = sa.Column(sa.Integer, nullable=False, default=0, server_default="0")
    checked = sa.Column(sa.BigInteger, nullable=False, default=0, server_default="0")
    unit = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    reason = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    stopped = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    schema_type = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    report = sa.Column(JSONB, nullable=False, default=dict, server_default="{}")
    findings = sa.Column(sa.LargeBinary)
    checksum = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    etag = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    last_modified = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    schema_checksum = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")
    link_tried = sa.Column(sa.DateTime)
    found = sa.Column(sa.DateTime)
    tried = sa.Column(sa.DateTime, nullable=False, default=tables.utcnow)
    due = sa.Column(sa.DateTime)
    faults = sa.Column(sa.Integer, nullable=False, default=0, server_default="0")
    fault = sa.Column(sa.UnicodeText, nullable=False, default="", server_default="")


def load_data_schemas(urls: Collection[str]) -> dict[str, DataSchema]:
    """Return URL → schema of those that were requested before, without their content."""
    query = sa.select(DataSchema).options(sa.orm.defer(DataSchema.content))
    query = query.where(DataSchema.url_digest.in_([digest_url(url) for url in set(urls)]))
    schemas = Session.scalars(query.execution_options(populate_existing=True))
    return {schema.url: schema for schema in schemas}


def load_file(url: str) -> SchemaFile | None:
    """Return the copy of a schema, None if it was never read."""
    query = sa.select(DataSchema.content, DataSchema.etag, DataSchema.last_modified)
    row = Session.execute(query.where(DataSchema.url_digest == digest_url(url))).one_or_none()
    if row is None or row.content is None:
        return None
    validators = Validators(etag=row.etag, last_modified=row.last_modified)
    return SchemaFile(url, zlib.decompress(row.content), validators)


def load_titles() -> Mapping[str, str]:
    """Return URL → title of the schemas that were read, "" for one that gives itself none."""
    query = sa.select(DataSchema.url, DataSchema.checksum).where(DataSchema.checksum != "")
    return {row.url: _read_title(row.url, row.checksum) for row in Session.execute(query)}


@lru_cache(maxsize=10_000)
def _read_title(url: str, _checksum: str) -> str:
    """Return the title in a schema's copy; read once for each version of it."""
    file = load_file(url)
    try:
        read = json.loads(file.content) if file else None
    except (ValueError, RecursionError):  # XML
        read = None
    title = read.get("title") if isinstance(read, dict) else ""
    return shorten(clean_text(title)) if isinstance(title, str) else ""


def save_file(file: SchemaFile, days: int) -> None:
    """Save a schema that was read.

    Args:
        days: until it is requested again.
    """
    _put(
        file.location,
        content=zlib.compress(file.content),
        checksum=hashlib.sha256(file.content).hexdigest(),
        etag=clean_text(file.validators.etag),
        last_modified=clean_text(file.validators.last_modified),
        error="",
        faults=0,
        due=tables.utcnow() + dt.timedelta(days=days),
    )


def save_error(url: str, error: str, faults: int, days: int) -> None:
    """Save that a schema could not be read; an earlier copy stays.

    Args:
        error: why, as a sentence.
        faults: failed requests in a row, with this one.
        days: the most days until the next; it doubles with each failure.
    """
    due = tables.utcnow() + growing_pause(faults, days)
    _put(url, error=clean_text(error), faults=faults, due=due)


def prune(used: Collection[str]) -> None:
    """Delete the schemas that no resource has any more."""
    execute(
        sa.delete(DataSchema).where(DataSchema.url_digest.not_in([digest_url(url) for url in used]))
    )


def _put(url: str, **values: object) -> None:
    values["fetched"] = tables.utcnow()
    execute(
        upsert_statement(
            DataSchema, ["url_digest"], [{"url": url, "url_digest": digest_url(url), **values}]
        )
    )


Resource = model.Resource
Package = model.Package

# Formats of data that a schema can describe; of others nothing is read.
CHECKABLE = frozenset(
    ("CSV", "TSV", "TXT", "JSON", "GeoJSON", "XML", "GML", "KML", "RDF", "Atom Feed", "RSS", "IATI")
)
# A dataset's schema does not say which of its resources follow it.
_OF_DATASET = frozenset(("CSV", "TSV", "JSON", "GeoJSON", "XML"))
SCHEMA_KEYS = ("schema_url", "schema-url")


def _schemas_of_dataset() -> sa.ColumnElement[Any]:
    """Return the SQL expression for a dataset's schemas: a column in CKAN 2.12, a table in 2.11."""
    columns = model.package_table.c
    if "extras" in columns:
        return columns.extras["schema"].astext
    extra = model.PackageExtra
    is_schema = (extra.package_id == Package.id, extra.key == "schema", extra.state == "active")
    return sa.select(extra.value).where(*is_schema).correlate(Package).limit(1).scalar_subquery()


_SCHEMAS = _schemas_of_dataset()
_OWN = sa.cast(Resource.extras, sa.Text)
_HAS_OWN = sa.or_(*(_OWN.like(f'%"{key}"%') for key in SCHEMA_KEYS))
# A result counts until the resource has another URL.
IS_CURRENT = sa.and_(
    Resource.id == DataCheck.resource_id,
    Resource.url == DataCheck.url,
    Resource.state == "active",
)


_VERDICTS = (
    sa.select(sa.func.array_agg(DataCheck.verdict.distinct()))
    .join(Resource, IS_CURRENT)
    .where(Resource.package_id == Package.id)
    .correlate(Package)
    .scalar_subquery()
)
INDEX_FIELDS = (IndexField("data_check", _VERDICTS, lambda verdicts: tuple(verdicts or ())),)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A resource with a schema.

    Attributes:
        format: as its link check found it, else as the metadata say; "" if unknown.
        link_tried: time of its last link check, None before the first.
        works: whether that found something.
        link_checksum: SHA-256 of a small file, else "".
        check: the last result, None before the first.
    """

    resource_id: str
    package_id: str
    url: str
    schema_url: str
    format: str
    link_tried: dt.datetime | None
    works: bool
    link_checksum: str
    check: DataCheck | None

    @property
    def last(self) -> DataCheck | None:
        """The last result of this URL and this schema, None before the first."""
        before = self.check
        is_same = before and (before.url, before.schema_url) == (self.url, self.schema_url)
        return before if is_same else None

    @property
    def is_asked(self) -> bool:
        """Whether a person asked for a check."""
        return self.check is not None and self.check.due == ASKED

    def is_due(self, schema: DataSchema | None, now: dt.datetime) -> bool:
        """Tell whether a check is due; never before the link was checked.

        Args:
            schema: what is known of its schema.
        """
        before = self.last
        if self.link_tried is None:
            return False
        if before is None:
            return True
        if not self.works:
            return self.is_asked
        if before.due is not None:
            return bool(before.due <= now)
        is_later = before.link_tried is None or self.link_tried > before.link_tried
        return is_later or before.schema_checksum != (schema.checksum if schema else "")


def candidates(
    *, source_id: str | None = None, resource_id: str | None = None, package_id: str | None = None
) -> list[Candidate]:
    """Return the resources with a schema, of live datasets.

    Args:
        source_id, resource_id, package_id: only those of this source, this one, this dataset's.
    """
    columns = (Resource.id, Resource.package_id, Resource.url, Resource.format, Resource.extras)
    link = (Link.format.label("link_format"), Link.tried, Link.state, Link.checksum)
    query = (
        live_resources(*columns, _SCHEMAS.label("schemas"), *link, DataCheck)
        .outerjoin(DataCheck, DataCheck.resource_id == Resource.id)
        .options(sa.orm.defer(DataCheck.report), sa.orm.defer(DataCheck.findings))
        .where(sa.or_(_HAS_OWN, _SCHEMAS.isnot(None)), of_source(source_id))
        .order_by(DataCheck.tried.asc().nulls_first(), Resource.id)
    )
    if resource_id is not None:
        query = query.where(Resource.id == resource_id)
    if package_id is not None:
        query = query.where(Resource.package_id == package_id)
    rows = Session.execute(query.execution_options(populate_existing=True))
    return [candidate for candidate in map(_candidate, rows) if candidate is not None]


def _candidate(row: Any) -> Candidate | None:
    format_ = row.link_format or formats.label(row.format or "") or row.format or ""
    schema_url = own_schema(row.extras or {}) or _schema_of_dataset(row.schemas, format_)
    if not schema_url:
        return None
    return Candidate(
        row.id,
        row.package_id,
        row.url,
        schema_url,
        format_,
        row.tried,
        row.state == LinkState.WORKS,
        row.checksum or "",
        row.DataCheck,
    )


def own_schema(resource: Mapping[str, Any]) -> str:
    """Return the URL of a resource's own schema, "" if it has none."""
    texts = (str(resource.get(key) or "").strip() for key in SCHEMA_KEYS)
    return next(filter(is_web_url, texts), "")


def _schema_of_dataset(text: str | None, format_: str) -> str:
    if format_ not in _OF_DATASET:
        return ""
    urls = multivalue.addresses(text or "").urls
    return urls[0] if len(urls) == 1 and is_web_url(urls[0]) else ""


def are_used() -> bool:
    """Tell whether any resource or dataset has a schema, or a result is stored."""
    sources = (
        sa.exists().where(_HAS_OWN),
        sa.select(sa.literal(1)).select_from(Package).where(_SCHEMAS.isnot(None)).exists(),
        sa.exists(DataCheck.resource_id),
    )
    return bool(Session.scalar(sa.select(sa.or_(*sources))))


def count_due() -> int:
    """Return how many resources are due for a check, or have a schema that is."""
    known = candidates() if are_used() else []
    if not known:
        return 0
    schemas, now = load_data_schemas([candidate.schema_url for candidate in known]), tables.utcnow()
    return sum(1 for candidate in known if waits(candidate, schemas.get(candidate.schema_url), now))


def waits(candidate: Candidate, schema: DataSchema | None, now: dt.datetime) -> bool:
    """Tell whether a resource or its schema is due."""
    is_old = candidate.works and is_schema_due(schema, now)
    return is_old or candidate.is_due(schema, now)


def is_schema_due(schema: DataSchema | None, now: dt.datetime) -> bool:
    """Tell whether a schema has to be requested."""
    return schema is None or bool(schema.due <= now)


def save_data_checks(candidate: Candidate, values: Mapping[str, Any]) -> bool:
    """Save what a check found; return whether the verdict is another one than before."""
    before = candidate.last
    columns = {"url": candidate.url, "schema_url": candidate.schema_url, **values}
    columns |= {"link_tried": candidate.link_tried, "tried": tables.utcnow()}
    if "verdict" not in columns:  # the result stays
        change = sa.update(DataCheck).where(DataCheck.resource_id == candidate.resource_id)
        execute(change.values(**columns))
        return False
    execute(
        upsert_statement(
            DataCheck, ["resource_id"], [{"resource_id": candidate.resource_id, **columns}]
        )
    )
    return before is None or before.verdict != columns["verdict"]


def forget_others(resource_ids: Collection[str]) -> list[str]:
    """Delete the results of all other resources; return the ids of their datasets."""
    gone = sa.select(DataCheck.resource_id, Resource.package_id).join(
        Resource, Resource.id == DataCheck.resource_id
    )
    rows = Session.execute(gone.where(DataCheck.resource_id.not_in(resource_ids))).all()
    if rows:
        execute(
            sa.delete(DataCheck).where(DataCheck.resource_id.in_([row.resource_id for row in rows]))
        )
    return sorted({row.package_id for row in rows})


def ask_for_check(package_id: str) -> int:
    """Make the checks of a dataset's data and their schemas due now; return their number."""
    known = candidates(package_id=package_id)
    if known:
        checks = DataCheck.resource_id.in_([candidate.resource_id for candidate in known])
        schemas = DataSchema.url_digest.in_(
            [digest_url(candidate.schema_url) for candidate in known]
        )
        execute(sa.update(DataCheck).where(checks).values(due=ASKED))
        execute(sa.update(DataSchema).where(schemas).values(due=ASKED))
    return len(known)


def find_data_checks(resource_id: str) -> DataCheck | None:
    """Return the result of a resource with its report, None if it has none of its URL."""
    query = sa.select(DataCheck).join(Resource, IS_CURRENT)
    query = query.options(sa.orm.undefer(DataCheck.report), sa.orm.defer(DataCheck.findings))
    query = query.where(DataCheck.resource_id == resource_id)
    check: DataCheck | None = Session.scalar(query.execution_options(populate_existing=True))
    return check


def checks_of_dataset(package_id: str) -> Sequence[DataCheck]:
    """Return the results of a dataset's resources, without reports and findings."""
    return Session.scalars(
        sa.select(DataCheck)
        .join(Resource, IS_CURRENT)
        .where(Resource.package_id == package_id)
        .options(sa.orm.defer(DataCheck.report), sa.orm.defer(DataCheck.findings))
    ).all()


def findings_of(resource_id: str) -> bytes | None:
    """Return all findings of a resource as CSV in UTF-8, None if there are none."""
    query = sa.select(DataCheck.findings).join(Resource, IS_CURRENT)
    findings: bytes | None = Session.scalar(query.where(DataCheck.resource_id == resource_id))
    return None if findings is None else zlib.decompress(findings)


Group = model.Group


def _checks(*columns: Any) -> sa.Select[Any]:
    return (
        sa.select(*columns)
        .select_from(DataCheck)
        .join(Resource, IS_CURRENT)
        .join(Package, Package.id == Resource.package_id)
    )


def counts(organisation_id: str | None = None) -> Sequence[Any]:
    """Count resources, by organisation, schema and verdict.

    Returns:
        Rows (id, name, title, schema_url, verdict, resources, errors); id is None for those
        without an organisation.
    """
    of = (Group.id, Group.name, Group.title, DataCheck.schema_url, DataCheck.verdict)
    numbers = (sa.func.count().label("resources"), sa.func.sum(DataCheck.errors).label("errors"))
    query = _checks(*of, *numbers).outerjoin(Group, OF_ORGANISATION).where(IS_PUBLIC)
    if organisation_id is not None:
        query = query.where(Package.owner_org == organisation_id)
    return Session.execute(query.group_by(*of)).all()


def resources(
    *, organisation_id: str | None, schema_url: str, verdict: str, limit: int, offset: int
) -> tuple[int, Sequence[Any]]:
    """Return the number of resources that were checked, and one page, the most errors first.

    Args:
        organisation_id: None for all.
        schema_url, verdict: "" for all.

    Returns:
        Rows (DataCheck, resource_name, name, title).
    """
    where = [IS_PUBLIC]
    if organisation_id is not None:
        where.append(Package.owner_org == organisation_id)
    where += [DataCheck.schema_url == schema_url] if schema_url else []
    where += [DataCheck.verdict == verdict] if verdict else []
    number = int(Session.scalar(_checks(sa.func.count()).where(*where)) or 0)
    page = (
        _checks(DataCheck, Resource.name.label("resource_name"), Package.name, Package.title)
        .where(*where)
        .options(sa.orm.defer(DataCheck.report), sa.orm.defer(DataCheck.findings))
        .order_by(DataCheck.errors.desc(), Package.name, DataCheck.resource_id)
    )
    return number, Session.execute(page.limit(limit).offset(offset)).all()


def count_verdicts() -> dict[str, int]:
    """Return verdict → number of resources, of private datasets too."""
    query = _checks(DataCheck.verdict, sa.func.count()).where(IS_DATASET)
    return {row[0]: int(row[1]) for row in Session.execute(query.group_by(DataCheck.verdict))}


def count_invalid(source_ids: Collection[str]) -> dict[str, int]:
    """Return source id → number of its resources whose data have errors; one statement."""
    query = (
        _checks(Record.source_id, sa.func.count(DataCheck.resource_id.distinct()))
        .join(Record, Record.package_id == Package.id)
        .where(IS_DATASET, DataCheck.verdict == "invalid", Record.source_id.in_(source_ids))
    )
    return {row[0]: int(row[1]) for row in Session.execute(query.group_by(Record.source_id))}
