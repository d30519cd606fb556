"""Conflicts of a record: with one of another source, or with a dataset that is here already."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestObject, HarvestSource
from sqlalchemy.orm import aliased

from ckanext.ukharvest import config
from ckanext.ukharvest.core.deletions import UUID, is_globally_unique
from ckanext.ukharvest.core.errors import RecordError, RejectedByCkan
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.core.records import DatasetRecord, Origin
from ckanext.ukharvest.core.values.text import one_line, shorten
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.database import any_text, execute, group_pairs
from ckanext.ukharvest.harvest.model import Change, JobReport, Record

Session = model.Session
log = logging.getLogger(__name__)


class GuidElsewhere(RecordError):
    """The identifier belongs to a dataset of another source; nothing was written."""

    code = "guid-elsewhere"


Key = tuple[str, str]  # source id, guid
Claims = Mapping[str, Sequence[Any]]  # guid → who has it, as rows of ``lock_and_find``


def lock_guids(guids: Iterable[str]) -> None:
    """Hold a lock on identifiers until the transaction ends."""
    database.hold_locks((database.GUIDS, guid) for guid in guids)


def lock_and_find(
    wanted: Iterable[str], names: Iterable[tuple[int, str]] = (), own: Iterable[str] = ()
) -> Claims:
    """Return who has the guids of records that will become new datasets.

    Holds a lock on the guids until the transaction ends, so that of two sources that bring one at
    the same moment one comes second.

    Args:
        names: to lock in the same statement (``database.hold_locks``).
        own: those of them that plugins gave.

    Returns:
        Rows (guid, source_id, title, url, active, dataset_title, owner_org): the sources whose
        current harvest object names an active dataset of a guid; ``owner_org``: id of the dataset's
        organisation, None if it has none.
    """
    guids = set(filter(is_globally_unique, wanted))
    database.hold_locks([*((database.GUIDS, guid) for guid in guids), *names])
    if not guids:
        return {}
    # By harvest objects, not by our rows: their guid has an index, and a source that another
    # harvester still works on, or did before it is adopted, has no rows.
    columns = (
        HarvestSource.id.label("source_id"),
        HarvestSource.title,
        HarvestSource.url,
        HarvestSource.active,
        model.Package.title.label("dataset_title"),
        model.Package.owner_org,
    )
    query = (
        Session.query(HarvestObject.guid, *columns)
        .join(HarvestObject, HarvestObject.harvest_source_id == HarvestSource.id)
        .join(model.Package, model.Package.id == HarvestObject.package_id)
        .filter(
            HarvestObject.guid.in_(guids),
            HarvestObject.current.is_(True),
            model.Package.state == "active",
        )
    )
    rows = query.all()
    if given := guids.intersection(own):
        rows += (
            Session.query(Record.own_guid.label("guid"), *columns)
            .join(Record, Record.source_id == HarvestSource.id)
            .join(model.Package, model.Package.id == Record.package_id)
            .filter(sa.func.md5(Record.own_guid).in_([sa.func.md5(guid) for guid in given]))
            .filter(Record.own_guid == any_text(given), model.Package.state == "active")
        )
    return group_pairs((row.guid, row) for row in rows)


def refuse_foreign(key: Key, title: str, claims: Claims) -> None:
    """Refuse to create or restore a dataset for a guid that another source has.

    Args:
        key: source id and guid.
        title: of the record; the same title elsewhere means the same dataset.
        claims: as ``lock_and_find`` returns them.

    Raises:
        GuidElsewhere: names both sources and says what to do.
    """
    source_id, guid = key
    for claim in claims.get(guid, ()):
        if claim.source_id != source_id:
            source = Session.get(HarvestSource, source_id)
            raise GuidElsewhere(_message(guid, title, source, claim), url=source.url)


def _message(guid: str, title: str, source: HarvestSource, claim: Any) -> str:
    there = f"'{claim.title}' ({claim.url})"
    here = f"'{source.title}' ({source.url})"
    if not claim.active:
        there += ", which is deleted,"
    return (
        f"identifier '{shorten(guid)}': a dataset of the source {there} has this record "
        f"already, so the source {here} does not import it again; {_advice(title, source, claim)}"
    )


def _advice(title: str, source: HarvestSource, claim: Any) -> str:
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


def _advice_on_deleted(source: HarvestSource, claim: Any) -> str:
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


def lock_and_find_handed_on(records: Mapping[Key, DatasetRecord]) -> dict[Key, str | None]:
    """Return which new records would be datasets once more that are here already: their ids.

    None of one that was purged.

    Holds a lock on the origins' identities until the transaction ends, so that of two routes that
    bring one at the same moment one comes second.

    Args:
        records: that will become new datasets.
    """
    named = ((key, _origin_of(key[1], record)) for key, record in records.items())
    origins = {key: origin for key, origin in named if origin is not None}
    if not origins:
        return {}
    guids = {guid for _source, guid in origins}
    guids.update(guid for origin in origins.values() for guid in origin.guids)
    # All at once: the identifiers of new datasets are locked again afterwards.
    if any(origin.guids for origin in origins.values()):
        lock_guids(guids)
    datasets = _datasets(guids)
    routes = _routes(set(filter(is_globally_unique, (origin.guid for origin in origins.values()))))
    datasets_of_records: dict[Key, str | None] = {}
    for key, origin in origins.items():
        source_id, guid = key
        dataset = datasets.get(guid)
        own = [id_ for id_ in origin.guids if id_ in datasets and datasets[id_].is_origin]
        others = [route for route in routes.get(origin.guid, ()) if route[0] != source_id]
        if own:
            datasets_of_records[key] = own[0]
        elif dataset and dataset.is_active and not dataset.has_id_of_record:
            datasets_of_records[key] = guid  # handed on by a portal that keeps our ids
        elif _is_own_page(origin.url):
            datasets_of_records[key] = None
        elif others:
            datasets_of_records[key] = others[0][1]
    return datasets_of_records


def _origin_of(guid: str, record: DatasetRecord) -> Origin | None:
    """Return where a record may have been before, None if it can be new only.

    Most formats name no origin. What this portal exports has the id or the page of its dataset as
    its identifier, which portals keep when they hand it on.
    """
    if record.origin is not None:
        return record.origin
    if _is_own_page(guid):
        return Origin((re.split("[/?#]", guid.partition("/dataset/")[2])[0],), guid)
    return Origin() if UUID.fullmatch(guid) else None


class _Dataset(NamedTuple):
    """A dataset of this portal.

    Attributes:
        has_id_of_record: ckanext-harvest gave it the id that it has on the portal where it is from.
    """

    is_active: bool
    is_harvested: bool
    has_id_of_record: bool

    @property
    def is_origin(self) -> bool:
        """Tell whether a record that names it comes from it; one that was made here, for ever."""
        return self.is_active or not self.is_harvested


def _datasets(ids: Collection[str]) -> dict[str, _Dataset]:
    """Return the datasets of this portal with these ids; mostly there are none: one statement."""
    package = model.Package
    query = Session.query(package.id, package.state == "active")
    states = dict(query.filter(package.id == any_text(ids), package.type == "dataset").all())
    if not states:
        return {}
    here = any_text(states)
    rows = Session.query(Record.package_id, Record.guid).filter(Record.package_id == here)
    objects = Session.query(HarvestObject.package_id, HarvestObject.guid).filter(
        HarvestObject.package_id == here, HarvestObject.current.is_(True)
    )
    harvested = [*rows, *objects]
    from_records = {id_ for id_, _guid in harvested}
    with_ids_of_records = {id_ for id_, guid in harvested if id_ == guid}
    return {
        id_: _Dataset(is_active, id_ in from_records, id_ in with_ids_of_records)
        for id_, is_active in states.items()
    }


def _routes(origins: Collection[str]) -> dict[str, list[tuple[str, str]]]:
    """Return origin's identity → source and dataset of records that were imported from there."""
    if not origins:
        return {}
    hashes = [sa.func.md5(origin) for origin in origins]
    query = (
        Session.query(Record.origin_guid, Record.source_id, Record.package_id)
        .join(model.Package, model.Package.id == Record.package_id)
        .filter(Record.origin_guid != "", sa.func.md5(Record.origin_guid).in_(hashes))
        .filter(Record.origin_guid == any_text(origins), model.Package.state == "active")
        .order_by(Record.id)
    )
    return group_pairs((origin, (source_id, id_)) for origin, source_id, id_ in query)


