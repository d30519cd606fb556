"""Links of resources: which are due for a check, and the results.

A link is a URL, not a resource: a hundred resources with one URL are checked once, and a resource
whose URL changes has another link. Nothing here uses the network or commits.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from ckan import model
from sqlalchemy.dialects.postgresql import insert

from ckanext.ukharvest import model as tables
from ckanext.ukharvest.core.link_result import SERVICE_FORMATS, LinkResult
from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.core.values.iso_time import iso
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.model import Link, Record

Session = model.Session
Resource, Package = model.Resource, model.Package

# Formats, in lower case, of what is looked at: none, and services although theirs is known, since
# they have layers and an address for their requests, which a preview needs and no metadata name.
_UNKNOWN_OR_SERVICE = ("", *sorted(map(str.lower, SERVICE_FORMATS)))

# Due before all others: a person asked for it.
ASKED = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - naive UTC, as all times here
_NEVER_LOOKED_AT = dt.datetime(1970, 1, 2)  # noqa: DTZ001


@dataclass(frozen=True, slots=True)
class Due:
    """A URL to check, and the format that its resources give, "" if none."""

    url: str
    expected: str


def _digest(url: Any) -> sa.ColumnElement[bytes]:
    """The SHA-256 of an address: nobody can make two of one digest, as with MD5."""
    return sa.func.sha256(sa.func.convert_to(url, "UTF8"))


# Trimmed: CKAN stores URLs with surrounding spaces.
_FORMAT = sa.func.lower(sa.func.trim(sa.func.coalesce(Resource.format, "")))
_IS_LIVE = sa.and_(
    Resource.state == "active",
    Package.state == "active",
    # Not by lower(left()), of which the planner expects one address in a hundred to pass.
    Resource.url.regexp_match("^https?://", flags="i"),
    sa.exists().where(Record.package_id == Resource.package_id),
)


def _resources(*columns: Any) -> sa.Select[Any]:
    """Resources of datasets that came from a source of ours, with what is known of their links."""
    return (
        sa.select(*columns)
        .select_from(Resource)
        .join(Package, Package.id == Resource.package_id)
        .outerjoin(Link, Link.url_digest == _digest(Resource.url))
        .where(_IS_LIVE)
    )


def _due(now: dt.datetime) -> sa.ColumnElement[bool]:
    # By address and not by the join, so that other resources are left out before it.
    asked_for = Resource.url.in_(sa.select(Link.url).where(Link.due == ASKED))
    return sa.and_(
        sa.or_(_FORMAT.in_(_UNKNOWN_OR_SERVICE), asked_for),
        sa.or_(Link.id.is_(None), Link.due <= now),
    )


def is_due() -> bool:
    """Tell whether any link is due."""
    query = _resources(sa.literal(1)).where(_due(tables.utcnow())).limit(1)
    return Session.scalar(query) is not None


def due(limit: int, source_id: str | None = None) -> list[Due]:
    """Return the links that are due, those of different servers mixed, the longest due first.

    Args:
        source_id: only those of this source's datasets.
    """
    expected = sa.func.max(Resource.format).label("expected")
    since = sa.func.coalesce(sa.func.min(Link.due), _NEVER_LOOKED_AT).label("since")
    each = (
        _resources(Resource.url, expected, since)
        .where(_due(tables.utcnow()), _of_source(source_id))
        .group_by(Resource.url)
        .subquery()
    )
    server = sa.func.lower(sa.func.substring(each.c.url, "^[^:]+://([^/?#]+)"))
    turn = sa.func.row_number().over(partition_by=server, order_by=(each.c.since, each.c.url))
    query = sa.select(each.c.url, each.c.expected).order_by(turn, each.c.since).limit(limit)
    return [Due(url, expected or "") for url, expected in Session.execute(query)]


def _of_source(source_id: str | None) -> sa.ColumnElement[bool]:
    if source_id is None:
        return sa.true()
    return sa.exists().where(
        Record.package_id == Resource.package_id, Record.source_id == source_id
    )


def find(url: str) -> Link | None:
    """Return the link of a URL."""
    return Session.query(Link).filter(Link.url_digest == _digest(url)).one_or_none()


def save(look: LinkResult, days: int) -> None:
    """Save the result of a check, and when to check again.

    A fault that may pass is tried again after a day, then after two, four and so on, and takes
    away nothing that was found before.

    Args:
        days: until the next look after a lasting result; at least 1.
    """
    before = find(look.url)
    now = tables.utcnow()
    faults = 0 if look.is_lasting else (before.faults if before else 0) + 1
    wait = days if look.is_lasting else min(days, 2 ** min(faults - 1, 30))
    values = {"why": clean_text(look.why), "due": now + dt.timedelta(days=wait), "faults": faults}
    if look.is_lasting or before is None or not before.format:
        values.update(_found(look), checked=now)
    _put([look.url], values)


def _found(look: LinkResult) -> dict[str, Any]:
    # PostgreSQL takes neither the character 0 nor half a character, which JSON can spell.
    texts = ("format", "version", "base_url", "media_type", "title")
    found: dict[str, Any] = {name: clean_text(getattr(look, name)) for name in texts}
    found["layers"] = [
        {"name": clean_text(layer.name), "title": clean_text(layer.title)} for layer in look.layers
    ]
    return found


def _put(urls: Sequence[str], values: Mapping[str, Any]) -> None:
    rows = [{"url": url, "url_digest": _digest(url), **values} for url in urls]
    statement = insert(Link).values(rows)
    statement = statement.on_conflict_do_update(index_elements=["url_digest"], set_=values)
    Session.execute(statement.execution_options(synchronize_session=False))
    Session.expire_all()


def ask(package_id: str) -> int:
    """Make a dataset's links due now, before all others; return their number.

    Links of resources with another format than a service's are asked for if they were looked at
    before.
    """
    wanted = sa.or_(_FORMAT.in_(_UNKNOWN_OR_SERVICE), Link.id.isnot(None))
    query = _resources(Resource.url).where(Resource.package_id == package_id, wanted)
    urls = sorted(set(Session.scalars(query)))
    if urls:
        _put(urls, {"due": ASKED})
    return len(urls)


def formats_of(urls: Collection[str]) -> dict[str, str]:
    """Return the formats that were found at these addresses, in one statement or none."""
    if not urls:
        return {}
    digests = [_digest(url) for url in set(urls)]
    query = sa.select(Link.url, Link.format).where(Link.url_digest.in_(digests), Link.format != "")
    return {row.url: row.format for row in Session.execute(query)}


def with_formats(record: DatasetRecord, found: Mapping[str, str]) -> DatasetRecord:
    """Return the record with the formats found at links, for resources without one.

    Args:
        found: URL → format, as ``formats_of`` returns it.
    """
    if not any(not each.format and each.url in found for each in record.resources):
        return record
    resources = tuple(
        each if each.format else replace(each, format=found.get(each.url, ""))
        for each in record.resources
    )
    return replace(record, resources=resources)


def fill(resources: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[str]]:
    """Add the formats found at links to resources of ``package_show`` that have none.

    Returns:
        All resources, and the ids of those that were given one.
    """
    blank = [each for each in resources if not (each.get("format") or "").strip()]
    found = formats_of([each["url"] for each in blank])
    filled = [each["id"] for each in blank if each["url"] in found]
    return [
        {**each, "format": found[each["url"]]} if each["id"] in filled else each
        for each in resources
    ], filled


def unfilled(since: dt.datetime | None = None) -> list[str]:
    """Return the ids of datasets with a resource without a format, which was found at its link.

    Args:
        since: only where it was found since this time.
    """
    query = _resources(Resource.package_id).where(_FORMAT == "", Link.format != "").distinct()
    if since is not None:
        query = query.where(Link.checked >= since)
    return list(Session.scalars(query))


def list_links(
    *, source_id: str | None, only_unknown: bool, limit: int, offset: int
) -> tuple[int, list[dict[str, Any]]]:
    """Return the number of resources whose links are looked at, and one page, by address.

    Args:
        only_unknown: only links that were checked and whose format is not known.
    """
    wanted = sa.or_(_FORMAT.in_(_UNKNOWN_OR_SERVICE), Link.id.isnot(None))
    if only_unknown:
        wanted = sa.and_(Link.checked.isnot(None), Link.format == "")
    each = _resources(Resource.id, Resource.url).where(wanted, _of_source(source_id))
    # Layers can be long: only those of the page are read.
    ids = each.order_by(Resource.url, Resource.id).limit(limit).offset(offset).subquery()
    page = (
        _resources(Resource.id, Resource.format, Resource.url, Package.name, Link)
        .join(ids, ids.c.id == Resource.id)
        .order_by(Resource.url, Resource.id)
    )
    rows = [
        {
            "url": url,
            **as_dict(link),
            "resource_format": format_ or "",
            "resource_id": resource_id,
            "dataset": name,
        }
        for resource_id, format_, url, name, link in Session.execute(page)
    ]
    count = sa.select(sa.func.count()).select_from(each.subquery())
    return int(Session.scalar(count) or 0), rows


def as_dict(link: Link | None) -> dict[str, Any]:
    """Return what is known of a link in the words of the actions; times are UTC in ISO 8601."""
    names = ("format", "version", "layers", "base_url", "media_type", "title", "why")
    if link is None or link.checked is None:
        return {**dict.fromkeys(names, ""), "layers": [], "checked": None, "due": None}
    return {
        **{name: getattr(link, name) for name in names},
        "checked": iso(link.checked),
        "due": iso(link.due),
    }


@dataclass(frozen=True, slots=True)
class Figures:
    """Numbers of links, for the doctor.

    Attributes:
        known, unknown: checked, with and without a result.
        waiting: due since before the time that was asked for.
        last: when any was last looked at.
    """

    known: int
    unknown: int
    waiting: int
    last: dt.datetime | None


def figures(before: dt.datetime) -> Figures:
    """Count links, and those that wait since before this time."""
    looked_at = Session.execute(
        sa.select(
            sa.func.count().filter(Link.format != ""),
            sa.func.count().filter(Link.format == ""),
            sa.func.max(Link.checked),
        ).where(Link.checked.isnot(None))
    ).one()
    is_old = sa.or_(Link.id.isnot(None), Package.metadata_modified < before)
    waiting = _resources(sa.func.count(Resource.url.distinct())).where(_due(before), is_old)
    known, unknown, last = looked_at
    return Figures(known, unknown, int(Session.scalar(waiting) or 0), last)
