"""Actions: check a text, a file or a URL, as a source or as data with a schema; for everybody."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz

from ckanext.ukharvest.core.values.iso_time import iso
from ckanext.ukharvest.engine.jobs import check as job
from ckanext.ukharvest.engine.jobs import source_preview
from ckanext.ukharvest.logic import check_rules
from ckanext.ukharvest.logic.preview_facts import describe_progress, stopped_without_queue
from ckanext.ukharvest.logic.source_state import type_label
from ckanext.ukharvest.model import SourcePreview, source_previews
from ckanext.ukharvest.presentation.messages import checks as words
from ckanext.ukharvest.presentation.messages.source_previews import progress


def ukharvest_check_create(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Start a check of a source's document, or of data with a schema. Nothing is imported.

    For logged-in users, and for everybody if ``ckanext.ukharvest.check.visitors`` is set. Give one
    of ``url``, ``text`` and ``upload``. A background job reads at most 20 records, for at most a
    minute. A person may start ten checks a minute.

    :param url: URL to read (optional)
    :type url: string
    :param text: the text to check (optional)
    :type text: string
    :param upload: the file to check, sent as ``multipart/form-data`` (optional)
    :type upload: file
    :param source_type: name of a source type, such as ``data_json``, or ``data`` for data with a
        schema (optional, default: what the first bytes show)
    :type source_type: string
    :param schema_url: URL of the schema of data (optional)
    :type schema_url: string
    :param schema_text: the schema itself (optional)
    :type schema_text: string
    :param schema_upload: file of the schema (optional)
    :type schema_upload: file

    :returns: as :py:func:`ukharvest_check_show`, which returns the result later
    :rtype: dictionary
    """
    tk.check_access("ukharvest_check_create", context, data_dict)
    user = context.get("user") or ""
    values = check_rules.validate_input(user, data_dict)
    check_rules.check_limits(user)
    check = source_previews.add(user, **values)
    with stopped_without_queue(check.id):
        job.enqueue(check.id, at_front=bool(user))
    return _shown(check, context)


@tk.side_effect_free
def ukharvest_check_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show progress and result of a check. For everybody who has its id; it is kept for a day.

    :param id: id of the check
    :type id: string

    :returns: as :py:func:`ukharvest_source_preview_show`, without ``source_id``; also ``way``
        ("url", "text" or "upload"), ``name`` (of the file), ``schema`` (its URL or file name) and
        ``expires`` (when it is deleted). ``source_type`` is "" until the type is found, and "data"
        for data with a schema. The ``result`` of data has a ``report``, as in
        :py:func:`ukharvest_data_check_show`
    :rtype: dictionary
    """
    return _shown(_found(context, data_dict, "ukharvest_check_show"), context)


def ukharvest_check_stop(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Stop a check; its result so far is kept. For everybody who has its id.

    :param id: id of the check
    :type id: string

    :returns: as :py:func:`ukharvest_check_show`
    :rtype: dictionary
    """
    check = _found(context, data_dict, "ukharvest_check_stop")
    source_previews.stop(check.id)
    return _shown(source_previews.get(check.id) or check, context)


def _found(context: Any, data_dict: dict[str, Any], auth: str) -> SourcePreview:
    id_ = str(tk.get_or_bust(data_dict, "id"))
    tk.check_access(auth, context, {"id": id_})
    check = source_previews.get(id_)
    if check is None or check.given is None:
        raise tk.ObjectNotFound(tk._("This check does not exist. Checks are kept for a day."))
    return check


def _shown(check: SourcePreview, context: Any) -> dict[str, Any]:
    shown = describe_progress(check, sees_inside=authz.is_sysadmin(context.get("user")))
    state, result = shown["state"], shown["result"]
    if result and result["report"]:
        result["report"] = words.with_summary(result["report"])
    label = type_label(check.source_type) if check.source_type not in ("", "data") else ""
    shown["type_label"] = words.type_label(check.source_type, label)
    shown |= {key: check.given[key] for key in ("way", "name", "schema")}
    shown["expires"] = iso(source_previews.expiry(check))
    shown["heading"] = words.heading(state, result)
    shown["text"] = words.sentences(result)
    if state in source_previews.UNDER_WAY:
        most = source_preview.BUDGET.records
        shown["text"] = [progress(state, check.stage, check.done, most=most, position=shown)]
    return shown
