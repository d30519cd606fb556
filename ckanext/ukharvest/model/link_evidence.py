"""Results of link checks for resources that are written or scored. Nothing commits.

In one statement for many datasets (``use``), and in none where they have no links.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.core.link_evidence import NOTHING, Evidence, dead_text
from ckanext.ukharvest.core.link_states import LinkState
from ckanext.ukharvest.model import Link

Session = model.Session


_known: ContextVar[dict[str, Evidence] | None] = ContextVar("ukharvest_links", default=None)


def digest(url: str) -> bytes:
    """Return the SHA-256 of a URL, as ``Link.url_digest`` has it."""
    return hashlib.sha256(url.encode("utf-8", "replace")).digest()


def load(urls: Iterable[str]) -> dict[str, Evidence]:
    """Return URL → evidence, NOTHING for links that were never checked."""
    found = dict.fromkeys(filter(None, urls), NOTHING)
    if not found:
        return found
    columns = (Link.url, Link.format, Link.state, Link.fault, Link.absent_since)
    query = sa.select(*columns).where(Link.url_digest.in_([digest(url) for url in found]))
    for row in Session.execute(query):
        is_dead = row.state == LinkState.DEAD and row.absent_since
        dead = dead_text(row.absent_since, row.fault) if is_dead else ""
        found[row.url] = Evidence(row.format, dead)
    return found


@contextmanager
def use(evidence: Mapping[str, Evidence]) -> Iterator[None]:
    """Use this evidence inside the block; other URLs are looked up when they are met."""
    token = _known.set(dict(evidence))
    try:
        yield
    finally:
        _known.reset(token)


def find(urls: Collection[str]) -> Mapping[str, Evidence]:
    """Return URL → evidence of these URLs at least."""
    found = _known.get()
    if found is None:
        return load(urls)
    found.update(load([url for url in urls if url not in found]))
    return found
