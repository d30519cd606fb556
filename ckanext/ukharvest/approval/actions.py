"""Actions: accept a source's URL and type, or refuse them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.approval import schema as approval_schema
from ckanext.ukharvest.core.options import comparable_config
from ckanext.ukharvest.core.outcomes import PreviewState
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.gather import previews as source_previews
from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.harvest.records import pending
from ckanext.ukharvest.harvest.records.pending import SourceRequest
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.lookups import source_of
from ckanext.ukharvest.lib.schema import invalid
from ckanext.ukharvest.lib.texts import OTHERS_WAIT
from ckanext.ukharvest.sources import approvals

Session = model.Session


def ukharvest_source_approve(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Accept the URL and type of a source that wait. Sysadmins only.

    A new source can run from now on. A changed one is saved with them and with the options that
    were saved with them; if a test has found its datasets there, they move along.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param url: the URL that waits; another one is refused
    :type url: string
    :param source_type: the type that waits; another one is refused
    :type source_type: string
    :param run: also start a run (optional, default: ``False``)
    :type run: boolean

    :returns: ``id`` of the source, ``url`` and ``source_type``, and ``run``: as
        :py:func:`ukharvest_run_create` returns it; null: none was wanted or possible
    :rtype: dictionary
    """
    tk.check_access("ukharvest_source_approve", context, data_dict)
    data = schema.validate(data_dict, approval_schema.source_approve_schema())
    source_id, user = str(source_of(data_dict).id), str(context.get("user") or "")
    with _locked(source_id, data) as request:
        if request.is_new:
            approvals.accept(source_id, user, request)
            Session.commit()
        else:
            _change(user, source_id, request)
    own, run = {"user": user, "ignore_auth": True}, None
    if data["run"]:
        try:
            run = tk.get_action("ukharvest_run_create")(own, {"source_id": source_id})
        except tk.ValidationError:  # such as of a source that is switched off
            Session.rollback()
    return {"id": source_id, "url": request.url, "source_type": request.source_type, "run": run}


@contextmanager
def _locked(source_id: str, seen: Mapping[str, Any]) -> Iterator[SourceRequest]:
    """Yield what of a source waits, with the source locked; roll back if the block raises.

    Args:
        seen: ``url`` and ``source_type`` that the sysadmin decides about.

    Raises:
        ValidationError: others wait, or none.
    """
    try:
        database.lock_source(source_id)
        request = pending.load_request(source_id)
        if request is None:
            raise invalid("source_id", tk._("Nothing is waiting for a decision."))
        if (request.url, request.source_type) != (seen["url"], seen["source_type"]):
            raise invalid("url", tk._(OTHERS_WAIT))
        yield request
    except Exception:
        Session.rollback()
        raise


def _change(user: str, source_id: str, request: SourceRequest) -> None:
    """Save what was asked for, with what a test of it found; this commits.

    As the sysadmin's own change it is accepted at once.
    """
    place = {"url": request.url, "source_type": request.source_type}
    options = approvals.asked_options(Session.get(HarvestSource, source_id), request)
    own = {"user": user, "ignore_auth": True, "model": model, "session": Session}
    preview = source_previews.latest_dry_run(source_id, **place)
    if preview and _has_found(preview, options):
        move = {"source_id": source_id, "dry_run_id": preview.id, "even_if_few_match": True}
        tk.get_action("ukharvest_source_move")(own, move)
    else:
        saved = {"id": source_id, **place, "config": options}
        tk.get_action("harvest_source_patch")(own, saved)


def _has_found(preview: SourcePreview, wanted: str) -> bool:
    """Tell whether a test has read to its end what was asked for, with these options."""
    result = (preview.result if preview.state == PreviewState.DONE else None) or {}
    options = (result.get("move") or {}).get("config")
    is_whole = result.get("read") and not (result["over"] or result["error"])
    return bool(is_whole) and comparable_config(options) == comparable_config(wanted)


def ukharvest_source_refuse(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Refuse the URL and type of a source that wait. Sysadmins only.

    Its people read why; if they change the source and save it, it waits again.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param url: the URL that waits; another one is not refused
    :type url: string
    :param source_type: the type that waits; another one is not refused
    :type source_type: string
    :param reason: why, for its people
    :type reason: string

    :returns: ``id`` of the source, and ``approval`` as in :py:func:`ukharvest_source_show`
    :rtype: dictionary
    """
    tk.check_access("ukharvest_source_refuse", context, data_dict)
    data = schema.validate(data_dict, approval_schema.source_refuse_schema())
    source_id, user = str(source_of(data_dict).id), str(context.get("user") or "")
    with _locked(source_id, data) as request:
        approvals.refuse(source_id, user, request, data["reason"])
        Session.commit()
    source = Session.get(HarvestSource, source_id)
    return {"id": source_id, "approval": approvals.describe_approval(source)}
