"""Schemas that data are checked against, a copy of each. Nothing uses the network or commits."""

from __future__ import annotations

import datetime as dt
import hashlib
import zlib
from collections.abc import Collection

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import model as tables
from ckanext.ukharvest.core.link_states import growing_pause
from ckanext.ukharvest.core.records import Validators
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.model import DataSchema
from ckanext.ukharvest.model.link_evidence import digest
from ckanext.ukharvest.model.statements import execute, upsert
from ckanext.ukharvest.schema_check.files import SchemaFile

Session = model.Session


def load(urls: Collection[str]) -> dict[str, DataSchema]:
    """Return URL → schema of those that were requested before, without their content."""
    query = sa.select(DataSchema).options(sa.orm.defer(DataSchema.content))
    query = query.where(DataSchema.url_digest.in_([digest(url) for url in set(urls)]))
    schemas = Session.scalars(query.execution_options(populate_existing=True))
    return {schema.url: schema for schema in schemas}


def load_file(url: str) -> SchemaFile | None:
    """Return the copy of a schema, None if it was never read."""
    query = sa.select(DataSchema.content, DataSchema.etag, DataSchema.last_modified)
    row = Session.execute(query.where(DataSchema.url_digest == digest(url))).one_or_none()
    if row is None or row.content is None:
        return None
    validators = Validators(etag=row.etag, last_modified=row.last_modified)
    return SchemaFile(url, zlib.decompress(row.content), validators)


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


def ask(urls: Collection[str], due: dt.datetime) -> None:
    """Make schemas due at this time."""
    statement = sa.update(DataSchema).where(
        DataSchema.url_digest.in_([digest(url) for url in urls])
    )
    execute(statement.values(due=due))


def prune(used: Collection[str]) -> None:
    """Delete the schemas that no resource has any more."""
    execute(
        sa.delete(DataSchema).where(DataSchema.url_digest.not_in([digest(url) for url in used]))
    )


def _put(url: str, **values: object) -> None:
    values["fetched"] = tables.utcnow()
    execute(upsert(DataSchema, ["url_digest"], [{"url": url, "url_digest": digest(url), **values}]))
