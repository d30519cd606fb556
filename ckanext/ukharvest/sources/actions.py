"""Actions: list and show sources, list their decisions, source types and places."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ckan import authz
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.core.status_rules import SourceStatus
from ckanext.ukharvest.core.values import gazetteer, organization_types
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.harvest.batch import dataset_rows
from ckanext.ukharvest.harvest.run import runs
from ckanext.ukharvest.harvest.sources import decision_log, schedules, source_status
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.lookups import source_of, source_row_of
from ckanext.ukharvest.lib.permissions import editable_organisations, is_insider, roles_of
from ckanext.ukharvest.lib.source_secrets import url_of_listed
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS, GROUPS
from ckanext.ukharvest.sources import description
from ckanext.ukharvest.sources import model as source_model
from ckanext.ukharvest.sources import schema as source_schema
from ckanext.ukharvest.sources.decisions import describe_decision
from ckanext.ukharvest.sources.model import Asker, Listed


@tk.side_effect_free
def ukharvest_source_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List harvest sources of every type, with their status if the user may manage them.

    For everybody; lists only sources that the user may read. A user may manage a source if they
    may edit the datasets of its organisation.

    :param q: words to find in title, name, URL or organisation, all of them (optional)
    :type q: string
    :param organization: name of an organisation (optional)
    :type organization: string
    :param organization_type: type of the source's organisation, such as ``Local Government``; any
        name that the list ``organization_types`` has for it (optional)
    :type organization_type: string
    :param type: source type, as stored (optional)
    :type type: string
    :param health: ``off``, ``held``, ``failing``, ``late``, ``hiccup``, ``empty``, ``shrunk``,
        ``errors``, ``new`` or ``healthy``; finds only sources that the user may manage (optional)
    :type health: string
    :param state: such as ``importing`` or ``idle``; finds only sources that the user may manage
        (optional)
    :type state: string
    :param frequency: as in :py:func:`ukharvest_schedule_update` (optional)
    :type frequency: string
    :param mine: only sources that the user may manage (optional, default: ``False``)
    :type mine: boolean
    :param include_inactive: also sources that are switched off, if the user may manage them
        (optional, default: ``False``; ``health=off`` finds these too)
    :type include_inactive: boolean
    :param sort: ``name``, ``title``, ``health`` (the worst first), ``last_run`` or ``next_run``
        (optional, default: ``name``)
    :type sort: string
    :param limit: how many to return (optional, default: 100, at most 1000)
    :type limit: integer
    :param offset: how many to skip (optional, default: 0)
    :type offset: integer

    :returns: ``count``; ``own``: how many of these the user may manage; ``facets``: for each of
        ``organization``, ``organization_type``, ``type``, ``health``, ``state`` and ``frequency``
        a dict of value → number of sources; ``organizations``: name → title of organisations with
        a source; ``managed``: how many sources the user may manage in all; ``needs_attention``:
        how many of these, by health, are in :py:func:`ukharvest_to_do_list`; ``switched_off``:
        how many more that are switched off the user may manage;
        ``results``: dicts with ``id``, ``name``, ``title``, ``type``, ``url``, ``organization``,
        ``organization_title``, ``organization_type`` ("" for none), ``frequency``, ``next_run``,
        ``last_good_run`` (when it ended), ``datasets`` and ``may_manage``. If the user may manage
        the source, ``datasets`` counts private ones too, and there are ``health``,
        ``health_reason``, ``state``, ``since``, ``held_deletions`` and ``last_run`` (as in
        :py:func:`ukharvest_run_list`, or null). Times are UTC in ISO 8601
    :rtype: dictionary
    """
    tk.check_access("ukharvest_source_list", context, data_dict)
    data = schema.validate(data_dict, source_schema.source_list_schema())
    data["organization_type"] = organization_types.find(data["organization_type"])
    matching, figures = source_model.find_sources(data, _asker(context))
    return {**figures, "results": _rows(matching[data["offset"] :][: data["limit"]])}


def _asker(context: Any) -> Asker:
    user = context.get("user") or ""
    if context.get("ignore_auth") or authz.is_sysadmin(user):
        return Asker(is_sysadmin=True)
    if not user:
        return Asker(is_sysadmin=False)
    return Asker(
        is_sysadmin=False,
        manages=frozenset(editable_organisations(context) or ()),
        reads=frozenset(id_ for id_, _role in roles_of(user)),
    )


