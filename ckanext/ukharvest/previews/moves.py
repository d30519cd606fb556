"""Rules of testing a saved source, and of moving it to another URL."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ckan.plugins import toolkit as tk
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.core.options import parse_options
from ckanext.ukharvest.core.outcomes import PreviewState
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.harvest.gather import previews as source_previews
from ckanext.ukharvest.harvest.gather.previews import SourcePreview
from ckanext.ukharvest.harvest.sources import source_moves
from ckanext.ukharvest.lib.lookups import RUN_FIRST, find_unended_run
from ckanext.ukharvest.lib.schema import invalid
from ckanext.ukharvest.previews import rules as preview_rules
from ckanext.ukharvest.sources import rules as source_rules

# That a move is done, and why one needs a confirmation; English.
MOVED = _("The new URL is saved. Start a run to harvest it.")
FEW_MATCH = _(
    "Fewer than half of the datasets are at the new URL. After the move, runs add the records "
    "there as new datasets, and the datasets that are not there go missing."
)


LISTED = 20  # datasets that are not at the new URL


def add_dry_run(
    user: str, source: HarvestSource, data_dict: Mapping[str, Any]
) -> tuple[SourcePreview, bool]:
    """Return a test of a saved source, and whether it is new: the same one under way is returned.

    Args:
        user: name of the user who asks for it.
        data_dict: nothing of these for the source as it is; else ``url`` and, if they change,
            ``source_type`` and ``config``.

    Raises:
        ValidationError: the source could not be saved so, or too many are under way.
    """
    if source.type not in config.our_type_names():
        raise invalid("source_id", tk._(preview_rules.CANNOT_BE_TESTED))
    place = {"source_type": source.type, "url": source.url, "config": source.config or ""}
    if changes := {key: str(data_dict[key] or "").strip() for key in place if key in data_dict}:
        place = _check_place(user, source, {**place, "url": "", **changes})
    where = {"source_id": source.id, "source_type": place["source_type"], "url": place["url"]}
    if under_way := source_previews.dry_run_under_way(**where, config=place["config"]):
        return under_way, False
    preview_rules.check_limits(user, of_saved=True)
    source_previews.delete_dry_runs(**where)
    return source_previews.add_source_test(user, source, **place), True


def _check_place(user: str, source: HarvestSource, place: dict[str, str]) -> dict[str, str]:
    """Return another place of a source, with the options that its type there has.

    Raises:
        ValidationError: the source could not be saved so.
    """
    url, name = place["url"], place["source_type"] or source.type
    is_same = source_rules.comparable_url(url) == source_rules.comparable_url(source.url)
    if is_same and name == source.type:
        raise invalid("url", tk._("The source has this URL already."))
    text, kind = place["config"], source_types.find(name)
    if kind and name != source.type:
        stored = parse_options(text)
        names = {option.name for option in kind.for_options(stored).all_options}
        options = {key: value for key, value in stored.items() if key in names}
        text = json.dumps(options, indent=2) if options else ""
    own = {"source_type": name, "url": url, "config": text}
    columns = preview_rules.validate(user, own, source)
    checked = {key: columns[key] for key in own}
    if message := source_rules.find_faults(source, checked).get("url"):
        raise invalid("url", message)
    return checked


def summary(preview: SourcePreview) -> dict[str, Any]:
    """Return what was found at a new URL as ``ukharvest_source_preview_show`` returns it."""
    move = preview.result["move"]
    return {
        **{key: move[key] for key in ("datasets", "same", "moved", "added", "dropped")},
        "missing": len(move["missing"]),
        "missing_datasets": list_missing(preview, LISTED),
        "few_match": few_records_match(move),
        "refusal": refusal(preview),
    }


def list_missing(preview: SourcePreview, most: int | None = None) -> list[dict[str, str]]:
    """Return ``guid``, ``title`` and ``name`` of datasets that are not at the new URL."""
    move = (preview.result or {}).get("move") or {"missing": ()}
    return source_moves.records_by_id(preview.source_id, move["missing"][:most])


def few_records_match(move: Mapping[str, Any]) -> bool:
    """Tell whether fewer than half of the datasets are at the new URL."""
    return bool((move["same"] + move["moved"]) * 2 < move["datasets"])


def refusal(preview: SourcePreview) -> str:
    """Return why a source cannot be moved after this dry run, "" if it can."""
    result = preview.result or {}
    move, source = result.get("move"), HarvestSource.get(preview.source_id)
    if (
        preview.state != PreviewState.DONE
        or not move
        or result["over"]
        or result["error"]
        or not (result["read"] or move["same"] or move["moved"])
    ):
        return str(tk._("The test has not read the records at the new URL. Test it again."))
    if source_previews.has_changed(preview, source):
        return str(tk._("The source has changed since. Test the new URL again."))
    return ""


def refuse(preview: SourcePreview, *, even_if_few_match: bool) -> None:
    """Raise ValidationError if a source cannot be moved, or not without a confirmation.

    The caller has locked the source, so that no run starts until its transaction ends.
    """
    if message := refusal(preview):
        raise invalid("source_id", message)
    if find_unended_run(preview.source_id):
        raise invalid("source_id", tk._(RUN_FIRST))
    if few_records_match(preview.result["move"]) and not even_if_few_match:
        raise invalid("even_if_few_match", str(tk._(FEW_MATCH)))
