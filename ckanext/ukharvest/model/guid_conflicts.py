"""Refuse records whose identifier belongs to a dataset of another source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestSource

from ckanext.ukharvest.core.deletions import is_globally_unique
from ckanext.ukharvest.core.errors import RecordError
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.model import locks

Session = model.Session


class GuidElsewhere(RecordError):
    """The identifier belongs to a dataset of another source; nothing was written."""

    code = "guid-elsewhere"


class Claim(NamedTuple):
    """A source whose current harvest object names an active dataset of this guid.

    Attributes:
        owner_org: id of the dataset's organisation, None if it has none.
    """

    source_id: str

    title: str
    url: str
    active: bool
    dataset_title: str
    owner_org: str | None


Claims = Mapping[str, Sequence[Claim]]  # guid → who has it


def lock(guids: Iterable[str]) -> None:
    """Hold a lock on identifiers until the transaction ends."""
    locks.hold((locks.GUIDS, guid) for guid in guids)


def lock_and_find(
    objects: Iterable[HarvestObject], names: Iterable[tuple[int, str]] = ()
) -> Claims:
    """Return who has the guids of harvest objects that will become new datasets.

    Holds a lock on the guids until the transaction ends, so that of two sources that bring one at
    the same moment one comes second.

    Args:
        names: to lock in the same statement (``locks.hold``).
    """
    guids = {obj.guid for obj in objects if is_globally_unique(obj.guid)}
    locks.hold([*((locks.GUIDS, guid) for guid in guids), *names])
    if not guids:
        return {}
    # By harvest objects, not by our rows: their guid has an index, and a source that another
    # harvester still works on, or did before it is adopted, has no rows.
    query = (
        Session.query(
            HarvestObject.guid,
            HarvestSource.id,
            HarvestSource.title,
            HarvestSource.url,
            HarvestSource.active,
            model.Package.title,
            model.Package.owner_org,
        )
        .join(HarvestObject, HarvestObject.harvest_source_id == HarvestSource.id)
        .join(model.Package, model.Package.id == HarvestObject.package_id)
        .filter(
            HarvestObject.guid.in_(guids),
            HarvestObject.current.is_(True),
            model.Package.state == "active",
        )
    )
    claims: dict[str, list[Claim]] = {}
    for guid, *claim in query:
        claims.setdefault(guid, []).append(Claim(*claim))
    return claims


def refuse_foreign(obj: HarvestObject, title: str, claims: Claims) -> None:
    """Refuse to create or restore a dataset for a guid that another source has.

    Args:
        title: of the record; the same title elsewhere means the same dataset.
        claims: as ``lock_and_find`` returns them.

    Raises:
        GuidElsewhere: names both sources and says what to do.
    """
    for claim in claims.get(obj.guid, ()):
        if claim.source_id != obj.harvest_source_id:
            message = _message(obj.guid, title, obj.source, claim)
            raise GuidElsewhere(message, url=obj.source.url)


def _message(guid: str, title: str, source: HarvestSource, claim: Claim) -> str:
    there = f"'{claim.title}' ({claim.url})"
    here = f"'{source.title}' ({source.url})"
    if not claim.active:
        there += ", which is deleted,"
    return (
        f"identifier '{shorten(guid)}': a dataset of the source {there} has this record "
        f"already, so the source {here} does not import it again; {_advice(title, source, claim)}"
    )


def _advice(title: str, source: HarvestSource, claim: Claim) -> str:
    """What the publisher of the second record does; the other's title may not be public."""
    if not claim.active:
        return _advice_on_deleted(source, claim)
    if _plain(title) == _plain(claim.dataset_title):
        return (
            "it has the same title there, so take the record out of one of the two sources; to "
            "move the dataset from one publisher to another, ask the portal's administrator"
        )
    return (
        "it has another title there, so this is probably another dataset, whose record was made "
        "from a copy: give the record an identifier of its own here, such as a new UUID"
    )


def _advice_on_deleted(source: HarvestSource, claim: Claim) -> str:
    """How a sysadmin gives the datasets of a deleted source to this one, or deletes them."""
    package = Session.get(model.Package, source.id)
    adopt = f"'ckan ukharvest adopt {_name(source.id)} --by-guid'"
    clear = f"'ckan harvester source clear {_name(claim.source_id)}'"
    choose = ""
    if (package.owner_org if package else source.publisher_id) != claim.owner_org:
        owner = Session.get(model.Group, claim.owner_org or "")
        owned = f"the organisation '{owner.title or owner.name}'" if owner else "no organisation"
        choose = f"it belongs to {owned}, so choose that for this source first; then "
    return (
        f"{choose}ask a sysadmin to give this source the datasets of the deleted one with "
        f"{adopt}, or to delete them with {clear}"
    )


def _name(source_id: str) -> str:
    package = Session.get(model.Package, source_id)
    return str(package.name if package else source_id)


def _plain(title: str | None) -> str:
    return " ".join((title or "").casefold().split())
