"""The origin of a harvested dataset and its changes, as dicts for pages and actions."""

from __future__ import annotations

import contextlib
import functools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ckan.plugins import toolkit as tk

from ckanext.ukharvest import config, fields
from ckanext.ukharvest.core.dataset_changes import DATASET, RESOURCES
from ckanext.ukharvest.core.options import parse_options
from ckanext.ukharvest.core.outcomes import RecordOutcome, RecordState
from ckanext.ukharvest.core.records import HARVEST_EXTRAS, extra_values, without_harvest_extras
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.datasets import model as dataset_model
from ckanext.ukharvest.datasets.model import Origin
from ckanext.ukharvest.harvest.identity import routes
from ckanext.ukharvest.harvest.sources import schedules
from ckanext.ukharvest.lib.lookups import TYPE, once
from ckanext.ukharvest.lib.permissions import is_insider, may, may_see_source
from ckanext.ukharvest.lib.source_secrets import source_url
from ckanext.ukharvest.rendering.fields import LABELS, OF_CKAN, OF_RESOURCE, find_field
from ckanext.ukharvest.rendering.values import Portal, label_for_key

CURRENT, MISSING, HELD, KEPT = "current", "missing", "held", "kept"
OFF, SOURCE_DELETED = "off", "source_deleted"

# Kept at each import, whatever the source says: see mapping/kept_fields.py and themes.
_ALWAYS_KEPT = ("theme-primary", "groups")


