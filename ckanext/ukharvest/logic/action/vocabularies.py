"""Actions: list the vocabularies and their entries."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import Vocabulary
from ckanext.ukharvest.logic import schema


@tk.side_effect_free
def ukharvest_vocabulary_list(context: Any, data_dict: dict[str, Any]) -> list[dict[str, Any]]:
    """List the vocabularies: functions, services, themes, file types and more. For everybody.

    :returns: dicts with ``name``, ``title``, ``source``, ``licence``, ``attribution``, ``date``,
        ``entries`` (their number) and ``replaced`` (whether it is the portal's own list)
    :rtype: list of dictionaries
    """
    tk.check_access("ukharvest_vocabulary_list", context, data_dict)
    return [_about(vocabulary.load(name)) for name in vocabulary.names()]


@tk.side_effect_free
def ukharvest_vocabulary_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show the entries of a vocabulary, all or those that match a text. For everybody.

    :param name: name of the vocabulary, such as ``services``
    :type name: string
    :param search: words; each has to begin a word of the entry's label or identifier, such as its
        number (optional, default: all entries)
    :type search: string
    :param limit: how many to return (optional, default: 100, at most 1000)
    :type limit: integer
    :param offset: how many to skip, in the vocabulary's order (optional, default: 0)
    :type offset: integer

    :returns: as in :py:func:`ukharvest_vocabulary_list`, with ``count`` (of matching entries)
        and ``results``: dicts with the vocabulary's columns, and ``id``, ``label`` and
        ``parents`` (labels of the entries above it, from the top)
    :rtype: dictionary
    """
    tk.check_access("ukharvest_vocabulary_show", context, data_dict)
    data = schema.validate(data_dict, schema.vocabulary_show_schema())
    try:
        found = vocabulary.load(data["name"])
    except KeyError:
        raise tk.ObjectNotFound(tk._("No vocabulary has this name")) from None
    rows = list(vocabulary.search(found.name, data["search"]))
    page = rows[data["offset"] :][: data["limit"]]
    results = [
        {**row, "id": found.key(row), "label": found.label(row), "parents": vocabulary.above(row)}
        for row in page
    ]
    return {**_about(found), "count": len(rows), "results": results}


def _about(found: Vocabulary) -> dict[str, Any]:
    keys = ("title", "source", "licence", "attribution", "date")
    return {
        "name": found.name,
        **{key: found.about.get(key, "") for key in keys},
        "entries": len(found.rows),
        "replaced": vocabulary.is_replaced(found.name),
    }
