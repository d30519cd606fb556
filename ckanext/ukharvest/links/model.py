"""Links of resources: those that do not work, with counts of them, and all. Nothing commits.

The table is ``harvest.model.Link``; each query has one row for each resource of a live dataset.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.core.link_states import NOT_CHECKED, LinkState
from ckanext.ukharvest.harvest.model import Link, Record, SourceState
from ckanext.ukharvest.harvest.records import links as link_results

Session = model.Session

Resource = model.Resource
Package = model.Package
Group = model.Group

STATES = (LinkState.FAILING, LinkState.AWAY, LinkState.DEAD)
# What counts are made by.
BY_SOURCE, BY_ORGANIZATION, BY_HOST = "source", "organization", "host"

# A dataset that two records name, as after a source was replaced, belongs to the newer one.
_SOURCE_ID = (
    sa.select(Record.source_id)
    .where(Record.package_id == Package.id)
    .order_by(Record.id.desc())
    .limit(1)
    .correlate(Package)
    .scalar_subquery()
)
_SINCE = sa.case(
    (Link.state == LinkState.DEAD, sa.func.coalesce(Link.absent_since, Link.failed_since)),
    else_=Link.failed_since,
)


TO_DO = """
    SELECT state.source_id, ARRAY[source.owner_org] AS whom, state.dead_links AS facts
      FROM ukharvest_source AS state JOIN package AS source ON source.id = state.source_id
     WHERE state.dead_links IS NOT NULL
