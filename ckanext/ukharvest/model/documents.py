"""The stored source record of a dataset."""

from __future__ import annotations

import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestObjectExtra

from ckanext.ukharvest.core.document_kind import HEAD, size_of
from ckanext.ukharvest.model import Record, RecordVersion, versions

Session = model.Session

ORIGINAL = "original_document"  # extra of ckanext-spatial's objects: what it translated


class Document(NamedTuple):
    """A dataset's record as last imported.

    Attributes:
        harvested: when, UTC.
        source_id: of the harvest source.
    """

    content: str
    harvested: datetime.datetime
    source_id: str


class Glance(NamedTuple):
    """Beginning and size of a record, for a dataset's page.

    Attributes:
        head: the record's first characters, from which its form is known.
        size: bytes of UTF-8.
    """

    head: str
    size: int


def of_dataset(package_id: str) -> Document | None:
    """Return the record that a dataset was made from, None if none is stored.

    It is in the current harvest object, which is never pruned; if other code removed that, in the
    latest stored version.
    """
    harvested = sa.func.coalesce(HarvestObject.import_finished, HarvestObject.gathered)
    row = _current(package_id, _CONTENT, harvested, HarvestObject.harvest_source_id).first()
    return Document(*row) if row and row[0] else _kept(package_id)


def glance_at(package_id: str) -> Glance | None:
    """Return the beginning and size of a dataset's record, None if there is none.

    Called by every dataset's page, and a record may have megabytes.
    """
    row = _current(package_id, sa.func.left(_CONTENT, HEAD), sa.func.octet_length(_CONTENT)).first()
    if row and row[0]:
        return Glance(*row)
    version = _kept(package_id)
    return Glance(version.content[:HEAD], size_of(version.content)) if version else None


# Objects of ckanext-spatial may have the publisher's document beside a content of none.
_CONTENT = sa.func.coalesce(sa.func.nullif(HarvestObject.content, ""), HarvestObjectExtra.value)


def _current(package_id: str, *columns: Any) -> Any:
    """The columns of a dataset's current harvest object; the last one where there are several."""
    is_original = sa.and_(
        HarvestObjectExtra.harvest_object_id == HarvestObject.id,
        HarvestObjectExtra.key == ORIGINAL,
    )
    return (
        Session.query(*columns)
        .select_from(HarvestObject)
        .outerjoin(HarvestObjectExtra, is_original)
        .filter(HarvestObject.package_id == package_id, HarvestObject.current.is_(True))
        .order_by(HarvestObject.import_finished.desc().nulls_last())
    )


def _kept(package_id: str) -> Document | None:
    row = (
        Session.query(RecordVersion.content, RecordVersion.created, Record.source_id)
        .join(Record, Record.id == RecordVersion.record_id)
        .filter(Record.package_id == package_id)
        .order_by(RecordVersion.id.desc())
        .first()
    )
    return Document(versions.unpack(row[0]), row[1], row[2]) if row else None
