"""What is stored of a dataset's record: the text that was harvested."""

from __future__ import annotations

import datetime
from typing import NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestObjectExtra

from ckanext.ukharvest.model import Record, RecordVersion, versions

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


def of_dataset(package_id: str) -> Document | None:
    """Return the record that a dataset was made of, None if nothing is stored.

    It stands in the current harvest object, which pruning leaves alone; where other code removed
    that one, in the latest version that we keep.
    """
    query = Session.query(
        HarvestObject.content,
        sa.func.coalesce(HarvestObject.import_finished, HarvestObject.gathered),
        HarvestObject.harvest_source_id,
        HarvestObject.id,
    ).filter(HarvestObject.package_id == package_id, HarvestObject.current.is_(True))
    row = query.order_by(HarvestObject.import_finished.desc().nulls_last()).first()
    if row is None:
        return _kept(package_id)
    content, harvested, source_id, object_id = row
    content = content or _original(object_id)
    return Document(content, harvested, source_id) if content else _kept(package_id)


def _original(object_id: str) -> str:
    query = Session.query(HarvestObjectExtra.value).filter_by(
        harvest_object_id=object_id, key=ORIGINAL
    )
    return str(query.scalar() or "")


def _kept(package_id: str) -> Document | None:
    row = (
        Session.query(RecordVersion.content, RecordVersion.created, Record.source_id)
        .join(Record, Record.id == RecordVersion.record_id)
        .filter(Record.package_id == package_id)
        .order_by(RecordVersion.id.desc())
        .first()
    )
    return Document(versions.unpack(row[0]), row[1], row[2]) if row else None