"""
# But none of others' private datasets.
_STORE_DEAD = sa.text(
    f"""
    WITH dead AS MATERIALIZED (
        SELECT record.source_id, count(DISTINCT resource.id) AS number,
               date_trunc('second', min(COALESCE(link.absent_since, link.failed_since))) AS since
          FROM ukharvest_link AS link
          JOIN resource ON resource.url = link.url AND resource.state = 'active'
          JOIN package AS dataset ON dataset.id = resource.package_id AND dataset.state = 'active'
          JOIN ukharvest_record AS record ON record.package_id = dataset.id
          JOIN package AS source ON source.id = record.source_id
           AND (dataset.private IS NOT TRUE OR dataset.owner_org = source.owner_org)
         WHERE link.state = '{LinkState.DEAD}'
           AND (CAST(:source_id AS text) IS NULL OR record.source_id = :source_id)
         GROUP BY record.source_id
    )
    INSERT INTO ukharvest_source AS state (source_id, dead_links)
    SELECT source.id, to_jsonb(dead) - 'source_id'
      FROM harvest_source AS source
      LEFT JOIN dead ON dead.source_id = source.id
      LEFT JOIN ukharvest_source AS before ON before.source_id = source.id
     WHERE (CAST(:source_id AS text) IS NULL OR source.id = :source_id)
       AND before.dead_links IS DISTINCT FROM to_jsonb(dead) - 'source_id'
     ORDER BY source.id
        ON CONFLICT (source_id) DO UPDATE SET dead_links = excluded.dead_links
    """  # noqa: S608 - a text of our own
)


def store_dead_links(source_id: str | None = None) -> None:
    """Store how many links of sources are dead, and since when, as ``SourceState.dead_links``.

    Looks at each resource, so that pages need not.

    Args:
        source_id: only of this source, whose datasets have changed; takes little without dead ones.
    """
    if source_id is None or Session.scalar(
        sa.select(SourceState.dead_links.isnot(None)).filter_by(source_id=source_id)
    ):
        Session.execute(_STORE_DEAD, {"source_id": source_id})


class Wanted(NamedTuple):
    """Which links are listed or counted; "" for all.

    Attributes:
        source_id, organisation_id: of the datasets.
        host: of the URL, in lower case without a port.
        state: one of STATES.
        reads: ids of the organisations whose private datasets the user may read, None for all.
    """

    source_id: str = ""
    organisation_id: str = ""
    host: str = ""
    state: str = ""
    reads: Sequence[str] | None = None


def _conditions(wanted: Wanted) -> list[Any]:
    states = [str(state) for state in STATES if wanted.state in ("", state)]
    may_read = Package.private.is_(False) | Package.owner_org.in_(list(wanted.reads or ()))
    asked: list[tuple[Any, Any]] = [
        (wanted.source_id, link_results.of_source(wanted.source_id)),
        (wanted.organisation_id, Package.owner_org == wanted.organisation_id),
        (wanted.host, Link.host == wanted.host),
        (wanted.reads is not None, may_read),
    ]
    conditions = [condition for value, condition in asked if value]
    return [Link.state.in_(states), Package.type != "harvest", *conditions]


def links(wanted: Wanted, limit: int, offset: int) -> tuple[int, Sequence[Any]]:
    """Return the number of resources with a link that does not work, and one page.

    Those that have failed longest come first.

    Returns:
        Rows (Link, since, resource_id, resource_name, url, format, name, title, source_id,
        organization_id).
    """
    where = _conditions(wanted)
    number = int(Session.scalar(link_results.live_resources(sa.func.count()).where(*where)) or 0)
    if not number:
        return 0, []
    page = (
        link_results.live_resources(
            Link,
            _SINCE.label("since"),
            Resource.id.label("resource_id"),
            Resource.name.label("resource_name"),
            Resource.url,
            Resource.format,
            Package.name,
            Package.title,
            _SOURCE_ID.label("source_id"),
            Package.owner_org.label("organization_id"),
        )
        .where(*where)
        .order_by(_SINCE, Package.name, Resource.id)
        .limit(limit)
        .offset(offset)
    )
    return number, Session.execute(page).all()


def counts(by: str, wanted: Wanted) -> Sequence[Any]:
    """Count resources with a link that does not work.

    Args:
        by: BY_SOURCE, BY_ORGANIZATION or BY_HOST.

    Returns:
        Rows (key, state, links); key is None for datasets without one.
    """
    keys: dict[str, Any] = {
        BY_SOURCE: _SOURCE_ID,
        BY_ORGANIZATION: Package.owner_org,
        BY_HOST: Link.host,
    }
    key = keys[by].label("key")
    links = link_results.live_resources(key, Link.state).where(*_conditions(wanted)).subquery()
    number = sa.func.count().label("links")
    query = sa.select(links.c.key, links.c.state, number).group_by(links.c.key, links.c.state)
    return Session.execute(query).all()


def count_broken(wanted: Wanted) -> tuple[int, int]:
    """Return the numbers of resources with a link that does not work, and of their datasets."""
    numbers = (sa.func.count(), sa.func.count(Package.id.distinct()))
    query = link_results.live_resources(*numbers).where(*_conditions(wanted))
    links_, datasets = Session.execute(query).one()
    return int(links_), int(datasets)


def titles_of(ids: Collection[str | None]) -> dict[str, tuple[str, str]]:
    """Return id → name and title of sources and organisations."""
    wanted = [id_ for id_ in ids if id_]
    titles: dict[str, tuple[str, str]] = {}
    for kind in (Package, Group):
        query = sa.select(kind.id, kind.name, kind.title).where(kind.id.in_(wanted))
        titles |= {row.id: (row.name, row.title or row.name) for row in Session.execute(query)}
    return titles


def list_links(
    *, source_id: str | None, only_unknown: bool, state: str = "", limit: int, offset: int
) -> tuple[int, list[dict[str, Any]]]:
    """Return the number of resources with links, and one page, by address.

    Args:
        only_unknown: only links that were checked and whose format is not known.
        state: only links in this state, one of ``STATE_NAMES``; "" for all.
    """
    wanted = [link_results.of_source(source_id)]
    if only_unknown:
        wanted += [Link.checked.isnot(None), Link.format == ""]
    if state:
        wanted.append(sa.func.coalesce(sa.func.nullif(Link.state, ""), NOT_CHECKED) == state)
    links = link_results.live_resources(Resource.id, Resource.url).where(*wanted)
    # Layers can be long: only those of the page are read.
    ids = links.order_by(Resource.url, Resource.id).limit(limit).offset(offset).subquery()
    rows = [
        {
            "url": url,
            **link_results.describe_link(link, format_),
            "resource_format": format_ or "",
            "resource_id": resource_id,
            "dataset": name,
        }
        for resource_id, format_, url, name, link in Session.execute(
            link_results.live_resources(
                Resource.id, Resource.format, Resource.url, Package.name, Link
            )
            .join(ids, ids.c.id == Resource.id)
            .order_by(Resource.url, Resource.id)
        )
    ]
    return int(Session.scalar(sa.select(sa.func.count()).select_from(links.subquery())) or 0), rows
