"""Links of resources: which are due for a check, and lists of their results.

A link is a URL, not a resource: a hundred resources with one URL are checked once, and a resource
whose URL changes has another link. Nothing here uses the network or commits.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import model as tables
from ckanext.ukharvest.core.link_states import HOST, Evidence, LinkState
from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.model import Link, Record, RecordProblem, link_evidence, link_results
from ckanext.ukharvest.model.statements import execute

Session = model.Session
Resource, Package = model.Resource, model.Package

# Due before all others: a person asked for it.
ASKED = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - naive UTC, as all times here
_NEVER_LOOKED_AT = dt.datetime(1970, 1, 2)  # noqa: DTZ001


@dataclass(frozen=True, slots=True)
class Due:
    """A URL to check, and the format that its resources give, "" if none."""

    url: str
    expected: str


# The SHA-256 of an address: nobody can make two of one digest, as with MD5.
_DIGEST = sa.func.sha256(sa.func.convert_to(Resource.url, "UTF8"))


# Trimmed: CKAN stores URLs with surrounding spaces.
_FORMAT = sa.func.lower(sa.func.trim(sa.func.coalesce(Resource.format, "")))
_IS_LIVE = sa.and_(
    Resource.state == "active",
    Package.state == "active",
    # Not by lower(left()), of which the planner expects one address in a hundred to pass.
    Resource.url.regexp_match("^https?://", flags="i"),
)
# Only to these the portal adds formats that it found.
_IS_HARVESTED = sa.exists().where(Record.package_id == Resource.package_id)


def live_resources(*columns: Any) -> sa.Select[Any]:
    """Resources of all live datasets, with what is known of their links."""
    return (
        sa.select(*columns)
        .select_from(Resource)
        .join(Package, Package.id == Resource.package_id)
        .outerjoin(Link, Link.url_digest == _DIGEST)
        .where(_IS_LIVE)
    )


def _due(now: dt.datetime) -> sa.ColumnElement[bool]:
    """Links that were never checked, are due by age or asked for, or whose resource changed."""
    return sa.or_(Link.id.is_(None), Link.due <= now, Resource.metadata_modified > Link.covered)


def is_due() -> bool:
    """Tell whether any link is due."""
    query = live_resources(sa.literal(1)).where(_due(tables.utcnow())).limit(1)
    return Session.scalar(query) is not None


def due(limit: int, source_id: str | None = None) -> list[Due]:
    """Return the links that are due, those of different hosts mixed, the longest due first.

    Args:
        source_id: only those of this source's datasets.
    """
    expected = sa.func.max(Resource.format).label("expected")
    since = sa.func.coalesce(sa.func.min(Link.due), _NEVER_LOOKED_AT).label("since")
    each = (
        live_resources(Resource.url, expected, since)
        .where(_due(tables.utcnow()), of_source(source_id))
        .group_by(Resource.url)
        .subquery()
    )
    host = sa.func.lower(sa.func.substring(each.c.url, HOST))
    turn = sa.func.row_number().over(partition_by=host, order_by=(each.c.since, each.c.url))
    query = sa.select(each.c.url, each.c.expected).order_by(turn, each.c.since).limit(limit)
    return [Due(url, expected or "") for url, expected in Session.execute(query)]


def of_source(source_id: str | None) -> sa.ColumnElement[bool]:
    if source_id is None:
        return sa.true()
    return sa.exists().where(
        Record.package_id == Resource.package_id, Record.source_id == source_id
    )


def count_due() -> int:
    """Return the number of links that are due."""
    number = sa.func.count(Resource.url.distinct())
    return Session.scalar(live_resources(number).where(_due(tables.utcnow()))) or 0


def ask(package_id: str) -> int:
    """Make a dataset's links due now, before all others; return their number."""
    query = live_resources(Resource.url).where(Resource.package_id == package_id)
    urls = sorted(set(Session.scalars(query)))
    if urls:
        link_results.put(urls, {"due": ASKED})
    return len(urls)


def formats_in(evidence: Mapping[str, Evidence]) -> dict[str, str]:
    """Return URL → format of the links whose format was found."""
    return {url: each.format for url, each in evidence.items() if each.format}


