"""Find the source, run, record or dataset that a request names; within a page only once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa
from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestJob, HarvestSource
from flask import g, has_request_context

from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.gather import objects
from ckanext.ukharvest.harvest.model import SourceState
from ckanext.ukharvest.harvest.records import record_history
from ckanext.ukharvest.harvest.run import runs
from ckanext.ukharvest.harvest.run.runs import RunRow

T = TypeVar("T")


LONGEST_NUMBER = 18  # digits that always fit into PostgreSQL's bigint


_KEPT = "ukharvest_once"  # an attribute of the application context, of pages alone


def begin_page() -> None:
    """Let ``once`` keep values while a request that only reads is answered.

    Not in consumers and commands: they have one request context, made up by ckanext-harvest, for
    their whole life. Not in a POST: it can change what was loaded.
    """
    setattr(g, _KEPT, {} if tk.request.method in ("GET", "HEAD") else None)


def end_page(_exc: BaseException | None) -> None:
    """Forget what ``once`` kept."""
    setattr(g, _KEPT, None)


def once(key: Hashable, load: Callable[[], T]) -> T:
    """Return ``load()``; while a page is made, the value of its first call."""
    known: dict[Any, Any] | None = getattr(g, _KEPT, None) if has_request_context() else None
    if known is None:
        return load()
    if key not in known:
        known[key] = load()
    return known[key]  # type: ignore[no-any-return]


def not_found() -> tk.ObjectNotFound:
    """Return the error of an action for a name, id or number that nothing has."""
    return tk.ObjectNotFound(tk._("Nothing has this name or id."))


TYPE = "harvest"  # CKAN's dataset type of sources; also the first part of their URLs


class SourceRow(NamedTuple):
    """A source with its dataset and organisation, the portal's notice and the stored schedule."""

    package: model.Package
    source: HarvestSource
    organization: model.Group | None
    notice: str
    schedule: dict[str, Any] | None


def source_of(data_dict: dict[str, Any]) -> HarvestSource:
    """Return the source that ``source_id`` names, by id or name.

    Raises:
        ValidationError: there is no ``source_id``.
        ObjectNotFound: there is no such source.
    """
    return source_row_of(data_dict).source


def source_row_of(data_dict: dict[str, Any]) -> SourceRow:
    """Return the source that ``source_id`` names, with its dataset and organisation."""
    row = source_row(str(tk.get_or_bust(data_dict, "source_id")))
    if row is None:
        raise not_found()
    return row


def source_row(name_or_id: str) -> SourceRow | None:
    """Return a source with its dataset and organisation, by name or id."""
    row = once(("source", name_or_id), lambda: _load_row(name_or_id))
    if row is not None:
        once(("source", row.package.id), lambda: row)
        once("notice", lambda: row.notice)
    return row


def _load_row(name_or_id: str) -> SourceRow | None:
    """Return a source by name or id, None if there is none; one statement."""
    row = (
        model.Session.query(
            *(model.Package, HarvestSource, model.Group),
            *(database.note_column(database.NOTICE), SourceState.schedule),
        )
        .join(HarvestSource, HarvestSource.id == model.Package.id)
        .outerjoin(SourceState, SourceState.source_id == model.Package.id)
        .outerjoin(model.Group, model.Group.id == model.Package.owner_org)
        .filter(sa.or_(model.Package.id == name_or_id, model.Package.name == name_or_id))
        .first()
    )
    return SourceRow(*row) if row else None


def run_row(job_id: str) -> RunRow:
    """Return a run by its id.

    Raises:
        ObjectNotFound: there is no such run.
    """
    row = once(("run", job_id), lambda: runs.load_row(job_id))
    if row is None:
        raise not_found()
    return row


def is_number(text: str) -> bool:
    """Tell whether a text is a number that a record could have."""
    return text.isdecimal() and len(text) <= LONGEST_NUMBER


def find_record(number: Any) -> record_history.FoundRecord:
    """Return a record of a source by its number.

    Raises:
        ObjectNotFound: there is no such record.
    """
    digits = str(number)
    record = record_history.load_record(int(digits)) if is_number(digits) else None
    if record is None:
        raise not_found()
    return record


def find_unended_run(source_id: str) -> str:
    """Return the id of the source's run that has not ended, "" if there is none."""
    query = model.Session.query(HarvestJob.id).filter(
        HarvestJob.source_id == source_id, HarvestJob.status.in_(objects.UNENDED)
    )
    return str((query.first() or ("",))[0])


# Why something has to wait for the end of a run. English.
RUN_FIRST = _("A run of this source has not ended. Wait for it, or stop it.")


# Why something has to wait while a source is cleared. English.
CLEARING_FIRST = _(
    "The source is being cleared, or a run of it is being started. Try again in a minute."
)


def dataset_of(name_or_id: str) -> model.Package:
    """Return the dataset of this name or id.

    Raises:
        ObjectNotFound: there is no such dataset.
    """
    package = model.Package.get(name_or_id)
    if package is None:
        raise not_found()
    return package


def organisation_of(name_or_id: str) -> model.Group:
    """Return an active organisation; raise ObjectNotFound if there is none."""
    group = model.Group.get(name_or_id)
    if group is None or not group.is_organization or group.state != "active":
        raise not_found()
    return group


def title_of(source_id: str | None) -> str:
    """Return a source's title, or else its name; "" if there is no such source."""
    package = model.Package.get(source_id) if source_id else None
    return (package.title or package.name) if package else ""


def count_datasets(source_id: str) -> int:
    """Return the number of a source's datasets."""
    return dataset_rows.count_datasets_of_sources([source_id]).get(source_id, 0)


def is_run_of(job_id: str, source_id: str) -> bool:
    """Tell whether the run exists and is of this source."""
    job = HarvestJob.get(job_id)
    return job is not None and job.source_id == source_id


def newest_run(source_id: str) -> str | None:
    """Return the id of the source's latest run, None if it has none."""
    runs = model.Session.query(HarvestJob.id).filter_by(source_id=source_id)
    newest = runs.order_by(HarvestJob.created.desc()).first()
    return str(newest[0]) if newest else None
