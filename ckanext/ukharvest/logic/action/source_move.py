"""Actions: move a source to another URL, and the dry run before."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest.engine.jobs import source_preview
from ckanext.ukharvest.logic import schema, source_moves
from ckanext.ukharvest.logic.action.source_previews import show_preview, start_preview
from ckanext.ukharvest.logic.sources import source_of
from ckanext.ukharvest.model import SourcePreview, locks, source_previews
from ckanext.ukharvest.model.source_moves import move_records

Session = model.Session


def ukharvest_source_move_dry_run_create(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Start the dry run of a move: read a source at another URL, and find its datasets there.

    For users who may update the source. It changes nothing and takes at most ten minutes. While
    one of the same URL is under way this returns that one.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param url: the new URL
    :type url: string
    :param source_type: the source type at the new URL (optional, default: that of the source)
    :type source_type: string

    :returns: as :py:func:`ukharvest_source_preview_show`, which returns the result later
    :rtype: dictionary
    """
    source = source_of(data_dict)
    tk.check_access("ukharvest_source_move_dry_run_create", context, {"source_id": source.id})
    user = context["user"]
    place = source_moves.place_of(user, source, data_dict)
    preview, is_new = source_moves.add_dry_run(user, source, place)
    if not is_new:
        return show_preview(preview, context)
    return start_preview(preview, context, at_front=False, job=source_preview.run_move)


def ukharvest_source_move(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Move a source to the URL and the type of a dry run; its datasets and resources stay.

    For users who may update the source. Refused during a run of the source, without a dry run that
    read the new URL to its end, and if the source changed since.

    :param source_id: id or name of the harvest source
    :type source_id: string
    :param dry_run_id: id that :py:func:`ukharvest_source_move_dry_run_create` returned
    :type dry_run_id: string
    :param even_if_few_match: move it even if fewer than half of its datasets are at the new URL
        (optional, default: ``False``)
    :type even_if_few_match: bool

    :returns: ``id`` and ``name`` of the source, ``url`` and ``source_type`` (new), ``datasets``,
        ``same``, ``moved`` and ``missing``: numbers as the dry run found them
    :rtype: dictionary
    """
    source_id = source_of(data_dict).id
    tk.check_access("ukharvest_source_move", context, {"source_id": source_id})
    data = schema.validate(data_dict, schema.source_move_schema())
    preview = source_previews.get(data["dry_run_id"])
    if preview is None or preview.source_id != source_id:
        raise tk.ObjectNotFound(tk._("This dry run does not exist. Dry runs are kept for a day."))
    # The lock stops others from starting a run or saving the source until this is done.
    query = Session.query(HarvestSource).filter_by(id=source_id).with_for_update()
    query.populate_existing().one()
    try:
        if not locks.hold_off_clearing(source_id):
            raise tk.ValidationError({"source_id": [tk._("This source is being cleared.")]})
        source_moves.refuse(preview, even_if_few_match=data["even_if_few_match"])
        return _move(context, preview)
    except Exception:
        Session.rollback()
        raise


def _move(context: Any, preview: SourcePreview) -> dict[str, Any]:
    """Move records and source in one transaction, which saving the source commits."""
    preview_id, source_id, move = preview.id, preview.source_id, preview.result["move"]
    place = {"url": preview.url, "source_type": preview.source_type, "config": move["config"]}
    move_records(source_id, move)
    own = {key: context[key] for key in ("user", "auth_user_obj", "ignore_auth") if key in context}
    own |= {"model": model, "session": Session}
    saved = tk.get_action("harvest_source_patch")(own, {"id": source_id, **place})
    numbers = {key: move[key] for key in ("datasets", "same", "moved")}
    missing = len(move["missing"])
    source_previews.forget(preview_id)  # else it would be the latest dry run of the new URL
    return {
        "id": source_id,
        "name": saved["name"],
        "url": place["url"],
        "source_type": place["source_type"],
        **numbers,
        "missing": missing,
    }
