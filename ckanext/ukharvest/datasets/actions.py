"""Actions: the origin and changes of datasets, coupled services, and CKAN's own, chained."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from ckan.logic.action import create, get, update
from ckan.plugins import toolkit as tk

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.records import without_harvest_extras
from ckanext.ukharvest.core.values import gazetteer, organization_types
from ckanext.ukharvest.datasets import model as dataset_model
from ckanext.ukharvest.datasets import schema as dataset_schema
from ckanext.ukharvest.datasets import search
from ckanext.ukharvest.datasets.facts import describe_dataset
from ckanext.ukharvest.datasets.provenance import (
    describe_change,
    describe_origin,
    may_edit_dataset_or_source,
)
from ckanext.ukharvest.harvest.index import index_values
from ckanext.ukharvest.harvest.records import changes
from ckanext.ukharvest.lib import schema
from ckanext.ukharvest.lib.lookups import dataset_of
from ckanext.ukharvest.lib.schema import invalid
from ckanext.ukharvest.readers.ckan_api.package import KEY as OWN_SITE_KEY

log = logging.getLogger(__name__)

Original = Callable[[Any, dict[str, Any]], Any]
Chained = Callable[[Original, Any, dict[str, Any]], Any]


def _chained_to(stock: Callable[..., Any]) -> Callable[[Chained], Chained]:
    """Chain a function to an action of CKAN, whose documentation ``help_show`` goes on showing.

    CKAN wraps a chained action in an object that has the attributes in its ``__dict__`` alone.
    """

    def decorate(function: Chained) -> Chained:
        function.__dict__["__doc__"] = stock.__doc__
        chained: Chained = tk.chained_action(function)
        return chained

    return decorate


@_chained_to(create.package_create)
def package_create(original: Original, context: Any, data_dict: dict[str, Any]) -> Any:
    """Create a dataset, without extras that the API computes (``harvest:domain`` …)."""
    return original(context, _without_computed(data_dict))


@_chained_to(update.package_update)
def package_update(original: Original, context: Any, data_dict: dict[str, Any]) -> Any:
    """Update a dataset, without extras that the API computes (``harvest:domain`` …).

    They are in the answer of ``package_show``, which callers change and send back.
    """
    return original(context, _without_computed(data_dict))


def _without_computed(data_dict: dict[str, Any]) -> dict[str, Any]:
    extras = data_dict.get("extras")
    if not isinstance(extras, list):
        return data_dict
    own = without_harvest_extras(extras)
    return data_dict if len(own) == len(extras) else {**data_dict, "extras": own}


@tk.side_effect_free
@_chained_to(get.status_show)
def status_show(original: Original, context: Any, data_dict: dict[str, Any]) -> Any:
    """Show information about the site, with the key by which it recognises itself as a source."""
    return {**original(context, data_dict), OWN_SITE_KEY: config.own_site().key}


@_chained_to(create.organization_create)
def organization_create(original: Original, context: Any, data_dict: dict[str, Any]) -> Any:
    """Create an organisation, with what was chosen in the form's own fields as extras."""
    _store_fields(data_dict)
    return original(context, data_dict)


@_chained_to(update.organization_update)
def organization_update(original: Original, context: Any, data_dict: dict[str, Any]) -> Any:
    """Update an organisation, with what was chosen in the form's own fields as extras."""
    _store_fields(data_dict)
    return original(context, data_dict)


def _store_fields(data_dict: dict[str, Any]) -> None:
    """Move the form's fields to the extras; the form is rendered from these if there are errors."""
    for field, (key, stored) in _FORM_FIELDS.items():
        if field in data_dict:
            _store_extra(data_dict, key, stored(str(data_dict[field] or "")))
            del data_dict[field]  # not before it was accepted: the form shows it again


def _store_extra(data_dict: dict[str, Any], key: str, value: str) -> None:
    extras = data_dict.get("extras") or []
    if not isinstance(extras, list):
        return  # CKAN's own validation refuses it
    others = [
        extra for extra in extras if not (isinstance(extra, dict) and extra.get("key") == key)
    ]
    if value:
        others.append({"key": key, "value": value})
    elif data_dict.get("id") and index_values.is_stored(str(data_dict["id"]), key):
        others += compat.removal_of_group_extra(key)
    data_dict["extras"] = others


def _area_name(text: str) -> str:
    """Return the full name of the place that a text means; "" for none.

    Raises:
        ValidationError: there is no such place, or several.
    """
    match = search.read_place({search.NAME: text})
    if match.error:
        question = (tk._("Which one do you mean?"), "; ".join(match.choices))
        error = " ".join((match.error, *(question if match.choices else ())))
        raise invalid("ukharvest_organization_area", error)
    return match.name


# Fields of the organisation's form → keys of extras, and how a value is stored.
_FORM_FIELDS: dict[str, tuple[str, Callable[[str], str]]] = {
    "ukharvest_organization_type": (organization_types.KEY, organization_types.find),
    "ukharvest_organization_area": (gazetteer.AREA, _area_name),
}