def _rows(page: Collection[Listed]) -> list[dict[str, Any]]:
    """Return one page of sources, with the values that are loaded for these only."""
    healths = source_status.load_statuses(
        [listed.source.id for listed in page if listed.health is None]
    )
    healths |= {listed.source.id: listed.health for listed in page if listed.health}
    outside = [listed.source.id for listed in page if not listed.may_manage]
    public = dataset_rows.count_datasets_of_sources(outside, public=True) if outside else {}
    last = runs.newest_run_of_each([listed.source.id for listed in page if listed.may_manage])
    return [
        {
            **_row(listed, healths[listed.source.id]),
            **(
                {"last_run": last.get(listed.source.id)}
                if listed.may_manage
                else {"datasets": public.get(listed.source.id, 0)}
            ),
        }
        for listed in page
        if listed.source.id in healths  # else it was deleted meanwhile
    ]


def _row(listed: Listed, status: SourceStatus) -> dict[str, Any]:
    source = listed.source
    row = {
        "id": source.id,
        "name": source.name,
        "title": source.title,
        "type": source.type,
        "url": url_of_listed(source.url, may_manage=listed.may_manage),
        "organization": source.organization,
        "organization_title": source.organization_title,
        "organization_type": listed.organization_type,
        "frequency": source.frequency,
        "next_run": iso(source.next_run),
        "last_good_run": iso(status.good_ended),
        "may_manage": listed.may_manage,
    }
    inside = {
        "datasets": status.datasets,
        "health": status.value,
        "health_reason": status.reason,
        "state": status.state,
        "since": iso(status.since),
        "held_deletions": status.held,
    }
    return {**row, **(inside if listed.may_manage else {})}


