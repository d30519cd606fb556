"""Actions of ckanext-harvest about sources and objects, chained; and a source's schedule."""

from __future__ import annotations

import logging
from typing import Any

from ckan import model
from ckan.lib.search.index import PackageSearchIndex
from ckan.logic import auth_audit_exempt
from ckan.plugins import toolkit as tk
from ckanext.harvest.logic import HarvestJobExists
from ckanext.harvest.model import HarvestObject, HarvestSource

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core import cron_expressions, schedule
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.database import ensure_source_state
from ckanext.ukharvest.harvest.index import pending_index, search_index
from ckanext.ukharvest.harvest.run import prune, runs
from ckanext.ukharvest.harvest.sources import schedules
from ckanext.ukharvest.harvest_actions import schema as harvest_schema
from ckanext.ukharvest.lib import schema, source_secrets
from ckanext.ukharvest.lib.lookups import (
    CLEARING_FIRST,
    RUN_FIRST,
    find_unended_run,
    not_found,
    source_of,
)
from ckanext.ukharvest.lib.permissions import EDITORS, is_insider, may, may_see_source
from ckanext.ukharvest.lib.schema import invalid
from ckanext.ukharvest.sources.description import describe_schedule
from ckanext.ukharvest.sources.schedule_form import find_frequency_errors

log = logging.getLogger(__name__)
Session = model.Session


class SourceIsBeingCleared(HarvestJobExists):
    """No run can be created while the source is being cleared."""


class SourceWaits(HarvestJobExists, tk.ValidationError):  # type: ignore[misc, name-defined]
    """No run can be created until a sysadmin accepts the source.

    The API answers as to other wrong values, and cron skips the source.
    """

    def __init__(self, refusal: str) -> None:
        super().__init__({"source_id": [refusal]})


