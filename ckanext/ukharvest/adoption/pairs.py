"""Pairs of a dataset and a guid: read them from CSV, and check which a source can attach."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ckan import model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest.harvest.model import Record
from ckanext.ukharvest.harvest.sources import dataset_adoption
from ckanext.ukharvest.lib.csv_files import read_rows
from ckanext.ukharvest.lib.permissions import editable_organisations, may
from ckanext.ukharvest.lib.texts import gettext, labelled

Session = model.Session

_MOST_ERRORS = 10
_UDATA = ("local", "remote")  # the same in the files of udata's command


class Pair(NamedTuple):
    """A dataset's name or id, and the guid of a record."""

    dataset: str
    guid: str


class Attached(NamedTuple):
    """A pair that can be attached; ``is_new``: it is not attached yet."""

    guid: str
    package_id: str
    name: str
    is_new: bool


def read_csv(data: bytes) -> list[dict[str, str]]:
    """Return the rows of a CSV file with columns ``dataset`` and ``guid``.

    Other columns are ignored; commas or semicolons separate them. The head may also be that of
    udata's files, ``local;remote``.

    Raises:
        ValueError: with a sentence for people, it cannot be read.
    """
    return read_rows(data, Pair._fields, _UDATA, separators=",;")


def check_pairs(context: Any, source_id: str, pairs: Sequence[Pair]) -> list[Attached]:
    """Return the pairs with their datasets.

    Raises:
        ValidationError: a pair cannot be attached; the first ten are named.
    """
    places = _load_places(context, source_id, pairs)
    attached: list[Attached] = []
    errors = []
    for number, pair in enumerate(pairs, 1):
        try:
            attached.append(_check(context, pair, places))
        except tk.Invalid as exc:
            place = gettext("Row {n}, {value}", n=number, value=pair.dataset)
            errors.append(labelled(place, exc.error))
    if errors:
        raise tk.ValidationError({"pairs": errors[:_MOST_ERRORS]})
    return attached


class _Places(NamedTuple):
    """What pairs are checked against.

    Attributes:
        datasets: name or id → active dataset.
        others: id of a dataset → name of another source that harvests it.
        guids: id of a dataset → guid of its record in the source.
        records: guid → id of the dataset of the source's record.
        seen: guids and ids of datasets of the pairs before.
        organisations: ids of those whose datasets the user may take, None for all.
    """

    datasets: Mapping[str, model.Package]
    others: Mapping[str, str]
    guids: Mapping[str, str]
    records: Mapping[str, str]
    seen: set[tuple[str, str]]
    organisations: Collection[str] | None


def _load_places(context: Any, source_id: str, pairs: Sequence[Pair]) -> _Places:
    datasets: dict[str, model.Package] = {}
    names = list({pair.dataset for pair in pairs})
    for column in (model.Package.name, model.Package.id):
        for chunk in _chunks(names):
            query = Session.query(model.Package).filter(
                column.in_(chunk),
                model.Package.type == "dataset",
                model.Package.state == "active",
            )
            datasets |= {getattr(package, column.key): package for package in query}
    ids = list({package.id for package in datasets.values()})
    others: dict[str, str] = {}
    for chunk in _chunks(ids):
        others |= dataset_adoption.find_other_sources(source_id, chunk)
    own = Session.query(Record.guid, Record.package_id).filter(
        Record.source_id == source_id, Record.package_id.isnot(None)
    )
    records = dict(own.all())
    guids = {package_id: guid for guid, package_id in records.items()}
    organisations = editable_organisations(context)
    return _Places(datasets, others, guids, records, set(), organisations)


def _chunks(values: list[str]) -> Iterator[list[str]]:
    size = dataset_adoption.CHUNK
    return (values[start : start + size] for start in range(0, len(values), size))


def _check(context: Any, pair: Pair, places: _Places) -> Attached:
    """Return a pair with its dataset.

    Raises:
        Invalid: it cannot be attached.
    """
    if not all(pair):
        raise tk.Invalid(tk._("Expected a dataset and a guid."))
    package = places.datasets.get(pair.dataset)
    if package is None or not may(context, "package_update", id=package.id):
        raise tk.Invalid(tk._("There is no dataset of this name or id that you may edit."))
    # The next run gives it the source's organisation, which collaborators may not.
    organisations = places.organisations
    if package.owner_org and organisations is not None and package.owner_org not in organisations:
        raise tk.Invalid(tk._("It belongs to an organisation whose datasets you may not edit."))
    keys = {("dataset", package.id), ("guid", pair.guid)}
    if keys & places.seen:
        raise tk.Invalid(tk._("The list names this dataset or guid twice."))
    places.seen.update(keys)
    attached = Attached(pair.guid, package.id, package.name, is_new=True)
    if places.records.get(pair.guid) == package.id:
        return attached._replace(is_new=False)
    if pair.guid in places.records:
        raise tk.Invalid(gettext("The record {guid} has another dataset already.", guid=pair.guid))
    if guid := places.guids.get(package.id):
        raise tk.Invalid(gettext("It is the dataset of the record {guid} already.", guid=guid))
    if name := places.others.get(package.id):
        raise tk.Invalid(gettext("It is harvested from the source {name}.", name=name))
    return attached
