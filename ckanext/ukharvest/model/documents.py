"""What is stored of a dataset's record: the text that was harvested."""

from __future__ import annotations

import datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestObjectExtra

from ckanext.ukharvest.model import Record, RecordVersion, versions
from ckanext.ukharvest.source_record import form as record_form

Session = model.Session

ORIGINAL = "original_document"  # extra of ckanext-spatial's objects: what it translated


class Document(NamedTuple):
    """A dataset's record as it was last brought in.

    Attributes:
        harvested: when, UTC.
        source_id: of the harvest source.
    """

    content: str
    harvested: datetime.datetime
    source_id: str


class Glance(NamedTuple):
    """What a dataset's page says of its record.

    Attributes:
        head: the record's first characters, which tell its form.
        size: bytes of UTF-8.
    """

    head: str
    size: int


def of_dataset(package_id: str) -> Document | None:
    """Return the record that a dataset was made of, None if nothing is stored.

    It stands in the current harvest object, which pruning leaves alone; where other code removed
    that one, in the latest version that we keep.
    """
    harvested = sa.func.coalesce(HarvestObject.import_finished, HarvestObject.gathered)
    query = _current(package_id, _CONTENT, harvested, HarvestObject.harvest_source_id)
    row = query.first()
    return Document(*row) if row and row[0] else _kept(package_id)


def glance_at(package_id: str) -> Glance | None:
    """Return what can be said of a dataset's record without reading it, None if there is none.

    Every dataset's page asks, and a record may have megabytes.
    """
    head = sa.func.left(_CONTENT, record_form.LOOK_AT)
    row = _current(package_id, head, sa.func.octet_length(_CONTENT)).first()
    if row and row[0]:
        return Glance(*row)
    kept = _kept(package_id)
    return (
        Glance(kept.content[: record_form.LOOK_AT], record_form.size_of(kept.content))
        if kept
        else None
    )


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