def with_formats(record: DatasetRecord, found: Mapping[str, str]) -> DatasetRecord:
    """Return the record with the formats found at links, for resources without one.

    Args:
        found: URL → format, as ``formats_in`` returns it.
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
    found = formats_in(link_evidence.load(each["url"] for each in blank))
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
    is_unfilled = sa.and_(_IS_HARVESTED, _FORMAT == "", Link.format != "")
    query = live_resources(Resource.package_id).where(is_unfilled).distinct()
    if since is not None:
        query = query.where(Link.checked >= since)
    return list(Session.scalars(query))


def forget_refusals_of_filled() -> None:
    """Delete the problems ``format-not-saved`` of datasets that lack no such format any more."""
    still = (
        live_resources(sa.literal(1))
        .where(Resource.package_id == Record.package_id, _FORMAT == "", Link.format != "")
        .correlate(Record)
        .exists()
    )
    solved = (
        sa.select(RecordProblem.id)
        .join(Record, Record.id == RecordProblem.record_id)
        .where(RecordProblem.code == "format-not-saved", ~still)
    )
    execute(sa.delete(RecordProblem).where(RecordProblem.id.in_(solved)))


def list_links(
    *, source_id: str | None, only_unknown: bool, state: str = "", limit: int, offset: int
) -> tuple[int, list[dict[str, Any]]]:
    """Return the number of resources with links, and one page, by address.

    Args:
        only_unknown: only links that were checked and whose format is not known.
        state: only links in this state, "" for all.
    """
    wanted = [of_source(source_id)]
    if only_unknown:
        wanted += [Link.checked.isnot(None), Link.format == ""]
    if state:
        wanted.append(Link.state == state)
    each = live_resources(Resource.id, Resource.url).where(*wanted)
    # Layers can be long: only those of the page are read.
    ids = each.order_by(Resource.url, Resource.id).limit(limit).offset(offset).subquery()
    page = (
        live_resources(Resource.id, Resource.format, Resource.url, Package.name, Link)
        .join(ids, ids.c.id == Resource.id)
        .order_by(Resource.url, Resource.id)
    )
    rows = [
        {
            "url": url,
            **as_dict(link, format_),
            "resource_format": format_ or "",
            "resource_id": resource_id,
            "dataset": name,
        }
        for resource_id, format_, url, name, link in Session.execute(page)
    ]
    count = sa.select(sa.func.count()).select_from(each.subquery())
    return int(Session.scalar(count) or 0), rows


_TEXTS = ("format", "version", "layers", "base_url", "media_type", "title", "why")
_TIMES = ("checked", "due", "tried", "worked", "failed_since")


def as_dict(link: Link | None, declared: str = "") -> dict[str, Any]:
    """Return what is known of a link in the words of the actions; times are UTC in ISO 8601.

    Args:
        declared: the format that the resource has.
    """
    if link is None or link.checked is None:
        nothing: dict[str, Any] = dict.fromkeys((*_TIMES, "status", "size", "dead_since"))
        texts = dict.fromkeys((*_TEXTS, "state", "fault", "checksum"), "")
        return {**nothing, **texts, "layers": [], "differs": False}
    dead_since = link.absent_since if link.state == LinkState.DEAD else None
    return {
        **{name: getattr(link, name) for name in _TEXTS},
        **{name: iso(getattr(link, name)) for name in _TIMES},
        **{name: getattr(link, name) for name in ("state", "fault", "status", "size", "checksum")},
        "dead_since": iso(dead_since),
        "differs": formats.differ(declared or "", link.format),
    }


@dataclass(frozen=True, slots=True)
class Figures:
    """Numbers of links, for the doctor.

    Attributes:
        known, unknown: checked, with and without a format.
        states: state → number of links.
        waiting: due since before the time that was asked for.
        last: when any was last checked.
    """

    known: int
    unknown: int
    states: dict[str, int]
    waiting: int
    last: dt.datetime | None


def count_states() -> dict[str, int]:
    """Return state → number of links that resources have, checked or not."""
    state = sa.func.coalesce(Link.state, "")
    query = live_resources(state, sa.func.count(Resource.url.distinct())).group_by(state)
    found = dict(Session.execute(query).all())
    return {str(each): int(found.get(str(each), 0)) for each in LinkState}


def figures(before: dt.datetime) -> Figures:
    """Count links, and those that wait since before this time."""
    checked = Session.execute(
        sa.select(
            sa.func.count().filter(Link.format != ""),
            sa.func.count().filter(Link.format == ""),
            sa.func.max(sa.func.greatest(Link.checked, Link.tried)),
        ).where(Link.checked.isnot(None))
    ).one()
    is_old = sa.or_(Link.id.isnot(None), Package.metadata_modified < before)
    waiting = live_resources(sa.func.count(Resource.url.distinct())).where(_due(before), is_old)
    known, unknown, last = checked
    return Figures(known, unknown, count_states(), int(Session.scalar(waiting) or 0), last)
