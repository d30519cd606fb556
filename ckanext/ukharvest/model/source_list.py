"""The harvest sources of the portal, searched and counted, in a bounded number of statements.

All sources are read, a short row each, and told apart here: health is worked out and not stored,
so the database cannot filter by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import authz, model

from ckanext.ukharvest.core.health import HEALTHS
from ckanext.ukharvest.model import health, kept

Session = model.Session

FACETS = ("organization", "type", "health", "state", "frequency")
# What the people of a source do first: their decisions, then what is broken.
HEALTH_ORDER = ("held", "failing", "late", "hiccup", "errors", "new", "healthy", "off", "")
ATTENTION = ("held", "failing", "late")
# Health of 2,000 sources takes a third of a second: to find and order so many by it, it is worked
# out every ten seconds at most. What a page tells of its own sources is always of this moment.
MANY, KEPT, KEPT_SECONDS = 200, "health", 10
SORTS = ("name", "title", "health", "last_run", "next_run")
OFF = "off"


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks: may see all, or what these organisations have.

    Attributes:
        is_sysadmin: or code that acts for the portal itself.
        manages: ids of organisations whose sources they may update.
        reads: ids of organisations whose private sources they may see.
    """

    is_sysadmin: bool
    manages: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()


class Brief(NamedTuple):
    """What sources are found and ordered by: health, state, when the last run ended (seconds)."""

    health: str
    state: str
    finished: float


@dataclass(slots=True)
class Listed:
    """One source on the list; ``brief`` only for those who may manage it."""

    source: Any
    may_manage: bool
    brief: Brief | None = None

    def value(self, facet: str) -> str:
        """What a facet counts the source for, "" for nothing."""
        if facet in ("health", "state"):
            return str(getattr(self.brief, facet)) if self.brief else ""
        return str(getattr(self.source, facet) or "")


@dataclass(frozen=True, slots=True)
class Wish:
    """What is looked for.

    Attributes:
        q: words, each of which title, name, address or organisation has.
        values: facet → value; facets without a value are left out.
        mine: only sources that who asks may manage.
        include_inactive: also those that were switched off or deleted.
        sort: of SORTS.
    """

    q: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    mine: bool = False
    include_inactive: bool = False
    sort: str = "name"

    @property
    def wants_off(self) -> bool:
        return OFF in (self.values.get("health"), self.values.get("state"))


@dataclass(frozen=True, slots=True)
class Found:
    """What was found.

    Attributes:
        sources: those that are looked for, in order.
        facets: facet → value → number of sources.
        organizations: name → title of those with a source.
        managed: how many, not switched off, who asks may manage.
        attention: how many of these are held, failing and late.
    """

    sources: list[Listed]
    facets: dict[str, dict[str, int]]
    organizations: dict[str, str]
    managed: int
    attention: dict[str, int]


def find(wish: Wish, asker: Asker) -> Found:
    """Return the sources that are looked for, in at most five statements."""
    wants_deleted = wish.include_inactive and asker.is_sysadmin
    visible = [
        listed
        for row in Session.execute(_SOURCES)
        if (listed := _listed(row, asker)) and (row.state == "active" or wants_deleted)
    ]
    _judge(visible)
    counts = {facet: Counter[str]() for facet in FACETS}
    words = wish.q.casefold().split()
    found = [
        listed
        for listed in visible
        if _is_asked_for(listed, words, wish) and _count(listed, wish, counts)
    ]
    found.sort(key=_ORDERS[wish.sort])
    facets = {facet: _in_order(facet, counter) for facet, counter in counts.items()}
    owners = {each.source.organization: each.source.organization_title for each in visible}
    owners.pop(None, None)
    mine = [each for each in visible if each.may_manage and each.source.active]
    values = Counter(each.value("health") for each in mine)
    attention = {value: values[value] for value in ATTENTION}
    return Found(found, facets, owners, len(mine), attention)


def _listed(row: Any, asker: Asker) -> Listed | None:
    manages = asker.is_sysadmin or row.owner_org in asker.manages
    if row.private and not manages and row.owner_org not in asker.reads:
        return None
    return Listed(row, manages)


def _judge(sources: Iterable[Listed]) -> None:
    managed = [each for each in sources if each.may_manage]
    if len(managed) > MANY:
        known = {id_: Brief(*brief) for id_, brief in (kept.recall(KEPT) or {}).items()}
        if any(each.source.id not in known for each in managed):
            known = _briefs(None)
            kept.keep(KEPT, known, KEPT_SECONDS)
    else:
        known = _briefs([each.source.id for each in managed])
    for each in managed:
        each.brief = known.get(each.source.id)


def _briefs(ids: Collection[str] | None) -> dict[str, Brief]:
    return {id_: _brief(found) for id_, found in health.of(ids).items()}


