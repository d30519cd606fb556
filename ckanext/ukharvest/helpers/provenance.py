"""Template helpers: the origin and harvest state of a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.helpers.facts import once_per_request, ukharvest_is_harvested
from ckanext.ukharvest.logic import provenance
from ckanext.ukharvest.logic.asker import context
from ckanext.ukharvest.logic.permissions import may
from ckanext.ukharvest.logic.records import problems_of
from ckanext.ukharvest.presentation.rendering.dataset_fields import TECHNICAL
from ckanext.ukharvest.presentation.rendering.source_record import form as record_form
from ckanext.ukharvest.texts import gettext


def ukharvest_provenance(package: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of ``ukharvest_dataset_show``, {} if the dataset was not harvested.

    Args:
        package: as package_show returns it to the user.
    """
    return _origin(package) if ukharvest_is_harvested(package) else {}


@once_per_request
def _origin(package: Mapping[str, Any]) -> dict[str, Any]:
    return provenance.describe_origin(context(), package)


def ukharvest_may_edit(package: dict[str, Any]) -> bool:
    """Tell whether the user may edit the dataset; no query for anonymous users."""
    return not tk.current_user.is_anonymous and may(context(), "package_update", id=package["id"])


def ukharvest_may_manage(source: dict[str, Any] | None) -> bool:
    """Tell whether the user may see the records and runs of a source."""
    if not source or tk.current_user.is_anonymous:
        return False
    return may(context(), "harvest_source_update", id=source["id"])


def ukharvest_supplied_labels(origin: dict[str, Any], resource_id: str = "") -> list[str]:
    """Return the labels of the fields that come from the source, [] if they are not known.

    Without technical fields, and those that imports do not change.

    Args:
        origin: as ``ukharvest_provenance`` returns it.
        resource_id: of a resource, "" for the dataset's fields.
    """
    supplied = origin["supplied_fields"] or {"dataset": [], "resources": {}}
    fields = supplied["resources"].get(resource_id, []) if resource_id else supplied["dataset"]
    hidden = TECHNICAL | {field["field"] for field in origin["kept_fields"]}
    labels = [field["label"] for field in fields if resource_id or field["field"] not in hidden]
    return list(dict.fromkeys(labels))


def ukharvest_record_problems(record_id: int | None) -> list[dict[str, Any]]:
    """Return the problems of a record, as ``ukharvest_record_show`` does."""
    return problems_of(record_id) if record_id else []


def ukharvest_web_url(url: str | None) -> str:
    """Return the URL if it is one that a page may link to, else ""."""
    return url if url and is_web_url(url) else ""


def ukharvest_record_form(form: str) -> str:
    """Return what a stored record's text is: the publisher's own, or made from it.

    Args:
        form: ``label`` of a form in ``presentation.rendering.source_record.form``.
    """
    made = {
        record_form.N_TRIPLES.label: tk._("Converted to N-Triples"),
        record_form.JSON.label: tk._("JSON, formatted"),
    }
    return made.get(form) or gettext("As the publisher wrote it: {form}", form=form)
