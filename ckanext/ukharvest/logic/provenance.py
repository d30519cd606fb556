"""The origin of a harvested dataset and its changes, as dicts for pages and actions."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest import config
from ckanext.ukharvest.core.dataset_changes import DATASET, RESOURCES
from ckanext.ukharvest.core.outcomes import RecordState
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.logic.permissions import may
from ckanext.ukharvest.logic.sources import is_insider, may_see_source
from ckanext.ukharvest.model import changes, handed_on, provenance
from ckanext.ukharvest.model.provenance import Origin
from ckanext.ukharvest.operations.sweeper import schedules
from ckanext.ukharvest.presentation.messages.changes import (
    OF_RESOURCE,
    is_contact,
    label,
    place,
)

CURRENT, MISSING, HELD, KEPT = "current", "missing", "held", "kept"
OFF, SOURCE_DELETED = "off", "source_deleted"

# Kept at each import, whatever the source says: see mapping/kept_fields.py and themes.
_ALWAYS_KEPT = ("theme-primary", "groups")


def describe_origin(context: Any, package: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of ``ukharvest_dataset_show`` for a dataset that the user may read."""
    origin = provenance.of_dataset(str(package["id"]))
    facts = _facts(package)
    if origin is None and facts.get("import_source") != "harvest":
        return {"harvested_by_source": False}
    may_see_errors = origin is not None and may_edit_dataset_or_source(
        context, package["id"], origin.source_id
    )
    failed = origin is not None and origin.state == RecordState.LOST
    return {
        "harvested_by_source": True,
        "metadata_date": facts.get("metadata-date", ""),
        "reference": facts.get("harvest_source_reference", ""),
        **(_of_origin(context, origin, package["id"]) if origin else _of_no_origin(facts)),
        "problems_count": origin.problems if origin and may_see_errors else None,
        "error": origin.error if origin and failed and may_see_errors else None,
    }


def _of_no_origin(facts: Mapping[str, str]) -> dict[str, Any]:
    """Describe a dataset whose source is no longer in the database."""
    nothing = ("source", "record_id", "harvested", "checked", "next_run")
    return {
        **dict.fromkeys((*nothing, "edited_since", "runs_left")),
        "guid": facts.get("guid", ""),
        "harvest_url": "",
        "unchanged": False,
        "state": SOURCE_DELETED,
        "missed_runs": 0,
        "kept_fields": [],
        "supplied_fields": None,
        "also_in": [],
    }


def _of_origin(context: Any, origin: Origin, package_id: str) -> dict[str, Any]:
    state = _state(origin)
    missed = origin.missed_runs or 0
    is_open = may_see_source(
        context, origin.source_id, is_private=origin.is_private, state=origin.source_state
    )
    # Also of a source that is switched off: the dataset was made from this URL.
    url = "" if origin.is_private and not is_open else origin.record_url or origin.source_url
    return {
        "source": _source(origin) if is_open else None,
        "record_id": origin.record_id,
        "guid": origin.guid or "",
        "harvest_url": url,
        "harvested": iso(origin.harvested),
        "checked": iso(origin.checked or origin.harvested),
        "unchanged": origin.is_news is False and not origin.error and not missed,
        "next_run": _next_run(origin),
        "state": state,
        "missed_runs": missed,
        "runs_left": max(1, config.delete_after_runs() - missed) if state == MISSING else None,
        "kept_fields": [{"field": key, "label": label(key)} for key in _kept(origin)],
        "supplied_fields": _supplied(origin.supplied_fields),
        "edited_since": _edited(origin),
        "also_in": _also_in(context, package_id) if origin.is_listed_twice else [],
    }


def _supplied(stored: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return the fields that the last import got from the source, with labels; None if unknown."""
    if stored is None:
        return None
    order = {key: number for number, key in enumerate(OF_RESOURCE)}
    fields = sorted(stored["dataset"], key=lambda key: place(key, DATASET))
    return {
        "dataset": [{"field": key, "label": label(key)} for key in fields],
        "resources": {
            id_: [
                {"field": key, "label": label(key, RESOURCES)}
                for key in sorted(keys, key=lambda key: order.get(key, len(order)))
            ]
            for id_, keys in stored["resources"].items()
        },
    }


def _also_in(context: Any, package_id: str) -> list[dict[str, Any]]:
    """Return the other sources that list a dataset, as far as the user may see them."""
    return [
        {"id": each.source_id, "name": each.name, "title": each.title}
        for each in handed_on.listings(package_id)
        if may_see_source(context, each.source_id, is_private=each.is_private, state=each.state)
    ]


def _state(origin: Origin) -> str:
    if origin.state == RecordState.KEPT:
        return KEPT
    if not origin.is_running:
        return OFF
    if origin.state == RecordState.MISSING:
        return HELD if origin.is_held else MISSING
    return CURRENT


def _source(origin: Origin) -> dict[str, Any]:
    organization = {"name": origin.organization_name, "title": origin.organization_title}
    return {
        "id": origin.source_id,
        "name": origin.source_name,
        "title": origin.source_title,
        "organization": organization if origin.organization_name else None,
    }


def _next_run(origin: Origin) -> str | None:
    if not origin.is_running:
        return None
    return iso(schedules.next_start(origin, schedules.plan_of(origin.schedule)))


def _kept(origin: Origin) -> list[str]:
    options: Any = None
    with contextlib.suppress(ValueError):
        options = json.loads(origin.config or "{}")
    own = options.get("not_overwrite") if isinstance(options, dict) else None
    named = [str(each) for each in own] if isinstance(own, list) else []
    return list(dict.fromkeys([*_ALWAYS_KEPT, *named, *sorted(config.not_overwrite_fields())]))


def _edited(origin: Origin) -> str | None:
    if not origin.written or not origin.changed or origin.changed <= origin.written:
        return None
    return iso(origin.changed)


def _facts(package: Mapping[str, Any]) -> dict[str, str]:
    extras = {each["key"]: str(each["value"]) for each in package.get("extras") or ()}
    top = {key: value for key, value in package.items() if isinstance(value, str)}
    return {**extras, **top}


def may_edit(context: Any, package: Mapping[str, Any]) -> bool:
    """Tell whether the user may edit a dataset."""
    return may(context, "package_update", id=package["id"])


def may_edit_dataset_or_source(context: Any, package_id: str, source_id: str | None) -> bool:
    """Tell whether the user may edit a dataset or its source; no query for anonymous users."""
    if not context.get("user") and not context.get("ignore_auth"):
        return False
    is_editor = may(context, "package_update", id=package_id)
    return is_editor or (source_id is not None and is_insider(context, source_id))


def describe_change(change: changes.Told, *, with_contacts: bool) -> dict[str, Any]:
    """Return a change as actions return it.

    Args:
        with_contacts: include names and addresses of people, which the dataset may no longer have.
    """
    hidden = tk.aslist(tk.config.get("package_hide_extras") or "")
    entries = [each for each in change.fields if "field" in each and each["field"] not in hidden]
    entries.sort(key=lambda each: place(each["field"], each["of"]))
    if not with_contacts:
        nothing = {"old": "", "new": ""}
        entries = [{**each, **(nothing if is_contact(each["field"]) else {})} for each in entries]
    more = [int(each["more"]) for each in change.fields if "more" in each]
    return {
        "date": iso(change.created),
        "job_id": change.job_id,
        "kind": change.kind,
        "fields": [{**each, "label": label(each["field"], each["of"])} for each in entries],
        "more": sum(more),
    }