def ukharvest_schedule_update(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Set how often, and when, a harvest source runs.

    For users who may update the source. A parameter that is left out is set to its default.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param frequency: ``MANUAL`` (no scheduled runs), ``HOURLY``, ``DAILY``, ``WEEKLY``,
        ``BIWEEKLY``, ``MONTHLY``, ``CRON``, or ``ALWAYS``, which only sysadmins can choose
        (optional, default: ``CRON`` with ``cron``, else the frequency that ckanext-harvest stores)
    :type frequency: string
    :param cron: a cron expression such as ``30 6,18 * * 1-5``, or ``@hourly``; then ``time`` and
        ``days`` must be empty, and ckanext-harvest stores ``DAILY`` (optional, default: "")
    :type cron: string
    :param time: "HH:MM"; "": soon after midnight, each source at its own minute (optional,
        default: "")
    :type time: string
    :param days: of "mon", "tue", "wed", "thu", "fri", "sat", "sun"; DAILY, WEEKLY and BIWEEKLY
        sources run only on these, MONTHLY ones on the first of them in a month (optional,
        default: any day)
    :type days: list of strings
    :param zone: time zone such as ``Europe/London`` (optional, default: the portal's)
    :type zone: string

    :returns: ``source_id``, ``frequency``, and as ``schedule`` of
        :py:func:`ukharvest_source_show`
    :rtype: dictionary
    """
    tk.check_access("ukharvest_schedule_update", context, data_dict)
    source = source_of(data_dict)
    data = schema.validate(data_dict, harvest_schema.schedule_update_schema())
    frequency, cron = _check_frequency(context, source, data)
    days = tuple(day for day in schedule.DAYS if day in data["days"])
    plan = schedules.SourceSchedule(data["time"], days, data["zone"], cron)
    if frequency != source.frequency:
        own = {"ignore_auth": True, "user": context.get("user") or config.site_user()}
        tk.get_action("harvest_source_patch")(own, {"id": source.id, "frequency": frequency})
    state = ensure_source_state(source.id)
    state.schedule = {**plan._asdict(), "days": list(plan.days)}
    source.next_run = schedules.next_start(source, plan)
    model.Session.commit()
    of = {"source_id": source.id, "frequency": schedule.frequency_of(source.frequency, cron)}
    return {**of, **describe_schedule(source, plan)}


def _check_frequency(context: Any, source: HarvestSource, data: dict[str, Any]) -> tuple[str, str]:
    """Return what ckanext-harvest stores as frequency, and the cron expression.

    Raises:
        ValidationError: the parameters do not fit together, or the portal does not allow them.
    """
    wanted, cron = data.get("frequency", ""), data["cron"]
    if wanted != schedule.CRON:
        schema.refuse_both({**data, "frequency": wanted}, "frequency", "cron")
    if wanted == schedule.HOURLY:
        cron = cron_expressions.HOURLY
    elif cron:
        wanted = schedule.CRON
    if wanted in (schedule.HOURLY, schedule.CRON):
        for name in ("time", "days"):
            schema.refuse_both({**data, "cron": True}, "cron", name)
    before = source.frequency or schedule.MANUAL
    is_sysadmin = may(context, "sysadmin")
    if errors := find_frequency_errors(wanted, cron, before, sysadmin=is_sysadmin):
        raise tk.ValidationError(errors)
    return schedule.CRON_STORED_AS if cron else wanted or before, cron


BATCH = 100  # datasets per transaction


@tk.chained_action
def harvest_source_clear(
    _original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> dict[str, Any]:
    """Remove all datasets, jobs and objects of a harvest source; the source itself stays.

    For users who may approve deletions. Purges the datasets that no other source claims, in
    batches: if a call fails, the next one continues. Refused during a run of the source.
    ckanext-harvest's action, which this one replaces, also removes every dataset of the portal
    that is in state ``to_delete``, and fails at a dataset with collaborators.

    :param id: the id or name of the harvest source to clear
    :type id: string

    :returns: ``id`` of the source and ``deleted``, the number of datasets
    :rtype: dictionary
    """
    name = tk.get_or_bust(data_dict, "id")
    tk.check_access("harvest_source_clear", context, data_dict)
    source_id = source_of({"source_id": name}).id
    with database.hold_alone(database.CLEARING, source_id) as is_alone:
        if not is_alone:
            raise invalid("id", tk._(CLEARING_FIRST))
        refuse_during_run(source_id)
        return _clear(source_id)


def refuse_during_run(source_id: str) -> None:
    """Raise an error if a run of the source is under way.

    Raises:
        ValidationError: with a message about what to do.
    """
    if find_unended_run(source_id):
        raise invalid("id", tk._(RUN_FIRST))


def _clear(source_id: str) -> dict[str, Any]:
    doomed = prune.dataset_ids(source_id)
    left = sorted(set(prune.shared_ids(source_id)) - set(doomed))
    for start in range(0, len(doomed), BATCH):
        batch = doomed[start : start + BATCH]
        prune.purge_datasets(batch)
        pending = pending_index.add_pending(batch)
        Session.commit()
        compat.remove_from_index(batch)
        pending_index.remove_pending(pending)
    prune.forget_source(source_id)
    Session.commit()
    # Index entries that still have the source's id are left from earlier faults, or are other
    # sources' datasets that no longer name this source.
    compat.remove_from_index(sorted(search_index.indexed_ids(source_id)))
    search_index.put_in_index(left)
    _reindex(source_id)
    log.info("Cleared harvest source %s: %d datasets", source_id, len(doomed))
    return {"id": source_id, "deleted": len(doomed)}


# No auth audit: CKAN expects an auth function of the action's name; ckanext-harvest checks that
# of clearing.
@auth_audit_exempt
@tk.chained_action
def harvest_source_job_history_clear(
    _original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> dict[str, Any]:
    """Remove the ended jobs of a harvest source with their objects; its datasets stay.

    For users who may approve deletions. The current object of each dataset stays, and its job: a
    dataset's page links to it, and it says which source the dataset comes from.

    :param id: the id or name of the harvest source
    :type id: string
    :param keep_current: also keep the other objects and the errors of jobs that have a current
        object (optional, default: ``False``)
    :type keep_current: bool
    """
    name = tk.get_or_bust(data_dict, "id")
    tk.check_access("harvest_source_clear", context, data_dict)
    source_id = source_of({"source_id": name}).id
    prune.forget_history(source_id, keep_current=tk.asbool(data_dict.get("keep_current", False)))
    Session.commit()
    _reindex(source_id)
    return {"id": source_id}


@auth_audit_exempt
@tk.chained_action
def harvest_sources_job_history_clear(
    _original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> list[dict[str, Any]]:
    """Remove the ended jobs of all active harvest sources. Sysadmins only.

    Does :py:func:`harvest_source_job_history_clear` for each. ckanext-harvest's own action takes
    the sources from the search index, at most 1,000 of them.

    :param keep_current: as in :py:func:`harvest_source_job_history_clear` (optional)
    :type keep_current: bool
    """
    tk.check_access("harvest_sources_clear", context, data_dict)
    keep_current = data_dict.get("keep_current", False)
    clear = tk.get_action("harvest_source_job_history_clear")
    return [
        clear({**context, "ignore_auth": True}, {"id": id_, "keep_current": keep_current})
        for id_ in active_sources()
    ]


def active_sources() -> list[str]:
    """Return the ids of all sources that are not switched off."""
    query = (
        Session.query(HarvestSource.id)
        .join(model.Package, model.Package.id == HarvestSource.id)
        .filter(model.Package.state == "active")
    )
    return [row[0] for row in query.order_by(HarvestSource.id)]


def _reindex(source_id: str) -> None:
    # A new context: the action stores its own settings in the one that it gets.
    context = {"ignore_auth": True, "model": model, "session": Session}
    tk.get_action("harvest_source_reindex")(context, {"id": source_id})


@tk.side_effect_free
@tk.chained_action
def harvest_object_show(
    original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> dict[str, Any]:
    """Show a harvest object. For users who may read its dataset.

    An object without a dataset is for users who may update the harvest source. Only they see how
    its import ended (``errors``, ``report_status``, ``retry_times``).

    :param id: the id of the object (or ``dataset_id``)
    :type id: string
    :param attr: name of the field that ``id`` is compared with (optional, default: the id)
    :type attr: string
    :param dataset_id: the id or name of a dataset, for its current object
    :type dataset_id: string
    """
    attr = data_dict.get("attr")
    if attr and data_dict.get("id"):
        # Look it up only once: many objects can share a field's value, and a second look-up may
        # find another object than the one that was authorised.
        obj = HarvestObject.get(data_dict["id"], attr=attr)
        if obj is None:
            raise not_found()
        data_dict = {"id": obj.id}
    shown: dict[str, Any] = original(context, data_dict)
    if not is_insider(context, shown["source"]):
        shown.update(errors=[], report_status=None, retry_times=None)
    return shown


@tk.side_effect_free
@tk.chained_action
def harvest_source_list(
    original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> list[dict[str, Any]]:
    """List harvest sources, as ckanext-harvest does, but only those that the user may see.

    Secrets in a source's URL and options are hidden from users who may not update it.

    :param organization_id: only sources of this organisation (optional)
    :type organization_id: string
    :param only_active: leave out sources that are switched off (optional, default: ``False``)
    :type only_active: bool
    :param only_to_run: only sources that are due (optional, default: ``False``)
    :type only_to_run: bool
    :param return_last_job_status: with the status of the last run (optional, default: ``False``)
    :type return_last_job_status: bool
    """
    tk.check_access("harvest_source_list", context, data_dict)
    sources: list[dict[str, Any]] = original(context, data_dict)
    columns = (model.Package.id, model.Package.private, model.Package.state)
    ids = [source["id"] for source in sources]
    states = {row.id: row for row in Session.query(*columns).filter(model.Package.id.in_(ids))}
    visible = [
        source
        for source in sources
        if (row := states.get(source["id"]))
        and may_see_source(context, row.id, is_private=row.private, state=row.state)
    ]
    for source in visible:
        source_secrets.hide_in_source(context, source)
    return visible


# No auth audit: ckanext-harvest's action asks for the right to call it by an auth function that
# does not exist, which is an error for all but sysadmins.
@auth_audit_exempt
@tk.side_effect_free
@tk.chained_action
def harvest_log_list(
    original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> list[dict[str, Any]]:
    """List the messages of harvests that the database has. Sysadmins only.

    :param limit: how many to return (optional, default: 100)
    :type limit: integer
    :param per_page: the same
    :type per_page: integer
    :param offset: how many to skip (optional, default: 0)
    :type offset: integer
    :param level: only those of this level, such as ``error`` (optional)
    :type level: string
    """
    tk.check_access("sysadmin", context, data_dict)
    return list(original(context, data_dict))


@tk.side_effect_free
@tk.chained_action
def harvest_source_show_status(
    original: Any, context: Any, data_dict: dict[str, Any]
) -> dict[str, Any]:
    """Show a source's status; ``last_job`` has the figures of :py:func:`harvest_job_show`.

    Users who may not update the source only get the numbers of datasets and runs and, in
    ``last_job``, when the last run that did not fail ended: no figures, no errors.

    :param id: the id of the harvest source
    :type id: string
    """
    tk.check_access("harvest_source_show_status", context, data_dict)
    source_id = tk.get_or_bust(data_dict, "id")
    if not is_insider(context, source_id):
        return runs.short_status(source_id)
    status: dict[str, Any] = original(context, data_dict)
    runs.add_to_stock([status.get("last_job") or {}])
    return status


# No auth audit: CKAN expects check_access, which would leave its package in others' contexts.
@auth_audit_exempt
@tk.side_effect_free
@tk.chained_action
def harvest_source_reindex(original: Any, context: Any, data_dict: dict[str, Any]) -> bool:
    """Index a harvest source for the search, with all its fields on every CKAN version.

    For users who may update it. ckanext-harvest's action is for everybody, though each call makes
    Solr commit.

    :param id: the id of the harvest source
    :type id: string
    """
    id_ = tk.get_or_bust(data_dict, "id")
    if not may(context, "harvest_source_update", id=id_):
        raise tk.NotAuthorized(tk._(EDITORS))
    if not compat.INDEXES_IN_ACTIONS:
        return bool(original(context, data_dict))
    compat.index_harvest_source(id_, defer_commit=context.get("defer_commit", False))
    return True


@tk.side_effect_free
@tk.chained_action
def harvest_sources_reindex(_original: Any, context: Any, data_dict: dict[str, Any]) -> bool:
    """Index all active harvest sources for the search. Sysadmins only.

    ckanext-harvest's own action calls that of a source in a context without a user, in commands
    the same as a visitor's.
    """
    tk.check_access("harvest_sources_reindex", context, data_dict)
    for id_ in active_sources():
        own = {"ignore_auth": True, "defer_commit": True}
        tk.get_action("harvest_source_reindex")(own, {"id": id_})
    PackageSearchIndex().commit()
    return True
