"""A source as its page shows it, its runs, and how a run is stopped."""

from __future__ import annotations

from functools import partial
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest import config
from ckanext.ukharvest.logic import source_state
from ckanext.ukharvest.logic.may import may
from ckanext.ukharvest.logic.paging import validated
from ckanext.ukharvest.logic.sources import is_insider, source_of
from ckanext.ukharvest.model import held, reports, runs, stopping

UNFINISHED = ("New", "Running")


@tk.side_effect_free
def ukharvest_source_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show a harvest source: to everybody what it is, to those who may update it how it does.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param since: ``version`` of an earlier answer (optional)
    :type since: string

    :returns: ``id``, ``name``, ``title``, ``url``, ``type``, ``type_label``, ``organization``,
        ``frequency``, ``frequency_label``, ``created``, ``datasets`` (public ones) and
        ``harvested`` (when its last run that did not fail ended).

        To those who may update it also ``version``, ``unchanged`` (it is that of ``since``),
        ``state`` ("new", "idle", "queued", "gathering", "importing", "deleting", "checking",
        "finishing", "stopping", "held", "stuck", "off"), ``heading`` and ``text`` (sentences) of
        the page's card, its ``badge`` and ``css``, ``actions`` that make sense now, ``progress``
        ({``run_id``, ``stage``, ``seen``, ``done``, ``total``, ``lost``, ``eta_seconds``,
        ``started``, ``asked_by``, ``mode``} or null), ``queue_position``, ``held`` (deletions that
        wait), ``health`` and ``health_reason``, ``failing_since``, ``failures`` (runs in a row),
        ``last_run`` ({``id``, ``finished``, ``outcome``, ``lost``} or null), ``last_good_run``,
        ``next_run`` and ``datasets`` (private ones too); times are UTC in ISO 8601
    :rtype: dictionary
    """
    source = source_of(data_dict)
    tk.check_access("ukharvest_source_show", context, {"source_id": source.id})
    answer = source_state.public(source, model.Package.get(source.id))
    if is_insider(context, source.id):
        may_decide = partial(may, context, "ukharvest_deletions_approve", source_id=source.id)
        answer |= source_state.inside(source, may_decide)
        answer["unchanged"] = data_dict.get("since") == answer["version"]
    return answer


@tk.side_effect_free
def ukharvest_jobs_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List runs, newest first: of one source for those who may update it, of all for sysadmins.

    :param source: name or id of a harvest source (optional)
    :type source: string
    :param limit: how many to return (optional, default: 100, at most 1000)
    :type limit: integer
    :param offset: how many to leave out (optional, default: 0)
    :type offset: integer

    :returns: ``count`` and ``results``: dicts with ``id``, ``source`` (name), ``source_id``,
        ``status`` (of the harvest job), ``created``, ``started``, ``gathered``, ``finished``,
        ``seconds`` (null as long as it runs), ``asked_by`` (empty for the schedule),
        ``stopped_by``, ``mode`` ("normal", "force", "approval"), ``outcome`` ("finished",
        "errors", "held", "failed", "stopped", "unchanged", "running", "queued"), ``reason``,
        ``error``, ``complete``, ``seen``, ``counts`` ({``added``, ``updated``, ``unchanged``,
        ``skipped``, ``deleted``, ``missing``, ``held``, ``lost``, ``with_problems``}) and
        ``stats``, as in ``harvest_job_show``; times are UTC in ISO 8601
    :rtype: dictionary
    """
    tk.check_access("ukharvest_jobs_list", context, data_dict)
    text = [tk.get_validator("ignore_missing"), tk.get_validator("unicode_safe")]
    data = validated(data_dict, {"source": text})
    wanted = data.get("source")
    count, results = runs.listed(
        source_id=source_of({"source_id": wanted}).id if wanted else None,
        limit=data["limit"],
        offset=data["offset"],
    )
    return {"count": count, "results": results}


