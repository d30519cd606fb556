"""Refuse records whose identifier belongs to a dataset of another source."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestSource

from ckanext.ukharvest.core.errors import RecordError
from ckanext.ukharvest.core.identity import is_globally_unique
from ckanext.ukharvest.core.values.text import shorten

Session = model.Session


class GuidElsewhere(RecordError):
    """The identifier belongs to a dataset of another source; nothing was written."""

    code = "guid-elsewhere"


class Claim(NamedTuple):
    """The source whose current harvest object names an active dataset of this guid."""

    title: str
    url: str
    active: bool
    dataset_title: str


def refuse_foreign(guid: str, title: str, source: HarvestSource) -> None:
    """Refuse to create or restore a dataset for a guid that another source has.

    Holds a lock on the guid until the transaction ends, so that of two sources that bring it at
    the same moment one comes second.

    Args:
        title: of the record; the same title elsewhere means the same dataset.

    Raises:
        GuidElsewhere: names both sources and says what to do.
    """
    if not is_globally_unique(guid):
        return
    Session.execute(sa.text("SELECT pg_advisory_xact_lock(hashtext(:guid))"), {"guid": guid})
    claim = _claim(guid, source.id)
    if claim:
        raise GuidElsewhere(_message(guid, title, source, claim), url=source.url)


def _claim(guid: str, source_id: str) -> Claim | None:
    # By harvest objects, not by our rows: their guid has an index, and a source that another
    # harvester still works on, or did before it is adopted, has no rows.
    query = (
        Session.query(
            HarvestSource.title, HarvestSource.url, HarvestSource.active, model.Package.title
        )
        .join(HarvestObject, HarvestObject.harvest_source_id == HarvestSource.id)
        .join(model.Package, model.Package.id == HarvestObject.package_id)
        .filter(
            HarvestObject.guid == guid,
            HarvestObject.current.is_(True),
            HarvestSource.id != source_id,
            model.Package.state == "active",
        )
    )
    row = query.first()
    return Claim(*row) if row else None


def _message(guid: str, title: str, source: HarvestSource, claim: Claim) -> str:
    there = f"'{claim.title}' ({claim.url})"
    here = f"'{source.title}' ({source.url})"
    if not claim.active:
        there += ", which is deleted,"
    return (
        f"identifier '{shorten(guid)}': a dataset of the source {there} has this record "
        f"already, so the source {here} does not import it again; {_advice(title, claim)}"
    )


def _advice(title: str, claim: Claim) -> str:
    """What the publisher of the second record does; the other's title may not be public."""
    if not claim.active:
        return (
            "clear the deleted source, or ask a sysadmin to take over its datasets with ckan "
            "ukharvest adopt --by-guid"
        )
    if _plain(title) == _plain(claim.dataset_title):
        return (
            "it has the same title there, so take the record out of one of the two sources; to "
            "move the dataset from one publisher to another, ask the portal's administrator"
        )
    return (
        "it has another title there, so this is probably another dataset, whose record was made "
        "from a copy: give the record an identifier of its own here, such as a new UUID"
    )


def _plain(title: str | None) -> str:
    return " ".join((title or "").casefold().split())
