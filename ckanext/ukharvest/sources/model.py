"""Search and count the portal's harvest sources, in a fixed number of statements.

All sources are loaded, a short row each, and filtered here: health is computed and not stored, so
the database cannot filter by it.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import compat, source_types
from ckanext.ukharvest.core import cron_expressions
from ckanext.ukharvest.core.schedule import CRON, CRON_STORED_AS, HOURLY
from ckanext.ukharvest.core.status_rules import ATTENTION, Health, SourceStatus
from ckanext.ukharvest.core.values import organization_types
from ckanext.ukharvest.harvest import http_client
from ckanext.ukharvest.harvest.sources import source_status
from ckanext.ukharvest.lib.source_secrets import url_of_listed

Session = model.Session

FACETS = ("organization", "organization_type", "type", "health", "state", "frequency")
# Most urgent first: decisions, then what is broken.
HEALTH_ORDER = (*ATTENTION, Health.HICCUP, Health.NEW, Health.HEALTHY, Health.OFF, "")
# Computing the health of 2,000 sources takes a third of a second: for filters and order it is
# computed every ten seconds at most. The sources on a page always show their current health.
MANY, KEPT, KEPT_SECONDS = 200, "health", 10
_NEVER = dt.datetime.max  # noqa: DTZ901 - naive UTC, as all times here
SORTS = ("name", "title", "health", "last_run", "next_run")
OFF = "off"


@dataclass(frozen=True, slots=True)
class Asker:
    """The rights of the user.

    Attributes:
        is_sysadmin: also for code that acts for the portal itself.
        manages: ids of organisations whose sources they may update.
        reads: ids of organisations whose private sources they may see.
    """

    is_sysadmin: bool
    manages: frozenset[str] = frozenset()
    reads: frozenset[str] = frozenset()


class Brief(NamedTuple):
    """Values for filters, order and figures.

    Attributes:
        finished: time of the end of the last run, in seconds.
        is_to_do: a person has to do something about it.
    """

    health: str
    state: str
    finished: float
    is_to_do: bool = False


@dataclass(slots=True)
class Listed:
    """One source on the list.

    Attributes:
        organization_type: of its organisation, "" for none.
        brief: only for those who may manage it.
        health: of the same sources, if it was loaded just now.
    """

    source: Any
    may_manage: bool
    organization_type: str = ""
    brief: Brief | None = None
    health: SourceStatus | None = None

    def value(self, facet: str) -> str:
        """Return the source's value in a facet, "" for none."""
        if facet in ("health", "state"):
            return str(getattr(self.brief, facet)) if self.brief else ""
        if facet == "organization_type":
            return self.organization_type
        return str(getattr(self.source, facet) or "")


def find_sources(wanted: Mapping[str, Any], asker: Asker) -> tuple[list[Listed], dict[str, Any]]:
    """Return the matching sources, in order, and figures; in at most five statements.

    Args:
        wanted: parameters of ``ukharvest_source_list``, validated.

    Returns:
        The sources, and what the action returns besides them.
    """
    visible = [listed for row in Session.execute(_SOURCES) if (listed := _listed(row, asker))]
    _judge(visible)
    counts = {facet: Counter[str]() for facet in FACETS}
    words = wanted["q"].casefold().split()
    matching = [
        listed
        for listed in visible
        if _is_asked_for(listed, words, mine=wanted["mine"]) and _count(listed, wanted, counts)
    ]
    matching.sort(key=_ORDERS[wanted["sort"]])
    mine = [listed for listed in visible if listed.may_manage and listed.source.active]
    to_do = Counter(
        listed.brief.health for listed in mine if listed.brief and listed.brief.is_to_do
    )
    return matching, {
        "count": len(matching),
        "facets": {facet: _in_order(facet, counter) for facet, counter in counts.items()},
        "organizations": {
            listed.source.organization: listed.source.organization_title
            for listed in visible
            if listed.source.organization is not None
        },
        "own": sum(listed.may_manage for listed in matching),
        "managed": len(mine),
        "needs_attention": {value: to_do[value] for value in ATTENTION},
        "switched_off": sum(listed.may_manage and not listed.source.active for listed in visible),
    }


def _listed(row: Any, asker: Asker) -> Listed | None:
    manages = asker.is_sysadmin or row.owner_org in asker.manages
    # A source that is switched off is "deleted" for CKAN ("inactive" if a script said so); its
    # editors can switch it on again.
    if row.state != "active" and not (manages and row.state in ("deleted", "inactive")):
        return None
    if row.private and not manages and row.owner_org not in asker.reads:
        return None
    return Listed(row, manages, organization_types.find(row.organization_type or ""))