def _brief(found: health.SourceHealth) -> Brief:
    finished = found.last_run and found.last_run["finished"]
    return Brief(found.value, found.state, finished.timestamp() if finished else 0.0)


def _is_asked_for(listed: Listed, words: Collection[str], wish: Wish) -> bool:
    if wish.mine and not listed.may_manage:
        return False
    if not words:
        return True
    source = listed.source
    text = f"{source.title}\n{source.name}\n{source.url}\n{source.organization_title}".casefold()
    return all(word in text for word in words)


def _count(listed: Listed, wish: Wish, counts: Mapping[str, Counter[str]]) -> bool:
    """Count a source where its facet's links lead to it; tell whether it is on the list now.

    A facet counts what the other facets let through, so that a person can change from one of its
    values to another.
    """
    missed = {facet for facet, value in wish.values.items() if listed.value(facet) != value}
    if not listed.source.active and not (wish.wants_off or wish.include_inactive):
        missed.add("health")  # what is switched off is there for who asks for it
    for facet, counter in counts.items():
        value = listed.value(facet)
        if value and missed <= {facet}:
            counter[value] += 1
    return not missed


def _in_order(facet: str, counter: Counter[str]) -> dict[str, int]:
    if facet == "health":
        return {value: counter[value] for value in HEALTHS if counter[value]}
    return dict(sorted(counter.items(), key=lambda item: (-item[1], item[0])))


def _title(listed: Listed) -> tuple[str, str]:
    return str(listed.source.title).casefold(), listed.source.name


def _since_last_run(listed: Listed) -> float:
    """Newest first; sources that never ran last."""
    return -listed.brief.finished if listed.brief else 0.0


def _until_next_run(listed: Listed) -> float:
    """Soonest first; sources that a person starts last."""
    start = listed.source.next_run
    return start.timestamp() if start else float("inf")


_ORDERS: Mapping[str, Callable[[Listed], Any]] = {
    "name": lambda listed: listed.source.name,
    "title": _title,
    "health": lambda listed: (HEALTH_ORDER.index(listed.value("health")), _title(listed)),
    "last_run": lambda listed: (_since_last_run(listed), _title(listed)),
    "next_run": lambda listed: (_until_next_run(listed), _title(listed)),
}


def roles_of(user: str) -> set[tuple[str, str]]:
    """Return the organisations that a user is in, by id, with the role there; two statements.

    A role that the portal lets cascade counts in the organisations below, too.
    """
    query = sa.select(model.Member.group_id, model.Member.capacity).where(
        model.Member.table_name == "user",
        model.Member.state == "active",
        model.Member.table_id == sa.select(model.User.id).filter_by(name=user).scalar_subquery(),
    )
    roles = {(row[0], row[1]) for row in Session.execute(query)}
    cascading = authz.check_config_permission("roles_that_cascade_to_sub_groups")
    tops = {role: [id_ for id_, each in roles if each == role] for role in cascading or ()}
    for role, ids in tops.items():
        if ids:
            roles |= {(row[0], role) for row in Session.execute(_BELOW, {"ids": ids})}
    return roles


def of_organisation(organisation_id: str) -> int:
    """Return how many sources an organisation has that are not deleted; one statement."""
    query = sa.select(sa.func.count()).where(
        model.Package.type == "harvest",
        model.Package.state == "active",
        model.Package.owner_org == organisation_id,
        model.Package.private.isnot(True),
    )
    return int(Session.scalar(query) or 0)


_SOURCES = sa.text(
    """
    SELECT source.id, source.url, source.type, COALESCE(source.frequency, 'MANUAL') AS frequency,
           source.active AND package.state = 'active' AS active,
           CASE WHEN source.active AND package.state = 'active' THEN source.next_run END
               AS next_run,
           package.name, package.state, COALESCE(package.private, false) AS private,
           package.owner_org,
           COALESCE(NULLIF(package.title, ''), NULLIF(source.title, ''), package.name) AS title,
           owner.name AS organization, COALESCE(NULLIF(owner.title, ''), owner.name, '')
               AS organization_title
      FROM harvest_source AS source
      JOIN package ON package.id = source.id
      LEFT JOIN "group" AS owner ON owner.id = package.owner_org
    """
)

# A member row of an organisation's says which group is below it (ckanext-hierarchy).
_BELOW = sa.text(
    """
    WITH RECURSIVE below(id) AS (
        SELECT group_id FROM member
         WHERE table_id = ANY (CAST(:ids AS text[])) AND table_name = 'group' AND state = 'active'
         UNION
        SELECT member.group_id FROM member
          JOIN below ON member.table_id = below.id
         WHERE member.table_name = 'group' AND member.state = 'active'
    )
    SELECT id FROM below
    """
)