@tk.side_effect_free
def ukharvest_decision_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List what people decided, newest first.

    About one source for users who may update it, about all for sysadmins.

    :param source: name or id of a harvest source (optional, default: all)
    :type source: string
    :param limit: how many to return (optional, default: 100, at most 1000)
    :type limit: integer
    :param offset: how many to skip (optional, default: 0)
    :type offset: integer

    :returns: ``count`` and ``results``: dicts with ``created`` (UTC in ISO 8601), ``user`` (name,
        "" for a command), ``source`` (name), ``source_title``, ``decision`` ("deletions approved",
        "datasets kept", "same datasets", "different datasets", "options confirmed", "switched
        off", "switched on", "source accepted", "source refused", "problem accepted", "problem
        listed again"), ``text`` (that in
        words), ``number`` (of datasets or records), ``reason``, ``until`` (last day, null
        without an end), ``run_id`` (the run that asked, or null), ``options`` (confirmed ones, or
        null), and ``code`` and ``field`` of the problem ("" for other decisions)
    :rtype: dictionary
    """
    tk.check_access("ukharvest_decision_list", context, data_dict)
    data = schema.validate(data_dict, source_schema.decision_list_schema())
    source_id = source_of({"source_id": data["source"]}).id if data["source"] else None
    page = {"limit": data["limit"], "offset": data["offset"]}
    count, rows = decision_log.load_decisions(source_id, **page)
    results = [
        {"source": name, "source_title": title, **describe_decision(decision)}
        for decision, name, title, _count in rows
    ]
    return {"count": count, "results": results}


@tk.side_effect_free
def ukharvest_type_list(context: Any, data_dict: dict[str, Any]) -> list[dict[str, Any]]:
    """List the source types of ckanext-ukharvest with their options. For everybody.

    :returns: dicts with ``name``, ``title``, ``description``, ``aliases``, ``enabled`` (whether
        its plugin is loaded), the texts of the source form (``group``, ``label``, ``line``,
        ``url_hint``, ``url_example``), ``docs_url`` (the page of a type that another
        distribution adds, "" for ours), and ``options``: dicts with ``name``, ``label`` ("" for an
        option that is not in the form), ``kind``, ``default``, ``choices`` and ``help``
    :rtype: list of dictionaries
    """
    tk.check_access("ukharvest_type_list", context, data_dict)
    enabled = config.our_type_names()
    return [
        {
            "name": kind.name,
            "title": kind.title,
            "description": kind.description,
            "aliases": list(kind.aliases),
            "enabled": config.type_name(kind) in enabled,
            "group": tk._(GROUPS[kind.group]),
            "label": tk._(kind.title),
            "line": tk._(kind.line),
            "url_hint": tk._(kind.url_hint),
            "url_example": kind.url_example,
            "docs_url": kind.docs_url,
            "options": [
                {
                    "name": option.name,
                    "label": tk._(option.label) if option.label else "",
                    "kind": option.kind,
                    "default": list(option.default) if option.kind == "list" else option.default,
                    "choices": list(option.choices),
                    "help": option.help,
                }
                for option in (*kind.options, *COMMON_OPTIONS)
            ],
        }
        for kind in TYPES.values()
    ]


@tk.side_effect_free
def ukharvest_place_list(context: Any, data_dict: dict[str, Any]) -> list[dict[str, Any]]:
    """List places whose names begin with a text, for the search by place. For everybody.

    :param q: the beginning of a name, or of one of its words
    :type q: string
    :param limit: how many to return (optional, default: 10, at most 100)
    :type limit: integer

    :returns: dicts with ``name``, by which ``ext_place`` of the dataset search finds the place
        and no other, and ``box``: west, south, east and north in degrees
    :rtype: list of dictionaries
    """
    tk.check_access("ukharvest_place_list", context, data_dict)
    data = schema.validate(data_dict, source_schema.place_list_schema())
    places = gazetteer.suggest(data["q"], data["limit"])
    return [{"name": place.name, "box": list(place.box)} for place in places]


@tk.side_effect_free
def ukharvest_source_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show a harvest source, and to users who may update it also its status.

    For users who may read the source.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param since: ``version`` of an earlier result, to compare with (optional)
    :type since: string

    :returns: ``id``, ``name``, ``title``, ``url``, ``type``, ``type_label``, ``organization``,
        ``frequency``, ``frequency_label``, ``created``, ``datasets`` (number of public ones) and
        ``harvested`` (when its last run that did not fail ended).

        For users who may update it also ``version``, ``unchanged`` (``version`` equals
        ``since``), ``state`` ("new", "idle", "queued", "gathering", "importing", "deleting",
        "checking", "finishing", "stopping", "held", "stuck", "off"), ``heading`` and ``text``
        (sentences) of the source status on its page, with ``badge`` and ``css``, ``actions`` that
        are possible now, ``progress`` ({``run_id``, ``stage``, ``seen``, ``done``, ``total``,
        ``lost``, ``eta_seconds``, ``started``, ``asked_by``, ``mode``} or null),
        ``queue_position``, ``held`` (number of pending deletions), ``renamed`` (number of datasets
        whose records seem to have new identifiers), ``kept`` (number of datasets that a person
        kept although their records are gone), ``options`` ({``name``, ``label``, ``value``: as
        text} of those that are set), ``missing`` ({``records``,
        ``of``, ``asks_after``: complete runs until deleting them needs approval}; null if few or
        no records are missing), ``health`` and ``health_reason``, ``failing_since``, ``failures``
        (runs in a row), ``last_run`` ({``id``, ``finished``, ``outcome``, ``lost``} or null),
        ``approval`` (what a sysadmin has to accept, or null: {``state``: "waiting" or "refused",
        ``is_new``: the source does not run before that, ``url``, ``source_type``, ``config``,
        ``asked_by``, ``since``, ``reason``: why it was refused, or ""}),
        ``last_good_run``, ``next_run``, ``schedule`` ({``time``: "HH:MM" or "", ``days``: of "mon"
        … "sun", ``zone``, ``cron``: a cron expression, "@hourly" or "", ``next_run``: null if it is
        not scheduled, ``text``: that as a sentence, ``next_starts``: the next five}) and
        ``datasets`` (private ones included); times are UTC in ISO 8601
    :rtype: dictionary
    """
    row = source_row_of(data_dict)
    id_ = row.source.id
    tk.check_access("ukharvest_source_show", context, {"source_id": id_})
    answer = description.describe_source(context, row)
    if not is_insider(context, id_):
        answer["datasets"] = dataset_rows.count_datasets_of_sources([id_], public=True).get(id_, 0)
        return {**answer, "harvested": iso(runs.last_good_end(id_))}
    answer |= description.describe_status(context, row.source)
    plan = schedules.schedule_of(row.schedule)
    answer["options"] = description.describe_options(row.source)
    answer["schedule"] = description.describe_schedule(row.source, plan)
    answer["unchanged"] = data_dict.get("since") == answer["version"]
    return answer
