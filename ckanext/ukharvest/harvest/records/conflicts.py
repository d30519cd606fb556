"""Conflicts of a record: with one of another source, or with a dataset that is here already."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from ckan import model
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.core.errors import RecordError, RejectedByCkan
from ckanext.ukharvest.core.values.text import one_line, shorten

Session = model.Session
log = logging.getLogger(__name__)


class GuidElsewhere(RecordError):
    """The identifier belongs to a dataset of another source; nothing was written."""

    code = "guid-elsewhere"
    dataset_id = ""  # of the other source, "" if it is not known


def foreign_guid(source_id: str, guid: str, title: str, route: Any) -> GuidElsewhere:
    """Return the error of a record whose identifier a dataset of another source has.

    It names both sources and says what to do.

    Args:
        title: of the record; the same title elsewhere means the same dataset.
        route: as ``routes.Route``.
    """
    source = Session.get(HarvestSource, source_id)
    error = GuidElsewhere(_message(guid, title, source, route), url=source.url)
    error.dataset_id = route.dataset_id
    return error


def _message(guid: str, title: str, source: HarvestSource, route: Any) -> str:
    there = f"'{route.source_title}' ({route.source_url})"
    here = f"'{source.title}' ({source.url})"
    if route.is_deleted:
        there += ", which is deleted,"
    return (
        f"identifier '{shorten(guid)}': a dataset of the source {there} has this record "
        f"already, so the source {here} does not import it again; {_advice(title, source, route)}"
    )


def _advice(title: str, source: HarvestSource, route: Any) -> str:
    """What the publisher of the second record does; the other's title may not be public."""
    if route.is_deleted:
        return _advice_on_deleted(source, route)
    if plain_title(title) == plain_title(route.dataset_title):
        return (
            "it has the same title there, so take the record out of one of the two sources; to "
            "move the dataset from one publisher to another, ask the portal's administrator"
        )
    return (
        "it has another title there, so this is probably another dataset, whose record was made "
        "from a copy: give the record an identifier of its own here, such as a new UUID"
    )


def _advice_on_deleted(source: HarvestSource, route: Any) -> str:
    """How a sysadmin gives the datasets of a deleted source to this one, or deletes them."""
    package = Session.get(model.Package, source.id)
    adopt = f"'ckan ukharvest adopt {_name(source.id)} --by-guid'"
    clear = f"'ckan harvester source clear {_name(route.source_id)}'"
    choose = ""
    own_org = (package.owner_org if package else source.publisher_id) or "none"
    if own_org != route.owner_org:
        owner = Session.get(model.Group, route.owner_org)
        owned = f"the organisation '{owner.title or owner.name}'" if owner else "no organisation"
        choose = f"it belongs to {owned}, so choose that for this source first; then "
    return (
        f"{choose}ask a sysadmin to give this source the datasets of the deleted one with "
        f"{adopt}, or to delete them with {clear}"
    )


def _name(source_id: str) -> str:
    package = Session.get(model.Package, source_id)
    return str(package.name if package else source_id)


def plain_title(title: str | None) -> str:
    """Return a title without the differences of case and blanks."""
    return " ".join((title or "").casefold().split())


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
