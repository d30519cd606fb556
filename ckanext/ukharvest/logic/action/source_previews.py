"""Actions: start, show and stop source previews (of unsaved sources) and dry runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz

from ckanext.ukharvest import config
from ckanext.ukharvest.engine.dry_run import BUDGET as DRY_RUN_BUDGET
from ckanext.ukharvest.engine.jobs import source_preview
from ckanext.ukharvest.logic import source_moves, source_preview_rules
from ckanext.ukharvest.logic.preview_facts import describe_progress, stopped_without_queue
from ckanext.ukharvest.logic.source_proposals import describe_proposals
from ckanext.ukharvest.logic.source_state import type_label
from ckanext.ukharvest.logic.sources import source_of
from ckanext.ukharvest.model import SourcePreview, source_previews
from ckanext.ukharvest.presentation.messages import source_moves as move_words
from ckanext.ukharvest.presentation.messages import source_previews as words


def ukharvest_source_preview_create(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Start a preview of an unsaved source: read its first records without saving anything.

    For users who may add sources, or update the source ``id``. A background job reads at most 20
    records, for at most a minute. It replaces the user's earlier preview; a user may start ten a
    minute.

    :param source_type: name of the source type, such as ``data_json`` (optional for a new source
        without options, default: the type that answers at the URL, or at the nearest one of its
        site)
    :type source_type: string
    :param url: URL of the source
    :type url: string
    :param config: its options as JSON, as in harvest_source_create (optional, default: "")
    :type config: string
    :param id: id or name of the saved source whose form is tested (optional)
    :type id: string

    :returns: as :py:func:`ukharvest_source_preview_show`, which returns the result later
    :rtype: dictionary
    """
    source = source_of({"source_id": data_dict["id"]}) if data_dict.get("id") else None
    tk.check_access("ukharvest_source_preview_create", context, {"id": source and source.id})
    user = context["user"]
    given = source_preview_rules.validate_input(user, data_dict, source)
    source_preview_rules.check_rate(user)
    source_previews.stop_tests(user)
    source_previews.forget_tests(user)
    return start_preview(source_previews.add(user, **given), context, at_front=True)