@tk.side_effect_free
def ukharvest_dataset_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show origin, harvest state, theme, stars, links and coupled services of a dataset.

    These are the facts of its page; a portal without a feature lacks those of it. Times are UTC.

    For users who may read it.

    :param id: id or name of the dataset
    :type id: string

    :returns: ``theme``: as :py:func:`ukharvest_theme_suggest`, but ``theme`` and ``secondary`` are
        those of the dataset, and ``origin`` can also be ``person``: a user chose the theme here;
        ``coupled``: ``datasets`` that a service operates on, and ``services`` that operate on a
        dataset: active ones that the user may read, from any source: dicts with ``id``, ``name``
        and ``title``, sorted by title, at most 500 of each; ``references``: the names of those
        datasets in the service's record; ``is_unknown``: the search failed.
        ``stars``, if it was rated: ``stars``, ``text`` and ``basis`` of the dataset and, by id, of
        each of its ``resources``; ``links``, if any does not work: ``text``, and ``resources``:
        id → text; ``may_edit``: whether the user may edit the dataset.
        ``harvested_by_source``: false for a dataset that was not harvested, and then
        nothing else; ``source`` (``id``, ``name``, ``title``, ``organization`` with ``name`` and
        ``title``; None if it is deleted or the user may not read it), ``record_id``, ``guid``,
        ``harvest_url`` (where the record was read; "" if its source is private and the user may
        not read it), ``harvested`` (when the dataset was last updated from the record),
        ``checked`` (when a run last saw the record), ``unchanged`` (whether that run found no
        change), ``metadata_date`` and ``reference`` as in the record, ``next_run`` (None if it is
        not scheduled), ``state`` (``current``, ``missing``, ``held``: its deletion is pending,
        ``kept``: it was missing and a person kept it, ``off``: its source is switched off,
        ``source_deleted``), ``missed_runs``, ``runs_left`` (runs that have to miss it before it is
        deleted), ``kept_fields`` (``field`` and ``label`` of each field that imports do not
        change), ``supplied_fields`` (``dataset``: ``field`` and ``label`` of each field that the
        source supplied at the last import; ``resources``: id → the same of each resource; None if
        it is not known. Imports change only these, and those that the source begins to supply),
        ``edited_since`` (when a person changed the dataset after the last import, or
        None), ``also_in`` (``id``, ``name`` and ``title`` of other sources that list it too). For
        users who may edit the dataset or its source also ``problems_count`` and ``error`` (why the
        last import failed: ``code``, ``message``, ``line``), else None; ``problems`` (the first
        ten, as in :py:func:`ukharvest_record_show`), ``may_see_record`` (whether the user may open
        the page of the record that has them) and ``source_record`` (``form``, ``extension`` and
        ``size`` of the record's stored text, or None)
    :rtype: dictionary
    """
    tk.check_access("ukharvest_dataset_show", context, data_dict)
    package = tk.get_action("package_show")(
        {"user": context.get("user"), "ignore_auth": True}, {"id": tk.get_or_bust(data_dict, "id")}
    )
    return describe_dataset(context, package, describe_origin(context, package))


@tk.side_effect_free
def ukharvest_dataset_change_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List the changes that harvests made to a dataset, the latest first.

    For users who may read the dataset. The last 20 changes of a record are stored. Fields that
    the portal hides (``package_hide_extras``) are left out. Users who may edit neither the dataset
    nor its source do not see names and addresses of people, nor what changed in a public dataset
    while it was private.

    :param id: id or name of the dataset
    :type id: string
    :param limit: how many to return (optional, default: 20, at most 100)
    :type limit: integer
    :param offset: how many to skip (optional, default: 0)
    :type offset: integer

    :returns: ``count`` and ``results``: dicts with ``date`` (UTC), ``job_id`` (None if the run's
        history was cleared), ``kind`` (``added``, ``updated``, ``deleted``), ``fields`` and
        ``more`` (number of fields that are not listed). Each field has ``field``, ``label``,
        ``of`` (``dataset`` or a resource's name), ``old`` and ``new``: shortened texts, both ""
        if they differ only in what is cut off
    :rtype: dictionary
    """
    tk.check_access("ukharvest_dataset_change_list", context, data_dict)
    package = dataset_of(str(tk.get_or_bust(data_dict, "id")))
    origin = dataset_model.origin_of_dataset(package.id) if context.get("user") else None
    may_see_all = may_edit_dataset_or_source(context, package.id, origin and origin.source_id)
    page = schema.validate(data_dict, dataset_schema.dataset_change_list_schema())
    count, rows = changes.changes_of_dataset(
        package.id, page["limit"], page["offset"], with_private=may_see_all or package.private
    )
    return {
        "count": count,
        "results": [describe_change(change, with_contacts=may_see_all) for change in rows],
    }
