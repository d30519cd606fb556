"""Results of link checks for resources that are written or scored. Nothing commits.

In one statement for a batch of datasets, and in none where they have no links.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import write_batch
from ckanext.ukharvest.core.link_states import NOTHING, Evidence, LinkState, dead_text
from ckanext.ukharvest.model import Link

Session = model.Session


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


def find(urls: Collection[str]) -> Mapping[str, Evidence]:
    """Return URL → evidence of these URLs at least; of a batch each is looked up once."""
    batch = write_batch.written()
    if batch is None:
        return load(urls)
    batch.links |= load([url for url in urls if url not in batch.links])
    return batch.links