def ukharvest_dry_run_create(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Start a dry run: read a saved source and compare it with the portal, saving nothing.

    For users who may update the source. It takes at most ten minutes. While a dry run of the
    source is under way this returns that one. A user can have one dry run under way, a portal
    three.

    :param source_id: id or name of the harvest source
    :type source_id: string

    :returns: as :py:func:`ukharvest_source_preview_show`
    :rtype: dictionary
    """
    source = source_of(data_dict)
    tk.check_access("ukharvest_dry_run_create", context, {"source_id": source.id})
    if source.type not in config.our_type_names():
        message = tk._("Sources of this type cannot be tested. Start a run to see their records.")
        raise tk.ValidationError({"source_id": [message]})
    place = {"source_id": source.id, "source_type": source.type, "url": source.url}
    if under_way := source_previews.check_under_way(**place):
        return show_preview(under_way, context)
    user = context["user"]
    source_preview_rules.check_rate(user)
    source_preview_rules.check_queue(user)
    source_previews.forget_checks(**place)
    added = source_previews.add(user, config=source.config or "", **place)
    return start_preview(added, context, at_front=False)


@tk.side_effect_free
def ukharvest_source_preview_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show progress and result of a source preview or a dry run. They are stored for a day.

    A preview of an unsaved source is shown to the user who started it, others to users who may
    update the source.

    :param id: id of the preview or the dry run (optional)
    :type id: string
    :param source_id: instead of ``id``: id or name of a saved source, for its latest dry run
        (optional)
    :type source_id: string

    :returns: ``id``, ``source_id`` (None for an unsaved source), ``source_type``,
        ``type_label``, ``url``, ``is_move`` (the dry run of a move to that URL and type),
        ``created``, ``finished``, ``state`` ("waiting", "running", "done" or "stopped"),
        ``stage``, ``done`` (number of records read), ``heading`` and ``text`` (sentences), while
        it waits ``workers``, ``before`` (jobs before it in the queue), ``running`` (what the
        workers are busy with: "links", "person" (a test of another person), "other" or "") and
        ``seconds`` in which it begins at the latest, or None,
        and when it is done ``result``: ``verdict`` ("yes", "problems", "no" or "unfinished"),
        ``over`` (why it ended before the end of the source: "time", "size",
        "enough", "stopped", "worker" or "queue" (no jobs worker), "fault"), ``count`` of records
        and ``count_is_exact``, ``read``, ``complete`` and ``reason``, ``seconds``,
        ``estimate_seconds`` of a first run, ``fates`` and ``changes`` ({word: number}),
        ``datasets`` (number of the source's datasets here), ``takes_over`` (number of datasets
        here that a first run would adopt), ``sample`` of records,
        ``problems`` [{``code``, ``title``, ``tip``, ``severity``, ``records``,
        ``occurrences``, ``examples``}], ``error`` {``code``, ``title``, ``message``, ``tip``,
        ``url``, ``line``} or None, ``detected_type`` and ``suggested_url`` to use instead,
        ``move`` of such a dry run: ``datasets``, ``same``, ``moved``, ``added``, ``missing``
        (numbers of datasets and records), ``missing_datasets`` [{``guid``, ``title``, ``name``}]
        (the first 20), ``few_match``, ``refusal`` (why it cannot be moved, or "") and
        ``dropped`` (names of options that the new type does not have), else None;
        ``lookup`` (if no type was given: ``source_type``, ``url``, ``how`` it was found, and
        ``site_title``), ``held``: what the records have, for filters [{``name``, ``label``,
        ``include`` and ``exclude`` (options that take the values), ``prefix`` (before each value
        there), ``of`` (number of records), ``values`` [{``value``, ``title``, ``records``,
        ``choice`` ("only", "without" or "")}]}], ``asked``: requests and their responses,
        ``excerpt`` of the last, and ``is_inside``: a response came from the portal's own network
        (then only sysadmins get size, type and excerpt). Beside a result with ``lookup`` are
        ``proposals`` [{``name``, ``label``, ``value``, ``text``, ``reason``}] and ``form_values``
        for the form of a source.
    :rtype: dictionary
    """
    if data_dict.get("source_id") and not data_dict.get("id"):
        source = source_of(data_dict)
        tk.check_access("ukharvest_dry_run_create", context, {"source_id": source.id})
        preview = source_previews.latest_check(source.id, source_type=source.type, url=source.url)
        if preview is None:
            raise tk.ObjectNotFound(
                tk._("There has been no dry run of this source since yesterday.")
            )
        return show_preview(preview, context)
    return show_preview(_found(context, data_dict, "ukharvest_source_preview_show"), context)


def ukharvest_source_preview_stop(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Stop a source preview or a dry run; its result so far is kept.

    For the same users as :py:func:`ukharvest_source_preview_show`.

    :param id: id of the preview or the dry run
    :type id: string

    :returns: as :py:func:`ukharvest_source_preview_show`
    :rtype: dictionary
    """
    preview = _found(context, data_dict, "ukharvest_source_preview_stop")
    source_previews.stop(preview.id)
    return show_preview(source_previews.get(preview.id) or preview, context)


def _found(context: Any, data_dict: dict[str, Any], auth: str) -> SourcePreview:
    preview = source_previews.get(str(tk.get_or_bust(data_dict, "id")))
    if preview is None or preview.given is not None:  # a check is no preview
        raise tk.ObjectNotFound(tk._("This test does not exist. Tests are kept for a day."))
    tk.check_access(auth, context, {"preview": preview})
    return preview


def start_preview(
    preview: SourcePreview,
    context: Any,
    *,
    at_front: bool,
    job: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Queue a preview and return it as ``ukharvest_source_preview_show`` does."""
    with stopped_without_queue(preview.id):
        is_dry_run = preview.source_id is not None
        seconds = DRY_RUN_BUDGET.seconds if is_dry_run else source_preview.TEST_SECONDS
        source_preview.enqueue(preview.id, at_front=at_front, seconds=seconds, job=job)
    return show_preview(preview, context)


def show_preview(preview: SourcePreview, context: Any) -> dict[str, Any]:
    """Return a preview as ``ukharvest_source_preview_show`` does."""
    is_check = preview.source_id is not None
    shown = describe_progress(preview, sees_inside=authz.is_sysadmin(context.get("user")))
    state, result = shown["state"], shown["result"]
    shown["source_id"] = preview.source_id
    shown["is_move"] = is_check and source_moves.is_move(preview)
    shown["type_label"] = type_label(preview.source_type) if preview.source_type else ""
    shown["heading"] = words.heading(state, result, is_check=is_check)
    if not preview.source_type or (result and result["lookup"]):
        shown["heading"] = words.lookup_heading(state, result, shown["type_label"])
    if state in source_previews.UNDER_WAY:
        most = 0 if is_check else source_preview.BUDGET.records
        shown["text"] = [
            words.progress(state, preview.stage, preview.done, most=most, position=shown)
        ]
    else:
        shown["text"] = words.sentences(result, is_check=is_check) if result else []
        shown["proposals"], shown["form_values"] = describe_proposals(context, result or {})
    if shown["is_move"] and result and result["move"]:
        shown["text"] += move_words.sentences(result["move"])
        result["move"] = source_moves.summary(preview, result["move"])
    return shown
