"""Source previews, dry runs and checks as actions return them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import ckan.plugins.toolkit as tk
from ckan import authz
from redis.exceptions import RedisError

from ckanext.ukharvest.core.outcomes import PreviewKind
from ckanext.ukharvest.core.problems.texts import LOST, PROBLEM, STOP
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.engine.jobs import source_preview
from ckanext.ukharvest.logic import source_moves
from ckanext.ukharvest.logic.source_proposals import describe_proposals
from ckanext.ukharvest.logic.source_state import type_label
from ckanext.ukharvest.model import SourcePreview, source_previews
from ckanext.ukharvest.model.source_moves import is_move
from ckanext.ukharvest.presentation.messages import data_checks
from ckanext.ukharvest.presentation.messages import source_moves as move_words
from ckanext.ukharvest.presentation.messages import source_previews as words
from ckanext.ukharvest.presentation.messages.problems import describe_problem
from ckanext.ukharvest.reading.source_preview import failed
from ckanext.ukharvest.reading.type_detection import DATA


@contextmanager
def stopped_without_queue(preview_id: str) -> Iterator[None]:
    """Stop the preview and raise ValidationError if its job cannot be queued."""
    try:
        yield
    except RedisError as exc:
        source_previews.stop(preview_id)
        message = tk._("The queue of background jobs does not answer. Tell a sysadmin.")
        raise tk.ValidationError({"test": [message]}) from exc


def kind_of(preview: SourcePreview) -> PreviewKind:
    """Return what a preview is of."""
    if preview.given is not None:
        return PreviewKind.CHECK
    if preview.source_id is not None:
        return PreviewKind.MOVE if is_move(preview) else PreviewKind.DRY_RUN
    is_lookup = not preview.source_type or (preview.result or {}).get("lookup")
    return PreviewKind.LOOKUP if is_lookup else PreviewKind.TEST


def show_preview(preview: SourcePreview, context: Any) -> dict[str, Any]:
    """Return a preview as ``ukharvest_source_preview_show`` does."""
    kind, name = kind_of(preview), preview.source_type
    sees_inside = authz.is_sysadmin(context.get("user"))
    shown = {"kind": kind.value, **_progress(preview, sees_inside=sees_inside)}
    state, result = shown["state"], shown["result"]
    label = type_label(name) if name not in ("", DATA) else ""
    shown["type_label"] = words.checked_label(name, label) if kind == PreviewKind.CHECK else label
    if kind == PreviewKind.CHECK:
        shown |= {key: preview.given[key] for key in ("way", "name", "schema")}
    shown["heading"] = words.heading(kind, state, result, label)
    if state in source_previews.UNDER_WAY:
        most = 0 if preview.source_id else source_preview.BUDGET.records
        now = words.progress(state, preview.stage, preview.done, most=most, position=shown)
        return {**shown, "text": [now]}
    shown["text"] = words.sentences(kind, result)
    shown["proposals"], shown["form_values"] = describe_proposals(context, result or {})
    if kind == PreviewKind.MOVE and result and result["move"]:
        shown["text"] += move_words.sentences(result["move"])
        result["move"] = source_moves.summary(preview, result["move"])
    return shown


def _progress(preview: SourcePreview, *, sees_inside: bool) -> dict[str, Any]:
    """Return state, progress and result, with texts of its problems.

    Args:
        sees_inside: the user may see what servers of the portal's own network answered.
    """
    state, result, finished = preview.state, preview.result, preview.finished
    if source_previews.is_lost(preview):
        over = "worker" if state == source_previews.RUNNING else "queue"
        state, result = source_previews.DONE, failed(None, over=over)
        finished = preview.heartbeat or preview.created
    shown = {
        "id": preview.id,
        "source_id": preview.source_id,
        "source_type": preview.source_type,
        "url": preview.url,
        "config": preview.config,
        "created": iso(preview.created),
        "finished": iso(finished),
        "expires": iso(source_previews.expiry(preview)),
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
    if report := result["report"]:
        found["report"] = {**report, "summary": data_checks.summarise(SimpleNamespace(**report))}
    if result["is_inside"] and not sees_inside:
        found["excerpt"] = ""
        found["asked"] = [{**each, "media_type": "", "size": 0} for each in found["asked"]]
    return found


def _of(problem: dict[str, Any]) -> dict[str, str]:
    severity = problem["severity"]
    consequence = severity if severity in (STOP, LOST) else PROBLEM
    said = describe_problem(problem["code"], consequence, problem.get("field", ""))
    return {"title": said.title, "tip": " ".join(filter(None, (said.wanted, said.tip)))}
