"""Links of resources: which are due for a check, what checks found, and which wait for stars."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import write_batch
from ckanext.ukharvest.core.link_states import (
    HOST,
    NOT_CHECKED,
    NOTHING,
    OF_SERVER,
    STATE_NAMES,
    Evidence,
    HostRecord,
    LinkFault,
    LinkHistory,
    LinkResult,
    LinkState,
    after_check,
    dead_text,
    host_of,
    next_check,
)
from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.core.values import formats
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.harvest import model as tables
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.database import execute
from ckanext.ukharvest.harvest.model import Link, Record, RecordProblem

Session = model.Session


def digest_url(url: str) -> bytes:
    """Return the SHA-256 of a URL, as ``Link.url_digest`` has it."""
    return hashlib.sha256(url.encode("utf-8", "replace")).digest()


def load_link_evidence(urls: Iterable[str]) -> dict[str, Evidence]:
    """Return URL → evidence, NOTHING for links that were never checked."""
    evidence = dict.fromkeys(filter(None, urls), NOTHING)
    if not evidence:
        return evidence
    columns = (Link.url, Link.format, Link.state, Link.fault, Link.absent_since)
    query = sa.select(*columns).where(Link.url_digest.in_([digest_url(url) for url in evidence]))
    for row in Session.execute(query):
        is_dead = row.state == LinkState.DEAD and row.absent_since
        dead = dead_text(row.absent_since, row.fault) if is_dead else ""
        evidence[row.url] = Evidence(row.format, dead)
    return evidence


def find_link_evidence(urls: Collection[str]) -> Mapping[str, Evidence]:
    """Return URL → evidence of these URLs at least; of a batch each is looked up once."""
    batch = write_batch.written()
    if batch is None:
        return load_link_evidence(urls)
    batch.links |= load_link_evidence([url for url in urls if url not in batch.links])
    return batch.links


RECENT = dt.timedelta(days=7)  # of a host's other checks that tell whether it is away
# For each link SQLAlchemy 2.0 needs less time with the table than with the model. It compiles an
# "insert … on conflict" each time (3 ms): so that is text, and an update writes the values.
_TABLE = Link.__table__
_MAKE = sa.text(
    """
    INSERT INTO ukharvest_link (url, url_digest, host, due)
    VALUES (:url, :url_digest, :host, :due)
    ON CONFLICT (url_digest) DO UPDATE SET host = excluded.host
        WHERE ukharvest_link.host <> excluded.host
    """
)
_FACTS = ("state", "fault", "faults", "tried", "worked", "failed_since", "absent", "absent_since")


def find_link_results(url: str) -> Link | None:
    """Return the link of a URL."""
    return Session.query(Link).filter(Link.url_digest == digest_url(url)).one_or_none()


def save_link_results(results: Sequence[LinkResult], days: int) -> None:
    """Save results of checks, what they mean with those before, and when to check again.

    A check that failed takes away nothing that was found before.

    Args:
        results: of different URLs.
        days: until the next check of a link that works, or is dead; at least 1.
    """
    keys = {digest_url(result.url): result for result in results}
    stored = sa.select(_TABLE).where(_TABLE.c.url_digest.in_(list(keys)))
    before = {row.url_digest: row for row in Session.execute(stored)}
    hosts = {key: row.host for key, row in before.items()}
    _make([result.url for key, result in keys.items() if hosts.get(key) != host_of(result.url)])
    # Locked in the order of ``_make``, so that no two transactions wait for each other.
    for key in sorted(keys):
        _save(keys[key], before.get(key), days)
    Session.expire_all()


def _save(result: LinkResult, before: Any, days: int) -> None:
    history, now = _history(before), tables.utcnow()
    # An error of this portal says nothing about the link.
    if result.fault is LinkFault.INTERNAL:
        tomorrow = now + dt.timedelta(days=1)
        _change([result.url], {"due": tomorrow, "why": result.why, "covered": now})
        return
    host = _host_record(result, now) if result.fault in OF_SERVER else HostRecord()
    after = after_check(history, result.fault, now, host)
    values = {name: value for name, value in asdict(after).items() if name in _FACTS}
    values |= {"state": str(after.state), "fault": str(after.fault), "covered": now}
    values |= {"why": clean_text(result.why), "due": now + next_check(after, days)}
    if result.fault is not LinkFault.NOT_ASKED:
        values["status"] = result.status or None
    if not result.fault or before is None or not before.format:
        values |= {**_found(result), "checked": now}
    format_ = str(before.format) if before else ""
    # What stars depend on; see ``link_states.Evidence``.
    if (format_, _dead(history)) != (values.get("format", format_), _dead(after)):
        values["rescore"] = True
    _change([result.url], values)


def _history(link: Any) -> LinkHistory:
    if link is None:
        return LinkHistory()
    facts = {name: getattr(link, name) for name in _FACTS}
    return LinkHistory(**{**facts, "state": LinkState(link.state), "fault": LinkFault(link.fault)})


def _dead(history: LinkHistory) -> Any:
    return (history.dead_since, history.fault) if history.dead_since else None


def _host_record(result: LinkResult, now: dt.datetime) -> HostRecord:
    """Return what the other links of this URL's host say."""
    is_recent = Link.tried > now - RECENT
    query = sa.select(
        sa.func.max(Link.worked),
        sa.func.count().filter(is_recent),
        sa.func.count().filter(is_recent, Link.fault.in_(sorted(map(str, OF_SERVER)))),
    ).where(Link.host == host_of(result.url), Link.url_digest != digest_url(result.url))
    worked, tried, failed = Session.execute(query).one()
    return HostRecord(worked, tried, failed)


