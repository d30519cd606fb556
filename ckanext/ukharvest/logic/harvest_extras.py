"""The extras ``harvest:…`` of harvested datasets: added to the API's answer, never stored."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core import harvest_extras
from ckanext.ukharvest.core.outcomes import RecordOutcome
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.logic.sources import TYPE, may_see_source
from ckanext.ukharvest.model import provenance
from ckanext.ukharvest.model.provenance import Origin


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
    datasets = {str(each["id"]): each for each in packages if each.get("type") != TYPE}
    visible: dict[str, bool] = {}
    for package_id, origin in provenance.of_datasets(datasets).items():
        if origin.source_id not in visible:
            # No query for public sources.
            visible[origin.source_id] = not origin.is_private or may_see_source(
                context, origin.source_id, is_private=True, state=origin.source_state
            )
        package, values = datasets[package_id], _computed(origin, visible[origin.source_id])
        extras = [{"key": key, "value": value} for key, value in values if value]
        package["extras"] = harvest_extras.leave_out(package.get("extras") or ()) + extras


def _computed(origin: Origin, is_source_visible: bool) -> Iterator[tuple[str, str | None]]:
    # The URL of a private source is for those who may see it.
    if is_source_visible:
        yield harvest_extras.DOMAIN, _host(origin.source_url)
        yield harvest_extras.SOURCE_ID, origin.source_id
    yield harvest_extras.REMOTE_ID, origin.guid
    yield harvest_extras.LAST_UPDATE, _last_update(origin)


def _host(url: str) -> str | None:
    with contextlib.suppress(ValueError):
        return urlsplit(url).hostname
    return None


def _last_update(origin: Origin) -> str | None:
    """Return when a run last imported the record or found it unchanged.

    A run that could not import it has seen it too, but not updated the dataset.
    """
    is_confirmed = origin.outcome != RecordOutcome.ERRORED
    return iso(origin.checked if is_confirmed and origin.checked else origin.harvested)