def _judge(sources: Iterable[Listed]) -> None:
    managed = [listed for listed in sources if listed.may_manage]
    if len(managed) > MANY:
        known = {
            id_: Brief(*brief) for id_, brief in (http_client.load_from_redis(KEPT) or {}).items()
        }
        if any(listed.source.id not in known for listed in managed):
            known = {id_: _brief(state) for id_, state in source_status.load_statuses().items()}
            http_client.save_in_redis(KEPT, known, KEPT_SECONDS)
        for listed in managed:
            listed.brief = known.get(listed.source.id)
        return
    loaded = source_status.load_statuses([listed.source.id for listed in managed])
    for listed in managed:
        listed.health = loaded.get(listed.source.id)
        listed.brief = _brief(listed.health) if listed.health else None


def _brief(found: SourceStatus) -> Brief:
    finished = found.last_ended
    seconds = finished.timestamp() if finished else 0.0
    return Brief(found.value, found.state, seconds, found.is_to_do)


def _is_asked_for(listed: Listed, words: Collection[str], *, mine: bool) -> bool:
    if mine and not listed.may_manage:
        return False
    source = listed.source
    url = url_of_listed(source.url, may_manage=listed.may_manage)
    text = f"{source.title}\n{source.name}\n{url}\n{source.organization_title}".casefold()
    return all(word in text for word in words)


def _count(listed: Listed, wanted: Mapping[str, Any], counts: Mapping[str, Counter[str]]) -> bool:
    """Count a source in the facets; tell whether it is on the list now.

    A facet counts the sources that match the other facets, so that the user can change its value.
    """
    missed = {facet for facet in FACETS if wanted[facet] and listed.value(facet) != wanted[facet]}
    wants_off = OFF in (wanted["health"], wanted["state"]) or wanted["include_inactive"]
    if not listed.source.active and not wants_off:
        missed.add("health")  # inactive sources are listed only on request
    for facet, counter in counts.items():
        value = listed.value(facet)
        if value and missed <= {facet}:
            counter[value] += 1
    return not missed


def _in_order(facet: str, counter: Counter[str]) -> dict[str, int]:
    if facet == "health":
        return {value: counter[value] for value in Health if counter[value]}
    return dict(sorted(counter.items(), key=lambda item: (-item[1], item[0])))


def _title(listed: Listed) -> tuple[str, str]:
    return str(listed.source.title).casefold(), listed.source.name


_ORDERS: Mapping[str, Callable[[Listed], Any]] = {
    "name": lambda listed: listed.source.name,
    "title": _title,
    "health": lambda listed: (HEALTH_ORDER.index(listed.value("health")), _title(listed)),
    # The newest first, sources that never ran last.
    "last_run": lambda listed: (-listed.brief.finished if listed.brief else 0, _title(listed)),
    # The soonest first, sources without a schedule last.
    "next_run": lambda listed: (listed.source.next_run or _NEVER, _title(listed)),
}


def of_organisation(organisation_id: str) -> int:
    """Return how many sources an organisation has that are not deleted; one statement."""
    query = sa.select(sa.func.count()).where(
        model.Package.type == "harvest",
        model.Package.state == "active",
        model.Package.owner_org == organisation_id,
        model.Package.private.isnot(True),
    )
    return int(Session.scalar(query) or 0)


def of_organisations(ids: Collection[str]) -> Sequence[Any]:
    """Return the first ten of these organisations that have sources, for a menu; one statement.

    Returns:
        Rows (name, title, sources: lists of name and title, empty if there are more than ten).
    """
    return Session.execute(_OF_ORGANISATIONS, {"ids": list(ids)}).all() if ids else ()


