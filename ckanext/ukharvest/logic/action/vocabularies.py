"""The lists of values, for forms and scripts."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core import vocabulary
from ckanext.ukharvest.core.vocabulary import Vocabulary
from ckanext.ukharvest.logic.paging import validated

LONGEST_SEARCH = 200


@tk.side_effect_free
def ukharvest_vocabulary_list(context: Any, data_dict: dict[str, Any]) -> list[dict[str, Any]]:
    """List the vocabularies: functions, services, themes, frequencies, file types and more.

    :returns: dicts with ``name``, ``title``, ``source``, ``licence``, ``attribution``, ``date``,
        ``entries`` (how many) and ``replaced`` (it is the portal's own)
    :rtype: list of dictionaries
    """
    tk.check_access("ukharvest_vocabulary_list", context, data_dict)
    return [_about(vocabulary.load(name)) for name in vocabulary.names()]


@tk.side_effect_free
def ukharvest_vocabulary_show(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Show the entries of a vocabulary, all or those that a text finds.

    :param name: name of the vocabulary, such as ``services``
    :type name: string
    :param search: words of which each begins a word of the label, or of the identifier, such as
        its number (optional)
    :type search: string
    :param limit: how many to return (optional, default: 100, at most 1000)
    :type limit: integer
    :param offset: how many to leave out, in the vocabulary's order (optional, default: 0)
    :type offset: integer

    :returns: as in :py:func:`ukharvest_vocabulary_list`, with ``count`` (how many were found) and
        ``results``: dicts with the vocabulary's columns, and ``id``, ``label`` and ``parents``
        (labels of what the entry stands in, from the top)
    :rtype: dictionary
    """
    tk.check_access("ukharvest_vocabulary_show", context, data_dict)
    data = _validated(data_dict)
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
    told = ("title", "source", "licence", "attribution", "date")
    return {
        "name": found.name,
        **{key: found.about.get(key, "") for key in told},
        "entries": len(found.rows),
        "replaced": vocabulary.is_replaced(found.name),
    }


def _validated(data_dict: dict[str, Any]) -> dict[str, Any]:
    text = tk.get_validator("unicode_safe")
    name, search = tk.get_validator("not_empty"), tk.get_validator("default")("")
    data = validated(data_dict, {"name": [name, text], "search": [search, text]})
    return {**data, "search": data["search"][:LONGEST_SEARCH]}