def _found(result: LinkResult) -> dict[str, Any]:
    # PostgreSQL takes neither the character 0 nor half a character, which JSON can spell.
    texts = ("format", "version", "base_url", "media_type", "title", "checksum")
    values: dict[str, Any] = {name: clean_text(getattr(result, name)) for name in texts}
    values["size"] = result.size
    values["layers"] = [
        {"name": clean_text(layer.name), "title": clean_text(layer.title)}
        for layer in result.layers
    ]
    return values


def put_links(urls: Sequence[str], values: Mapping[str, Any]) -> None:
    """Make or change the links of URLs.

    Args:
        values: what the links are given.
    """
    _make(urls)
    _change(urls, values)
    Session.expire_all()


def _make(urls: Sequence[str]) -> None:
    """Make the links that are missing, due now, and correct the host of the others."""
    now = tables.utcnow()
    rows = [
        {"url": url, "url_digest": digest_url(url), "host": host_of(url), "due": now}
        for url in sorted(urls, key=digest_url)
    ]
    if rows:
        Session.execute(_MAKE, rows)


def _change(urls: Sequence[str], values: Mapping[str, Any]) -> None:
    changed = _TABLE.c.url_digest.in_([digest_url(url) for url in urls])
    Session.execute(sa.update(_TABLE).where(changed).values(values))


def skip_rechecks(urls: Sequence[str]) -> None:
    """Do not check these links again because of what was written to their resources until now."""
    _change(urls, {"covered": tables.utcnow()})


Resource = model.Resource
Package = model.Package

# Due before all others: a person asked for it.
ASKED = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - naive UTC, as all times here
_NEVER_LOOKED_AT = dt.datetime(1970, 1, 2)  # noqa: DTZ001


@dataclass(frozen=True, slots=True)
class DueLink:
    """A URL to check.

    Attributes:
        expected: the format that its resources give, "" if none.
        is_gemini: a GEMINI record has it.
    """

    url: str
    expected: str
    is_gemini: bool = False


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
_IS_GEMINI = sa.exists().where(
    Record.package_id == Resource.package_id,
    Record.source_id == HarvestSource.id,
    HarvestSource.type.contains("gemini"),
)


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


def is_link_due() -> bool:
    """Tell whether any link is due."""
    query = live_resources(sa.literal(1)).where(_due(tables.utcnow())).limit(1)
    return Session.scalar(query) is not None


def due_links(limit: int, source_id: str | None = None) -> list[DueLink]:
    """Return the links that are due, those of different hosts mixed, the longest due first.

    Args:
        source_id: only those of this source's datasets.
    """
    expected = sa.func.max(Resource.format).label("expected")
    is_gemini = sa.func.bool_or(_IS_GEMINI).label("is_gemini")
    since = sa.func.coalesce(sa.func.min(Link.due), _NEVER_LOOKED_AT).label("since")
    link = (
        live_resources(Resource.url, expected, is_gemini, since)
        .where(_due(tables.utcnow()), of_source(source_id))
        .group_by(Resource.url)
        .subquery()
    )
    host = sa.func.lower(sa.func.substring(link.c.url, HOST))
    turn = sa.func.row_number().over(partition_by=host, order_by=(link.c.since, link.c.url))
    query = sa.select(link.c.url, link.c.expected, link.c.is_gemini)
    rows = Session.execute(query.order_by(turn, link.c.since).limit(limit))
    return [DueLink(url, expected or "", is_gemini) for url, expected, is_gemini in rows]


def of_source(source_id: str | None) -> sa.ColumnElement[bool]:
    if source_id is None:
        return sa.true()
    return sa.exists().where(
        Record.package_id == Resource.package_id, Record.source_id == source_id
    )


def count_due_links() -> int:
    """Return the number of links that are due."""
    number = sa.func.count(Resource.url.distinct())
    return Session.scalar(live_resources(number).where(_due(tables.utcnow()))) or 0


def request_checks(package_id: str) -> int:
    """Make a dataset's links due now, before all others; return their number."""
    query = live_resources(Resource.url).where(Resource.package_id == package_id)
    urls = sorted(set(Session.scalars(query)))
    if urls:
        put_links(urls, {"due": ASKED})
    return len(urls)


def formats_in(evidence: Mapping[str, Evidence]) -> dict[str, str]:
    """Return URL → format of the links whose format was found."""
    return {url: link.format for url, link in evidence.items() if link.format}


