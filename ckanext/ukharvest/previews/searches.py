"""Searches for the place that a failing source has moved to: near its URL, on the same host."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ckan import model
from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.core.outcomes import PreviewState, RunOutcome
from ckanext.ukharvest.harvest.consumers.failures import try_to_queue
from ckanext.ukharvest.harvest.gather import previews as source_previews
from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.harvest.model import SourceState
from ckanext.ukharvest.lib.lookups import source_of
from ckanext.ukharvest.lib.schema import invalid
from ckanext.ukharvest.lib.slots import Slot
from ckanext.ukharvest.lib.texts import ngettext, number
from ckanext.ukharvest.previews import jobs as preview_jobs
from ckanext.ukharvest.previews import moves as move_rules
from ckanext.ukharvest.previews import rules as preview_rules
from ckanext.ukharvest.previews import texts as preview_texts
from ckanext.ukharvest.reading.source_preview import failed
from ckanext.ukharvest.reading.type_detection import OUT_OF_REACH


def search(source: HarvestSource, *, is_watched: bool = False) -> SourcePreview:
    """Return the search near a source's URL, which begins with the first call of a day; commit.

    One that was broken off begins again if a person wants it.

    Args:
        is_watched: a person has the source's page open.

    Raises:
        ValidationError: another harvester's source.
    """
    if source.type not in config.our_type_names():
        raise invalid("source_id", tk._(preview_rules.CANNOT_BE_TESTED))
    known = source_previews.find_search(source)
    queue = preview_jobs.hurry if is_watched else preview_jobs.enqueue
    if known is None or (is_watched and _is_broken_off(known)):
        known = source_previews.add_search(source)
        if try_to_queue(partial(queue, known)) is None:
            source_previews.stop_preview(known.id)
    elif is_watched and known.state == PreviewState.WAITING:
        try_to_queue(partial(queue, known))
    return known


def search_once(source_id: str) -> None:
    """Begin a search if the source's run was the first to fail, and not for a moment; commit."""
    state = model.Session.get(SourceState, source_id, populate_existing=True)
    runs = (state and state.runs) or {}
    is_first = runs.get("outcome") == RunOutcome.FAILED and runs.get("streak") == 1
    source = HarvestSource.get(source_id) if is_first and not runs.get("passes") else None
    if source is not None and source.type in config.our_type_names():
        search(source)


RUN_ENDED = (search_once,)


def _is_broken_off(preview: SourcePreview) -> bool:
    """Tell whether a search ended before it could look, as without a queue or an answer."""
    if preview.state in source_previews.UNDER_WAY:
        return False
    result = preview.result or failed(None, over="fault")
    code = (result["error"] or {}).get("code")
    is_over = preview.state == PreviewState.STOPPED or bool(result["over"])
    return is_over or code in OUT_OF_REACH


def _text(preview: SourcePreview | None) -> str:
    """Return what a search found as a sentence, "" for nothing."""
    move = preview and preview.url and (preview.result or {}).get("move")
    if not preview or not move:
        return ""
    return ngettext(
        "Found at {url}: {found} of {n} dataset.",
        "Found at {url}: {found} of {n} datasets.",
        move["datasets"],
        url=preview.url,
        found=number(move["same"]),
        n=number(move["datasets"]),
    )


def source_failing(source: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a search near a failing source's URL found.

    Returns:
        ``text``, ``is_over``, and of a form with one button its ``url``, ``method``, ``button``
        (label, "" for none) and ``then`` (sent with it): to search, to use what was found and run,
        or else to compare it. {} for another harvester's source.
    """
    if source["source_type"] not in config.our_type_names():
        return {}
    preview = source_previews.find_search(source_of({"source_id": source["id"]}))
    none = {"text": "", "is_over": True, "url": "", "method": "get", "button": "", "then": ""}
    url = tk.h.url_for("ukharvest_source_previews.near", name=source["name"])
    to_search = {**none, "url": url, "method": "post", "button": tk._("Search near this URL")}
    if preview is None:
        return {**to_search, "is_over": False}
    if preview.state in source_previews.UNDER_WAY:
        under_way = preview_texts.progress("running", "searching", 0)
        return {**to_search, "text": under_way, "is_over": False, "button": ""}
    text = _text(preview)
    if not text and _is_broken_off(preview):
        return to_search
    if not text:
        return {**none, "text": tk._("Nothing that has these datasets was found near this URL.")}
    move, page = preview.result["move"], "ukharvest_source_previews"
    is_same = 0 < move["datasets"] == move["same"] and not move_rules.refusal(preview)
    return {
        "text": text,
        "is_over": True,
        "url": tk.h.url_for(f"{page}.move" if is_same else f"{page}.show", id=preview.id),
        "method": "post" if is_same else "get",
        "button": tk._("Use it and run") if is_same else tk._("Compare the datasets"),
        "then": "run" if is_same else "",
    }


def failure_mail(source_id: str) -> str:
    """Return what a search near a failing source's URL found, "" for nothing."""
    return _text(source_previews.find_search(source_of({"source_id": source_id})))


SLOTS = (
    Slot("source_failing", "ukharvest/snippets/near.html", source_failing),
    Slot("failure_mail", "", failure_mail),
)
