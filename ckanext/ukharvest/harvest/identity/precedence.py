"""Which of several sources has a dataset that each of them lists."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestSource
from sqlalchemy.dialects.postgresql import ARRAY

from ckanext.ukharvest import config
from ckanext.ukharvest.core.link_states import host_of
from ckanext.ukharvest.core.values.dates import plain_moment

Session = model.Session


NEWEST = "newest"  # in the portal's order: of sources of one rank and organisation


def takes_newest() -> bool:
    """Tell whether the newest of an organisation's records has a dataset."""
    return NEWEST in config.same_dataset_order()


class Contest(NamedTuple):
    """A record of a source that would be a dataset that another record has.

    Attributes:
        owner_org: to which the record would give it, as ``Record.owner_org``.
        guids: identities of the record.
        holder_id: id of the source that has the dataset.
        holder_org: the dataset's, as ``Record.owner_org``.
        modified, holder_modified: when the data was changed, as the record and the dataset say;
            "" if that is not known or does not count.
    """

    source_id: str
    owner_org: str
    guids: Sequence[str]
    holder_id: str
    holder_org: str
    modified: str = ""
    holder_modified: str = ""

    @property
    def is_newer(self) -> bool:
        """Whether the record is of the same organisation and newer; a future date is no date."""
        tomorrow = (dt.datetime.now(dt.timezone.utc) + dt.timedelta(days=1)).date().isoformat()
        mine, holder = (
            moment if (moment := plain_moment(text)) < tomorrow else ""
            for text in (self.modified, self.holder_modified)
        )
        return self.owner_org == self.holder_org and bool(holder) and mine > holder


class _Source(NamedTuple):
    id: str
    url: str
    name: str
    owner_org: str | None
    organisation: str | None
    is_on: bool
    fails: bool

    @property
    def is_gone(self) -> bool:
        return self.fails or not self.is_on

    @property
    def rank(self) -> float:
        """The source's place in the portal's order, or that of its organisation."""
        order = [name for name in config.same_dataset_order() if name != NEWEST]
        places = [order.index(name) for name in (self.name, self.organisation) if name in order]
        return places[0] if places else math.inf


class Sources:
    """What decides which of several sources has a dataset; loaded in one statement."""

    def __init__(self, *ids: str) -> None:
        given = {"ids": list(set(ids)), "days": config.same_dataset_days()}
        rows = Session.execute(_SOURCES, given) if ids else ()
        self._sources = {row.id: _Source(*row) for row in rows}

    def is_there(self, source_id: str) -> bool:
        """Tell whether a source is neither switched off nor has failed for long."""
        return not self._sources[source_id].is_gone

    def rank(self, source_id: str) -> float:
        """Return a source's place in the portal's order, infinity if it has none."""
        return self._sources[source_id].rank

    def may_take(self, contest: Contest) -> bool:
        """Tell whether a record takes the dataset from the one that has it, now.

        By the portal's order, which may say that the newer one does, or because the other source
        is switched off or has failed for long.
        """
        mine, holder = self._sources[contest.source_id], self._sources[contest.holder_id]
        if mine.is_gone:
            return False
        if mine.rank == holder.rank and takes_newest() and contest.is_newer:
            return True
        return mine.rank < holder.rank or (holder.is_gone and self.may_have(contest))

    def may_have(self, contest: Contest) -> bool:
        """Tell whether a record may have the dataset once the other one no longer does.

        Across organisations only by the portal's order, or if its identifier is at its source's
        host, where no other organisation has a source.
        """
        mine, holder = self._sources[contest.source_id], self._sources[contest.holder_id]
        if contest.owner_org == contest.holder_org or mine.rank != holder.rank:
            return True
        host = host_of(mine.url)
        return bool(host) and host in map(host_of, contest.guids) and not _has_other(host, mine)


def _has_other(host: str, source: _Source) -> bool:
    """Tell whether another organisation has a source on a host, also one that is switched off."""
    package = model.Package
    query = (
        Session.query(HarvestSource.url)
        .join(package, package.id == HarvestSource.id)
        .filter(sa.func.lower(HarvestSource.url).contains(host, autoescape=True))
        .filter(package.owner_org.is_distinct_from(source.owner_org))
    )
    return any(host_of(url) == host for (url,) in query)


# Editors name their sources: a name that an organisation has is that organisation's.
# A source fails for so long if it failed then, has failed again, and no run has read it since.
_SOURCES = sa.text(
    """
    SELECT source.id, source.url,
           CASE WHEN EXISTS (SELECT FROM "group" AS same
                              WHERE same.is_organization AND same.name = package.name)
                THEN '' ELSE package.name END,
           package.owner_org, organisation.name,
           source.active AND package.state = 'active',
           EXISTS (SELECT FROM ukharvest_job AS failed
                    WHERE failed.source_id = source.id AND failed.outcome = 'failed'
                      AND failed.finished < timezone('utc', now()) - make_interval(days => :days)
                      AND NOT EXISTS (SELECT FROM ukharvest_job AS read
                                       WHERE read.source_id = source.id AND read.id > failed.id
                                         AND read.mode <> 'approval'
                                         AND read.outcome NOT IN ('', 'failed', 'stopped'))
                      AND EXISTS (SELECT FROM ukharvest_job AS again
                                   WHERE again.source_id = source.id AND again.id > failed.id
                                     AND again.outcome = 'failed'))
      FROM harvest_source AS source
      JOIN package ON package.id = source.id
      LEFT JOIN "group" AS organisation ON organisation.id = package.owner_org
     WHERE source.id = ANY (:ids)
    """
).bindparams(sa.bindparam("ids", type_=ARRAY(sa.UnicodeText)))
