"""Save the results of link checks. Nothing here uses the network or commits."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import model as tables
from ckanext.ukharvest.core.link_states import (
    OF_SERVER,
    DeadAfter,
    HostRecord,
    LinkFault,
    LinkHistory,
    LinkResult,
    LinkState,
    after_check,
    host_of,
    next_check,
)
from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.model import Link
from ckanext.ukharvest.model.link_evidence import digest
from ckanext.ukharvest.model.statements import execute

Session = model.Session

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


def find(url: str) -> Link | None:
    """Return the link of a URL."""
    return Session.query(Link).filter(Link.url_digest == digest(url)).one_or_none()


def save(results: Sequence[LinkResult], days: int, rule: DeadAfter = DeadAfter()) -> None:  # noqa: B008 - frozen
    """Save results of checks, what they mean with those before, and when to check again.

    A check that failed takes away nothing that was found before.

    Args:
        results: of different URLs.
        days: until the next check of a link that works, or is dead; at least 1.
        rule: when it counts as dead.
    """
    keys = {digest(each.url): each for each in results}
    stored = sa.select(_TABLE).where(_TABLE.c.url_digest.in_(list(keys)))
    before = {row.url_digest: row for row in Session.execute(stored)}
    hosts = {key: row.host for key, row in before.items()}
    _make([each.url for key, each in keys.items() if hosts.get(key) != host_of(each.url)])
    # Locked in the order of ``_make``, so that no two transactions wait for each other.
    for key in sorted(keys):
        _save(keys[key], before.get(key), days, rule)
    Session.expire_all()


def _save(result: LinkResult, before: Any, days: int, rule: DeadAfter) -> None:
    history, now = _history(before), tables.utcnow()
    # An error of this portal says nothing about the link.
    if result.fault is LinkFault.INTERNAL:
        tomorrow = now + dt.timedelta(days=1)
        _change([result.url], {"due": tomorrow, "why": result.why, "covered": now})
        return
    host = _host_record(result, now) if result.fault in OF_SERVER else HostRecord()
    after = after_check(history, result.fault, now, host, rule)
    values = {name: value for name, value in asdict(after).items() if name in _FACTS}
    values |= {"state": str(after.state), "fault": str(after.fault), "covered": now}
    values |= {"why": clean_text(result.why), "due": now + next_check(after, days)}
    if result.fault is not LinkFault.NOT_ASKED:
        values["status"] = result.status or None
    if not result.fault or before is None or not before.format:
        values |= {**_found(result), "checked": now}
    if _evidence(before, history) != (values.get("format", _format(before)), _dead(after)):
        values["rescore"] = True
    _change([result.url], values)


def _history(link: Any) -> LinkHistory:
    if link is None:
        return LinkHistory()
    facts = {name: getattr(link, name) for name in _FACTS}
    return LinkHistory(**{**facts, "state": LinkState(link.state), "fault": LinkFault(link.fault)})


def _evidence(link: Any, history: LinkHistory) -> tuple[str, Any]:
    """Return what stars depend on; see ``link_evidence.Evidence``."""
    return _format(link), _dead(history)


def _format(link: Any) -> str:
    return str(link.format) if link else ""


def _dead(history: LinkHistory) -> Any:
    return (history.dead_since, history.fault) if history.dead_since else None


def _host_record(result: LinkResult, now: dt.datetime) -> HostRecord:
    """Return what the other links of this URL's host say."""
    is_recent = Link.tried > now - RECENT
    query = sa.select(
        sa.func.max(Link.worked),
        sa.func.count().filter(is_recent),
        sa.func.count().filter(is_recent, Link.fault.in_(sorted(map(str, OF_SERVER)))),
    ).where(Link.host == host_of(result.url), Link.url_digest != digest(result.url))
    worked, tried, failed = Session.execute(query).one()
    return HostRecord(worked, tried, failed)


def _found(result: LinkResult) -> dict[str, Any]:
    # PostgreSQL takes neither the character 0 nor half a character, which JSON can spell.
    texts = ("format", "version", "base_url", "media_type", "title", "checksum")
    found: dict[str, Any] = {name: clean_text(getattr(result, name)) for name in texts}
    found["size"] = result.size
    found["layers"] = [
        {"name": clean_text(layer.name), "title": clean_text(layer.title)}
        for layer in result.layers
    ]
    return found


def put(urls: Sequence[str], values: Mapping[str, Any]) -> None:
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
        {"url": each, "url_digest": digest(each), "host": host_of(each), "due": now}
        for each in sorted(urls, key=digest)
    ]
    if rows:
        Session.execute(_MAKE, rows)


def _change(urls: Sequence[str], values: Mapping[str, Any]) -> None:
    changed = _TABLE.c.url_digest.in_([digest(each) for each in urls])
    Session.execute(sa.update(_TABLE).where(changed).values(values))


def cover(urls: Sequence[str]) -> None:
    """Do not check these links again because of what was written to their resources until now."""
    statement = sa.update(Link).where(Link.url_digest.in_([digest(url) for url in urls]))
    statement = statement.values(covered=tables.utcnow())
    execute(statement)
