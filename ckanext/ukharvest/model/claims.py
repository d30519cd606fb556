"""One identifier, one dataset: what another source has already is not brought in again."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestSource

from ckanext.ukharvest.core.errors import RecordError
from ckanext.ukharvest.core.identity import is_globally_unique
from ckanext.ukharvest.core.text import shorten

Session = model.Session


class GuidElsewhere(RecordError):
    """The identifier belongs to a dataset of another source; nothing was written."""

    code = "guid-elsewhere"


class Claim(NamedTuple):
    """The source whose current harvest object names an active dataset of this guid."""

    source_id: str
    title: str
    url: str
    active: bool


def refuse_foreign(guid: str, source: HarvestSource) -> None:
    """Make sure that a dataset may be made, or brought back, for a guid of this source.

    Holds a lock on the guid until the transaction ends, so that of two sources that bring it at
    the same moment one comes second.

    Raises:
        GuidElsewhere: names both sources and says what to do.
    """
    if not is_globally_unique(guid):
        return
    Session.execute(sa.text("SELECT pg_advisory_xact_lock(hashtext(:guid))"), {"guid": guid})
    claim = _claim(guid, source.id)
    if claim:
        raise GuidElsewhere(_message(guid, source, claim), url=source.url)


def _claim(guid: str, source_id: str) -> Claim | None:
    # By harvest objects, not by our rows: their guid has an index, and a source that another
    # harvester still works on, or did before it is adopted, has no rows.
    query = (
        Session.query(
            HarvestSource.id, HarvestSource.title, HarvestSource.url, HarvestSource.active
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


def _message(guid: str, source: HarvestSource, claim: Claim) -> str:
    there = f"'{claim.title}' ({claim.url})"
    here = f"'{source.title}' ({source.url})"
    advice = "give it another identifier here, or take it out of one of the two sources"
    if not claim.active:
        there += ", which is deleted"
        advice = (
            "clear the deleted source, or let a sysadmin take its datasets over with "
            "ckan ukharvest adopt --by-guid"
        )
    return (
        f"identifier '{shorten(guid)}': a dataset of the source {there}, has it already, so the "
        f"source {here} does not bring it in again; {advice}"
    )