_OF_ORGANISATIONS = sa.text(
    """
    SELECT owner.name, COALESCE(NULLIF(owner.title, ''), owner.name) AS title,
           CASE WHEN sum(count(*)) OVER () <= 10
                THEN json_agg(json_build_array(source.name,
                                               COALESCE(NULLIF(source.title, ''), source.name))
                              ORDER BY lower(source.title), source.id)
                ELSE '[]' END AS sources
      FROM harvest_source
      JOIN package AS source ON source.id = harvest_source.id AND source.state = 'active'
      JOIN "group" AS owner ON owner.id = source.owner_org
     WHERE owner.id = ANY (CAST(:ids AS text[]))
     GROUP BY owner.id
     ORDER BY lower(owner.title), owner.id
     LIMIT 10
    """
)
_SOURCES = sa.text(
    f"""
    SELECT source.id, source.url, source.type,
           CASE WHEN source.frequency <> '{CRON_STORED_AS}'
                     OR COALESCE(state.schedule ->> 'cron', '') = ''
                THEN COALESCE(source.frequency, 'MANUAL')
                WHEN state.schedule ->> 'cron' = '{cron_expressions.HOURLY}' THEN '{HOURLY}'
                ELSE '{CRON}' END AS frequency,
           source.active AND package.state = 'active' AS active,
           CASE WHEN source.active AND package.state = 'active'
                     AND COALESCE(source.frequency, 'MANUAL') <> 'MANUAL'
                THEN source.next_run END AS next_run,
           package.name, package.state, COALESCE(package.private, false) AS private,
           package.owner_org,
           COALESCE(NULLIF(package.title, ''), NULLIF(source.title, ''), package.name) AS title,
           owner.name AS organization, COALESCE(NULLIF(owner.title, ''), owner.name, '')
               AS organization_title,
           {compat.group_extra_sql("owner", organization_types.KEY)} AS organization_type
      FROM harvest_source AS source
      JOIN package ON package.id = source.id
      LEFT JOIN ukharvest_source AS state ON state.source_id = source.id
      LEFT JOIN "group" AS owner ON owner.id = package.owner_org
    """  # noqa: S608 - names of our own
)

# Filters nothing; it tells ckanext-harvest that the query is about sources.
_ALSO_SOURCES = "+(*:* OR dataset_type:harvest)"
_SHOWN_BY = "dataset_type:harvest"  # what ckanext-harvest looks for in fq

_PHRASE = r'\\.|"(?:\\.|[^"\\])*"'
# Where a field's name may begin: not inside another name or after an escape.
_START = r"(?<![\w.\\])"
_NAMES_SOURCES = re.compile(
    rf'{_PHRASE}|(?P<found>{_START}type:\s*(?:\(\s*)?(?:"harvest"|harvest\b))'
)
_CLAUSE = re.compile(
    rf'(?P<field>{_START}source_type:\s*)(?P<value>"[^"\\]*"|\([^()]*\)|[\w-]+(?![\w*?~:.-]))'
    rf"|{_PHRASE}"
)
_NAME = re.compile(r'"([^"\\]*)"|(?<![\w*?~:.-])([\w-]+)(?![\w*?~:.-])')


def search_sources(search_params: dict[str, Any]) -> None:
    """Make a search for ``type:harvest`` find sources, under any name of their type.

    Other searches are not changed. Permissions still apply: private and deleted sources stay
    hidden.

    Args:
        search_params: as ``before_dataset_search`` has them.
    """
    query, filters = search_params.get("q"), search_params.get("fq") or ""
    more = search_params.get("fq_list") or []
    texts = [text for text in (query, filters, *more) if isinstance(text, str)]
    is_named = any(match["found"] for text in texts for match in _NAMES_SOURCES.finditer(text))
    if not is_named and not any(_SHOWN_BY in text for text in texts):
        return
    if isinstance(query, str):
        search_params["q"] = _rewritten(query)
    if filters:
        search_params["fq"] = filters = _rewritten(filters)
    if more:
        search_params["fq_list"] = [_rewritten(text) for text in more]
    if is_named and _SHOWN_BY not in filters:
        search_params["fq"] = f"{filters} {_ALSO_SOURCES}".strip()


def _rewritten(text: str) -> str:
    """Replace a source type's name in a query by all its names.

    The inserted text comes from our table of types, never from the query.
    """
    return text if text.lstrip().startswith("{!") else _CLAUSE.sub(_with_all_names, text)


def _with_all_names(match: re.Match[str]) -> str:
    if not match["field"]:
        return match[0]
    if match["value"].startswith("("):
        return f"{match['field']}({_NAME.sub(_other_names, match['value'][1:-1])})"
    return match["field"] + _NAME.sub(_other_names, match["value"])


def _other_names(match: re.Match[str]) -> str:
    names = source_types.names_of(match[1] or match[2] or "")
    return match[0] if len(names) < 2 else "({})".format(" OR ".join(f'"{n}"' for n in names))
