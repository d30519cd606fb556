"""Actions: the origin of a harvested dataset, and the changes that harvests made to it."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.logic import schema
from ckanext.ukharvest.logic.action.coupled import find_coupled
from ckanext.ukharvest.logic.provenance import (
    describe_change,
    describe_origin,
    may_edit_dataset_or_source,
)
from ckanext.ukharvest.logic.sources import dataset_of
from ckanext.ukharvest.model import changes, provenance
from ckanext.ukharvest.themes.actions import describe_theme


@tk.side_effect_free
def ukharvest_dataset_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show origin, harvest state, theme and coupled services of a dataset. Times are UTC.

    For users who may read it.

    :param id: id or name of the dataset
    :type id: string

    :returns: ``theme``: as :py:func:`ukharvest_theme_suggest`, but ``theme`` and ``secondary`` are
        those of the dataset, and ``origin`` can also be ``person``: a user chose the theme here;
        ``coupled``: ``datasets`` that a service operates on, and ``services`` that operate on a
        dataset: active ones that the user may read, from any source: dicts with ``id``, ``name``
        and ``title``, sorted by title, at most 500 of each; ``references``: the names of those
        datasets in the service's record; ``is_unknown``: the search failed.
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
        last import failed: ``code``, ``message``, ``line``), else None
    :rtype: dictionary
    """
    tk.check_access("ukharvest_dataset_show", context, data_dict)
    package = tk.get_action("package_show")(
        {"user": context.get("user"), "ignore_auth": True}, {"id": tk.get_or_bust(data_dict, "id")}
    )
    return {
        **describe_origin(context, package),
        "theme": describe_theme(package),
        "coupled": find_coupled(context, package["id"]),
    }


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
    origin = provenance.of_dataset(package.id) if context.get("user") else None
    may_see_all = may_edit_dataset_or_source(context, package.id, origin and origin.source_id)
    page = schema.validate(data_dict, schema.dataset_change_list_schema())
    count, rows = changes.of_dataset(
        package.id, page["limit"], page["offset"], with_private=may_see_all or package.private
    )
    return {
        "count": count,
        "results": [describe_change(change, with_contacts=may_see_all) for change in rows],
    }