def _is_own_page(url: str) -> bool:
    own = config.site_url()
    return bool(own) and url.startswith(f"{own}/dataset/")


Route = Any  # a row of ``other_routes``


def other_routes(package_ids: Sequence[str]) -> dict[str, Route]:
    """Return dataset id → another route to it that an active source still lists.

    Of several the first that gives it to the organisation that it has, if there is one.

    Returns:
        Rows (package_id, record_id, source_id, source_title, is_same_organisation); the last:
        whether it would give the dataset to the organisation that it has.
    """
    if not package_ids:
        return {}
    package = model.Package
    # A complete run that began after it was last seen has missed it.
    missed = (
        sa.select(JobReport.id)
        .where(
            JobReport.source_id == Record.source_id,
            JobReport.complete.is_(True),
            JobReport.started > Record.last_seen,
        )
        .exists()
    )
    is_same = Record.owner_org == sa.func.coalesce(sa.func.nullif(package.owner_org, ""), "none")
    query = (
        Session.query(
            Record.same_as.label("package_id"),
            Record.id.label("record_id"),
            Record.source_id,
            HarvestSource.title.label("source_title"),
            is_same.label("is_same_organisation"),
        )
        .join(package, package.id == Record.same_as)
        .join(HarvestSource, HarvestSource.id == Record.source_id)
        .filter(Record.same_as == any_text(package_ids), Record.outcome == RecordOutcome.SKIPPED)
        .filter(HarvestSource.active.is_(True), ~missed)
        .distinct(Record.same_as)
        .order_by(Record.same_as, is_same.desc(), Record.id)
    )
    return {row.package_id: row for row in query}


