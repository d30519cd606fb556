"""Actions: start, show and stop source previews (of unsaved sources) and dry runs."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz
from redis.exceptions import RedisError

from ckanext.ukharvest import config
from ckanext.ukharvest.core.problems.texts import LOST, PROBLEM, STOP
from ckanext.ukharvest.core.values.iso_time import iso
from ckanext.ukharvest.engine.jobs import source_preview
from ckanext.ukharvest.logic import source_preview_rules
from ckanext.ukharvest.logic.source_state import type_label
from ckanext.ukharvest.logic.sources import source_of
from ckanext.ukharvest.model import SourcePreview, source_previews
from ckanext.ukharvest.presentation.messages import source_previews as words
from ckanext.ukharvest.presentation.messages.problems import describe_problem
from ckanext.ukharvest.reading.source_preview import failed


def ukharvest_source_preview_create(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Start a preview of an unsaved source: read its first records without saving anything.

    For users who may add sources, or update the source ``id``. A background job reads at most 20
    records, for at most a minute. It replaces the user's earlier preview; a user may start ten a
    minute.

    :param source_type: name of the source type, such as ``data_json``
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
    return _started(source_previews.add(user, **given), context, at_front=True)


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
    if under_way := source_previews.check_under_way(source.id):
        return _shown(under_way, context)
    user = context["user"]
    source_preview_rules.check_rate(user)
    source_preview_rules.check_queue(user)
    source_previews.forget_checks(source.id)
    added = source_previews.add(
        user,
        source_id=source.id,
        source_type=source.type,
        url=source.url,
        config=source.config or "",
    )
    return _started(added, context, at_front=False)


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
        ``type_label``, ``url``, ``created``, ``finished``, ``state`` ("waiting", "running",
        "done" or "stopped"), ``stage``, ``done`` (number of records read), ``heading`` and
        ``text`` (sentences), while it waits ``workers`` and ``before`` (jobs before it in the
        queue), and when it is done ``result``: ``verdict`` ("yes", "problems", "no" or
        "unfinished"), ``over`` (why it ended before the end of the source: "time", "size",
        "enough", "stopped", "worker" or "queue" (no jobs worker), "fault"), ``count`` of records
        and ``count_is_exact``, ``read``, ``complete`` and ``reason``, ``seconds``,
        ``estimate_seconds`` of a first run, ``fates`` and ``changes`` ({word: number}),
        ``takes_over`` (number of datasets here that a first run would adopt), ``sample`` of
        records, ``problems`` [{``code``, ``title``, ``tip``, ``severity``, ``records``,
        ``occurrences``, ``examples``}], ``error`` {``code``, ``title``, ``message``, ``tip``,
        ``url``, ``line``} or None, ``detected_type`` and ``suggested_url`` to use instead,
        ``asked``: requests and their responses, ``excerpt`` of the last, and ``is_inside``: a
        response came from the portal's own network (then only sysadmins get size, type and
        excerpt)
    :rtype: dictionary
    """
    if data_dict.get("source_id") and not data_dict.get("id"):
        source = source_of(data_dict)
        tk.check_access("ukharvest_dry_run_create", context, {"source_id": source.id})
        preview = source_previews.latest_check(source.id)
        if preview is None:
            raise tk.ObjectNotFound(
                tk._("There has been no dry run of this source since yesterday.")
            )
        return _shown(preview, context)
    return _shown(_found(context, data_dict), context)


def ukharvest_source_preview_stop(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Stop a source preview or a dry run; its result so far is kept.

    For the same users as :py:func:`ukharvest_source_preview_show`.

    :param id: id of the preview or the dry run
    :type id: string

    :returns: as :py:func:`ukharvest_source_preview_show`
    :rtype: dictionary
    """
    preview = _found(context, data_dict)
    source_previews.stop(preview.id)
    return _shown(source_previews.get(preview.id) or preview, context)


def _found(context: Any, data_dict: dict[str, Any]) -> SourcePreview:
    preview = source_previews.get(str(tk.get_or_bust(data_dict, "id")))
    if preview is None:
        raise tk.ObjectNotFound(tk._("This test does not exist. Tests are kept for a day."))
    tk.check_access("ukharvest_source_preview_show", context, {"preview": preview})
    return preview


def _started(preview: SourcePreview, context: Any, *, at_front: bool) -> dict[str, Any]:
    try:
        source_preview.enqueue(preview.id, at_front=at_front)
    except RedisError as exc:
        source_previews.stop(preview.id)
        message = tk._("The queue of background jobs does not answer. Tell a sysadmin.")
        raise tk.ValidationError({"test": [message]}) from exc
    return _shown(preview, context)


def _shown(preview: SourcePreview, context: Any) -> dict[str, Any]:
    state, result, finished = preview.state, preview.result, preview.finished
    if source_previews.is_lost(preview):
        over = "worker" if state == source_previews.RUNNING else "queue"
        state, result = source_previews.DONE, failed(None, over=over)
        finished = preview.heartbeat or preview.created
    is_check = preview.source_id is not None
    sees_inside = authz.is_sysadmin(context.get("user"))
    answer = {
        "id": preview.id,
        "source_id": preview.source_id,
        "source_type": preview.source_type,
        "type_label": type_label(preview.source_type),
        "url": preview.url,
        "created": iso(preview.created),
        "finished": iso(finished),
        "state": state,
        "stage": preview.stage,
        "done": preview.done,
        "heading": words.heading(state, result, is_check=is_check),
        "result": result and _with_texts(result, sees_inside=sees_inside),
    }
    if state in source_previews.UNDER_WAY:
        most = 0 if is_check else source_preview.BUDGET.records
        answer["text"] = [words.progress(state, preview.stage, preview.done, most=most)]
    else:
        answer["text"] = words.sentences(result, is_check=is_check) if result else []
    if state == source_previews.WAITING:
        answer |= source_preview.queue_before(preview.id)
    return answer


def _with_texts(result: dict[str, Any], *, sees_inside: bool) -> dict[str, Any]:
    """Add texts in the user's language; remove what only sysadmins may see."""
    found = {**result, "problems": [{**each, **_of(each)} for each in result["problems"]]}
    if error := result["error"]:
        found["error"] = {**error, **_of({**error, "severity": STOP})}
    if result["detected_type"]:
        found["detected_label"] = type_label(result["detected_type"])
    if result.get("is_inside") and not sees_inside:
        found["excerpt"] = ""
        found["asked"] = [{**each, "media_type": "", "size": 0} for each in found["asked"]]
    return found


def _of(problem: dict[str, Any]) -> dict[str, str]:
    severity = problem["severity"]
    consequence = severity if severity in (STOP, LOST) else PROBLEM
    # What the release before stored has no field.
    said = describe_problem(problem["code"], consequence, problem.get("field", ""))
    return {"title": said.title, "tip": " ".join(filter(None, (said.wanted, said.tip)))}