def ukharvest_run_stop(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Stop a run of a harvest source: nothing more of it begins, and what is in stays.

    What waits is neither imported nor counted as lost or missing, and nothing is deleted; the next
    run finds it. What is being read or imported at this moment ends by itself.

    :param id: id of the run
    :type id: string

    :returns: ``id``, and ``ended``: nothing of it is under way any more
    :rtype: dictionary
    """
    job = HarvestJob.get(tk.get_or_bust(data_dict, "id"))
    if job is None:
        raise tk.ObjectNotFound(tk._("There is no run of this id."))
    tk.check_access("ukharvest_run_stop", context, data_dict)
    if job.status not in UNFINISHED:
        raise tk.ValidationError({"id": [tk._("This run has ended already.")]})
    report = reports.reports_of([job.id]).get(job.id)
    if report is not None and report.mode == held.APPROVAL:
        raise tk.ValidationError({"id": [tk._("Approved deletions are carried out in one go.")]})
    user = str(context.get("user") or config.harvest_user())
    if job.source.type in config.our_type_names():
        return {"id": job.id, "ended": _stop(job, user)}
    answer = tk.get_action("harvest_job_abort")(_own(user), {"id": job.id})
    return {"id": answer["id"], "ended": True}


@tk.chained_action
def harvest_job_abort(
    original: Any, context: dict[str, Any], data_dict: dict[str, Any]
) -> dict[str, Any]:
    """End a run as :py:func:`ukharvest_run_stop` does, whichever harvester it is of.

    Nothing that waits is counted as lost. Unlike ckanext-harvest's action alone it does not take
    from a live worker what that is at: such a run is still ``Running`` in the answer.

    :param id: id of the run, or id or name of a harvest source whose newest run is meant
    :type id: string
    :param source_id: id or name of the harvest source (optional)
    :type source_id: string

    :returns: the run, as ``harvest_job_show`` does
    :rtype: dictionary
    """
    tk.check_access("harvest_job_abort", context, data_dict)
    job = _named(str(data_dict.get("source_id") or tk.get_or_bust(data_dict, "id")))
    if job.status not in UNFINISHED:
        return dict(original(context, data_dict))
    job_id, user = str(job.id), str(context.get("user") or config.harvest_user())
    if job.source.type in config.our_type_names():
        _stop(job, user)
    else:
        _abort(original, job, user)
    return dict(tk.get_action("harvest_job_show")(_own(user), {"id": job_id}))


def _named(name_or_id: str) -> HarvestJob:
    package = model.Package.get(name_or_id)
    jobs = model.Session.query(HarvestJob)
    one_of = {"source_id": package.id} if package else {"id": name_or_id}
    job = jobs.filter_by(**one_of).order_by(HarvestJob.created.desc()).first()
    if job is None:
        raise tk.ObjectNotFound(tk._("There is no run of this id."))
    return job


def _stop(job: HarvestJob, user: str) -> bool:
    """Stop a run of ours; True if nothing of it is under way any more."""
    source_id = str(job.source_id)
    is_over = stopping.stop(job, user, config.worker_timeout())
    if is_over:
        tk.get_action("harvest_source_reindex")(_own(user), {"id": source_id})
    return is_over


def _abort(original: Any, job: HarvestJob, user: str) -> None:
    """End a run of another extension's harvester, which does not look whether it should end."""
    job_id, source_id = str(job.id), str(job.source_id)
    stopping.open_report(job_id, source_id, stopped_by=user)
    model.Session.commit()  # from now on no message counts one of its records as lost
    original(_own(user), {"id": job_id})
    stopping.note_end(HarvestJob.get(job_id))
    tk.get_action("harvest_source_reindex")(_own(user), {"id": source_id})


def _own(user: str) -> dict[str, Any]:
    # A fresh context: actions leave their own settings in the one that they get.
    return {"ignore_auth": True, "model": model, "session": model.Session, "user": user}