def hand_over(row: Record, route: Route) -> None:
    """Give a dataset to the record of another route; the next run of its source imports it.

    Args:
        row: of the record that has the dataset and is missing; locked by the caller.
    """
    taker = Session.get(Record, route.record_id, with_for_update=True, populate_existing=True)
    taker.package_id, taker.resources = row.package_id, row.resources
    taker.supplied_fields = row.supplied_fields
    taker.outcome, taker.same_as = "", None
    taker.fingerprint = taker.import_rules_hash = taker.package_hash = ""
    # The history of the dataset goes with it.
    execute(sa.update(Change).where(Change.record_id == row.id).values(record_id=taker.id))
    row.package_id = row.resources = row.supplied_fields = row.error = None
    row.fingerprint = row.package_hash = ""
    row.outcome, row.removed = RecordOutcome.DELETED, True
    Session.flush()


def release_other_routes(package_ids: Collection[str]) -> None:
    """Let the records be imported that were skipped because of these datasets; no commit.

    Without a stamp, and with an outcome that is none, the next run of their source reads them.
    """
    if not package_ids:
        return
    execute(
        sa.update(Record)
        .where(Record.same_as == any_text(package_ids))
        .values(same_as=None, outcome="", fingerprint="", import_rules_hash="")
    )


def other_listings(package_id: str) -> Sequence[Any]:
    """Return the sources that list a dataset too, by title; they skip its record.

    Returns:
        Rows (source_id, name, title, state, is_private, record_id).
    """
    source = aliased(model.Package)
    query = (
        Session.query(
            source.id.label("source_id"),
            source.name,
            sa.func.coalesce(sa.func.nullif(source.title, ""), source.name).label("title"),
            source.state,
            source.private.label("is_private"),
            Record.id.label("record_id"),
        )
        .join(Record, Record.source_id == source.id)
        .filter(Record.same_as == package_id, Record.outcome == RecordOutcome.SKIPPED)
        .order_by(source.title, Record.id)
    )
    return query.all()  # type: ignore[no-any-return]


class Rejected(Exception):
    """package_create or package_update refused; the transaction was rolled back."""

    def __init__(self, errors: Mapping[str, Any]) -> None:
        super().__init__(errors)
        self.errors = errors


def is_name_taken(exc: Exception) -> bool:
    """Tell whether another dataset took the name meanwhile."""
    if isinstance(exc, Rejected):
        return "name" in exc.errors
    return "package_name" in str(exc) or "idx_pkg_name" in str(exc)


def words_by_field(errors: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each field that CKAN refused, with its words.

    Args:
        errors: of a ValidationError. Fields of resources are named as "resources: name", once.
    """
    words: dict[str, dict[str, None]] = {}
    for key, value in errors.items():
        for name, text in _words(str(key), value):
            words.setdefault(name, {})[one_line(text)] = None
    for name, texts in words.items():
        yield name, "; ".join(texts)


def _words(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _words(f"{name}: {key}", inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _words(name, inner)
    else:
        yield name, str(value)


def rejection_error(exc: Exception, title: str = "") -> RecordError:
    """Return the error of a refused record; ``title``: the record's."""
    if isinstance(exc, RecordError):
        error = exc
    elif isinstance(exc, Rejected):
        details = "; ".join(f"{key}: {one_line(value)}" for key, value in exc.errors.items())
        error = RejectedByCkan(f"CKAN does not accept the dataset: {details}")
        error.fields = dict(words_by_field(exc.errors))
    else:
        log.error("The database refused a record", exc_info=exc)
        error = RejectedByCkan("the database refused the record; the portal's log has the details")
    error.title = title
    return error