def with_formats(record: DatasetRecord, found: Mapping[str, str]) -> DatasetRecord:
    """Return the record with the formats found at links, for resources without one.

    Args:
        found: URL → format, as ``formats_in`` returns it.
    """
    if not any(not file.format and file.url in found for file in record.resources):
        return record
    resources = tuple(
        file if file.format else replace(file, format=found.get(file.url, ""))
        for file in record.resources
    )
    return replace(record, resources=resources)


def add_link_formats(resources: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[str]]:
    """Add the formats found at links to resources of ``package_show`` that have none.

    Returns:
        All resources, and the ids of those that were given one.
    """
    blank = [file for file in resources if not (file.get("format") or "").strip()]
    formats = formats_in(load_link_evidence(file["url"] for file in blank))
    filled = [file["id"] for file in blank if file["url"] in formats]
    return [
        {**file, "format": formats[file["url"]]} if file["id"] in filled else file
        for file in resources
    ], filled


def datasets_without_format(since: dt.datetime | None = None) -> list[str]:
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


_TEXTS = ("format", "version", "layers", "base_url", "media_type", "title", "why")
_TIMES = ("checked", "due", "tried", "worked", "failed_since")


def describe_link(link: Link | None, declared: str = "") -> dict[str, Any]:
    """Return what is known of a link in the words of the actions; times are UTC in ISO 8601.

    Args:
        declared: the format that the resource has.
    """
    if link is None or link.checked is None:
        nothing: dict[str, Any] = dict.fromkeys((*_TIMES, "status", "size", "dead_since"))
        texts = dict.fromkeys((*_TEXTS, "fault", "checksum"), "")
        return {**nothing, **texts, "state": NOT_CHECKED, "layers": [], "differs": False}
    return {
        **{name: getattr(link, name) for name in _TEXTS},
        **{name: iso(getattr(link, name)) for name in _TIMES},
        **{name: getattr(link, name) for name in ("fault", "status", "size", "checksum")},
        "state": link.state or NOT_CHECKED,
        "dead_since": iso(link.absent_since if link.state == LinkState.DEAD else None),
        "differs": formats.differ(declared or "", link.format),
    }


def find_links(urls: Collection[str]) -> dict[str, dict[str, Any]]:
    """Return URL → what is known of its link, of those that were checked; one statement."""
    if not urls:
        return {}
    query = sa.select(Link).where(Link.url_digest.in_([digest_url(url) for url in urls]))
    return {link.url: describe_link(link) for link in Session.scalars(query) if link.checked}


def count_states() -> dict[str, int]:
    """Return state → number of links that resources have, by ``STATE_NAMES``."""
    state = sa.func.coalesce(Link.state, "")
    query = live_resources(state, sa.func.count(Resource.url.distinct())).group_by(state)
    numbers = {name or NOT_CHECKED: number for name, number in Session.execute(query)}
    return {name: int(numbers.get(name, 0)) for name in STATE_NAMES}


def count_links(before: dt.datetime) -> Any:
    """Return the numbers of links: a row (known, unknown, last, waiting).

    ``known`` and ``unknown`` were checked, with and without a format, ``last`` is when any was;
    ``waiting`` are due since before this time.
    """
    is_old = sa.or_(Link.id.isnot(None), Package.metadata_modified < before)
    waiting = live_resources(sa.func.count(Resource.url.distinct())).where(_due(before), is_old)
    query = sa.select(
        sa.func.count().filter(Link.format != "").label("known"),
        sa.func.count().filter(Link.format == "").label("unknown"),
        sa.func.max(sa.func.greatest(Link.checked, Link.tried)).label("last"),
        waiting.correlate(None).scalar_subquery().label("waiting"),
    )
    return Session.execute(query.where(Link.checked.isnot(None))).one()


PAGE = 500


def marked_links(after: int) -> list[int]:
    """Return the ids of the next marked links, in ascending order."""
    query = sa.select(Link.id).where(Link.rescore, Link.id > after).order_by(Link.id)
    return list(Session.scalars(query.limit(PAGE)))


def datasets_with_links(links: Sequence[int]) -> list[str]:
    """Return the ids of the active datasets with these links, in order."""
    query = (
        sa.select(Resource.package_id.distinct())
        .join(Link, Link.url == Resource.url)
        .join(Package, Package.id == Resource.package_id)
        .where(Link.id.in_(links), Resource.state == "active", dataset_rows.IS_DATASET)
    )
    return sorted(Session.scalars(query))


def unmark_links(links: Sequence[int], skipped: Collection[str]) -> None:
    """Remove the mark, but for links of datasets that were skipped."""
    is_skipped = sa.exists().where(Resource.url == Link.url, Resource.package_id.in_(skipped))
    statement = sa.update(Link).where(Link.id.in_(links))
    if skipped:
        statement = statement.where(~is_skipped)
    statement = statement.values(rescore=False)
    execute(statement)