def describe_origin(context: Any, package: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of ``ukharvest_dataset_show`` for a dataset that the user may read."""
    origin = dataset_model.origin_of_dataset(str(package["id"]))
    if origin is None and not ukharvest_is_harvested(package):
        return {"harvested_by_source": False}
    may_see_errors = origin is not None and may_edit_dataset_or_source(
        context, package["id"], origin.source_id
    )
    failed = origin is not None and origin.state == RecordState.LOST
    return {
        "harvested_by_source": True,
        "metadata_date": fact(package, "metadata-date"),
        "reference": fact(package, "harvest_source_reference"),
        **(_of_origin(context, origin, package["id"]) if origin else _of_no_origin(package)),
        "problems_count": origin.problems if origin and may_see_errors else None,
        "error": origin.error if origin and failed and may_see_errors else None,
    }


def _of_no_origin(package: Mapping[str, Any]) -> dict[str, Any]:
    """Describe a dataset whose source is no longer in the database."""
    nothing = ("source", "record_id", "harvested", "checked", "next_run")
    return {
        **dict.fromkeys((*nothing, "edited_since", "runs_left")),
        "guid": fact(package, "guid"),
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
    is_edited = origin.written and origin.changed and origin.changed > origin.written
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
        "harvest_url": source_url(context, origin.source_id, url),
        "harvested": iso(origin.harvested),
        "checked": iso(origin.checked or origin.harvested),
        "unchanged": origin.is_news is False and not origin.error and not missed,
        "next_run": iso(schedules.next_start(origin, schedules.schedule_of(origin.schedule)))
        if origin.is_switched_on
        else None,
        "state": state,
        "missed_runs": missed,
        "runs_left": max(1, config.delete_after_runs() - missed) if state == MISSING else None,
        "kept_fields": [{"field": key, "label": label(key)} for key in _kept(origin)],
        "supplied_fields": _supplied(origin.supplied_fields),
        "edited_since": iso(origin.changed) if is_edited else None,
        # Other sources that list it too, as far as the user may see them.
        "also_in": [
            {"id": listing.source_id, "name": listing.name, "title": listing.title}
            for listing in (routes.other_listings(package_id) if origin.is_listed_twice else ())
            if may_see_source(
                context, listing.source_id, is_private=listing.is_private, state=listing.state
            )
        ],
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


def _state(origin: Origin) -> str:
    if origin.state == RecordState.KEPT:
        return KEPT
    if not origin.is_switched_on:
        return OFF
    if origin.state in (RecordState.MISSING, RecordState.HELD):
        return str(origin.state)
    return CURRENT


def _source(origin: Origin) -> dict[str, Any]:
    organization = {"name": origin.organization_name, "title": origin.organization_title}
    return {
        "id": origin.source_id,
        "name": origin.source_name,
        "title": origin.source_title,
        "organization": organization if origin.organization_name else None,
    }


def _kept(origin: Origin) -> list[str]:
    own = parse_options(origin.config).get("not_overwrite")
    named = [str(name) for name in own] if isinstance(own, list) else []
    return list(dict.fromkeys([*_ALWAYS_KEPT, *named, *sorted(config.not_overwrite_fields())]))


def may_edit_dataset_or_source(context: Any, package_id: str, source_id: str | None) -> bool:
    """Tell whether the user may edit a dataset or its source; no query for anonymous users."""
    if not context.get("user") and not context.get("ignore_auth"):
        return False
    is_editor = may(context, "package_update", id=package_id)
    return is_editor or (source_id is not None and is_insider(context, source_id))


_ORDER = {key: number for number, key in enumerate([*OF_CKAN, *LABELS])}


def place(key: str, of: str) -> tuple[bool, str, int]:
    """Return a sort key for fields: those of the dataset come first, as on its page."""
    return of != DATASET or key == RESOURCES, of, _ORDER.get(key, len(_ORDER))


def label(key: str, of: str = DATASET) -> str:
    """Return a field's label in the reader's language.

    Args:
        of: DATASET, or the name of a resource.
    """
    own = (OF_CKAN if of == DATASET else OF_RESOURCE).get(key) or find_field(key)
    return str(tk._(own.label)) if own.label else label_for_key(key)


def describe_change(change: Any, *, with_contacts: bool) -> dict[str, Any]:
    """Return a change as actions return it.

    Args:
        with_contacts: include names and addresses of people, which the dataset may no longer have.
    """
    hidden = tk.aslist(tk.config.get("package_hide_extras") or "")
    nothing = {"old": "", "new": ""}
    fields = [
        {
            **field,
            **(nothing if find_field(field["field"]).is_contact and not with_contacts else {}),
            "label": label(field["field"], field["of"]),
        }
        for field in change.fields
        if "field" in field and field["field"] not in hidden
    ]
    return {
        "date": iso(change.created),
        "job_id": change.job_id,
        "kind": change.kind,
        "fields": sorted(fields, key=lambda field: place(field["field"], field["of"])),
        "more": sum(int(field["more"]) for field in change.fields if "more" in field),
    }


def is_shown_by_api(action: str) -> bool:
    """Tell whether the request that is answered is the API's, for this action.

    Not so if another action, a page or the search index reads a dataset: what they get may be
    stored or compared.
    """
    if tk.get_endpoint() != ("api", "action"):
        return False
    return (tk.request.view_args or {}).get("logic_function") == action


def add_computed(context: Any, packages: Iterable[dict[str, Any]]) -> None:
    """Add the extras to datasets, in place of stored ones; one statement.

    Only to harvested datasets whose source is still in the database.
    """
    datasets = {str(package["id"]): package for package in packages if package.get("type") != TYPE}
    visible: dict[str, bool] = {}
    for package_id, origin in dataset_model.origins_of_datasets(datasets).items():
        if origin.source_id not in visible:
            # No query for public sources.
            visible[origin.source_id] = not origin.is_private or may_see_source(
                context, origin.source_id, is_private=True, state=origin.source_state
            )
        package, values = datasets[package_id], _computed(origin, visible[origin.source_id])
        extras = [{"key": key, "value": value} for key, value in values if value]
        package["extras"] = without_harvest_extras(package.get("extras") or ()) + extras


def _computed(origin: Origin, is_source_visible: bool) -> Iterator[tuple[str, str | None]]:
    domain, record, source, updated = HARVEST_EXTRAS
    # The URL of a private source is for those who may see it.
    if is_source_visible:
        yield domain, _host(origin.source_url)
        yield source, origin.source_id
    yield record, origin.guid
    # A run that could not import the record has seen it too, but not updated the dataset.
    is_confirmed = origin.checked and origin.outcome != RecordOutcome.ERRORED
    yield updated, iso(origin.checked if is_confirmed else origin.harvested)


def _host(url: str) -> str | None:
    with contextlib.suppress(ValueError):
        return urlsplit(url).hostname
    return None


_T = TypeVar("_T")

DATASET_KEYS = frozenset(field.key for field in fields.FIELDS if field.of == fields.DATASET)


def portal() -> Portal:
    """Return the portal's functions for rendering values: translation, search URLs, language."""
    return Portal(tk._, search_url, tk.h.lang() or "en")


def search_url(field: str, value: str) -> str:
    """Return the URL of a dataset search for a value of an index field."""
    return str(tk.h.url_for("dataset.search", **{field: value}))


def facts_of(package: Mapping[str, Any]) -> dict[str, str]:
    """Return a dataset's extras, and our fields at its top level, as key → text.

    Leaves out the fields in ``package_hide_extras``.
    """
    hidden = tk.aslist(tk.config.get("package_hide_extras") or "")
    top = {  # the portal's own schema can have numbers and lists
        key: value if find_field(key).render or isinstance(value, str) else json.dumps(value)
        for key in DATASET_KEYS - set(hidden)
        if (value := package.get(key))
    }
    extras = {key: str(value) for key, value in tk.h.sorted_extras(package.get("extras") or ())}
    return fields.with_stand_ins({**top, **extras})


def ukharvest_is_harvested(package: Mapping[str, Any]) -> bool:
    """Tell whether a dataset was harvested, without a database query."""
    return fact(package, "import_source") == "harvest"


def fact(package: Mapping[str, Any], key: str) -> str:
    """Return the value of a top-level field, or of the extra of that name; "" for none."""
    extras = extra_values(package)
    return str(package.get(key) or extras.get(key) or "")


def once_per_page(
    function: Callable[[Mapping[str, Any]], _T],
) -> Callable[[Mapping[str, Any]], _T]:
    """Call a function of a dataset ``once`` while a page is made; each time for one without id."""

    @functools.wraps(function)
    def cached(package: Mapping[str, Any]) -> _T:
        key = (function.__name__, package.get("id"))
        return once(key, lambda: function(package)) if key[1] else function(package)

    return cached
