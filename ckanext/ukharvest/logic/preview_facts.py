"""Source previews, dry runs and checks as actions return them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ckan.plugins.toolkit as tk
from redis.exceptions import RedisError

from ckanext.ukharvest.core.problems.texts import LOST, PROBLEM, STOP
from ckanext.ukharvest.core.values.iso_time import iso
from ckanext.ukharvest.engine.jobs import source_preview
from ckanext.ukharvest.logic.source_state import type_label
from ckanext.ukharvest.model import SourcePreview, source_previews
from ckanext.ukharvest.presentation.messages import source_previews as words
from ckanext.ukharvest.presentation.messages.problems import describe_problem
from ckanext.ukharvest.reading.source_preview import failed


@contextmanager
def stopped_without_queue(preview_id: str) -> Iterator[None]:
    """Stop the preview and raise ValidationError if its job cannot be queued."""
    try:
        yield
    except RedisError as exc:
        source_previews.stop(preview_id)
        message = tk._("The queue of background jobs does not answer. Tell a sysadmin.")
        raise tk.ValidationError({"test": [message]}) from exc


def describe_progress(preview: SourcePreview, *, sees_inside: bool) -> dict[str, Any]:
    """Return state, progress and result, with texts of its problems.

    Args:
        preview: a preview, dry run or check.
        sees_inside: the user may see what servers of the portal's own network answered.
    """
    state, result, finished = preview.state, preview.result, preview.finished
    if source_previews.is_lost(preview):
        over = "worker" if state == source_previews.RUNNING else "queue"
        state, result = source_previews.DONE, failed(None, over=over)
        finished = preview.heartbeat or preview.created
    shown = {
        "id": preview.id,
        "source_type": preview.source_type,
        "url": preview.url,
        "created": iso(preview.created),
        "finished": iso(finished),
        "state": state,
        "stage": preview.stage,
        "done": preview.done,
        "result": result and _with_texts(result, sees_inside=sees_inside),
    }
    if state == source_previews.WAITING:
        shown |= source_preview.position_of(preview.id)
    return shown


def _with_texts(result: dict[str, Any], *, sees_inside: bool) -> dict[str, Any]:
    """Add texts in the user's language; remove what only sysadmins may see."""
    found = {**result, "problems": [{**each, **_of(each)} for each in result["problems"]]}
    if error := result["error"]:
        found["error"] = {**error, **_of({**error, "severity": STOP})}
    found["held"] = [{**each, "label": words.held_label(each["name"])} for each in result["held"]]
    if result["detected_type"]:
        found["detected_label"] = type_label(result["detected_type"])
    if result["is_inside"] and not sees_inside:
        found["excerpt"] = ""
        found["asked"] = [{**each, "media_type": "", "size": 0} for each in found["asked"]]
    return found


def _of(problem: dict[str, Any]) -> dict[str, str]:
    severity = problem["severity"]
    consequence = severity if severity in (STOP, LOST) else PROBLEM
    said = describe_problem(problem["code"], consequence, problem.get("field", ""))
    return {"title": said.title, "tip": " ".join(filter(None, (said.wanted, said.tip)))}
