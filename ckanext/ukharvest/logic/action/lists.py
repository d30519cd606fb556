"""Actions: list links, source types and places."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config
from ckanext.ukharvest.core.values import gazetteer
from ckanext.ukharvest.logic import schema
from ckanext.ukharvest.model import link_checks
from ckanext.ukharvest.source_types import TYPES
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS, GROUPS, SourceType


@tk.side_effect_free
def ukharvest_link_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List the links of resources with the results of the link check, sorted by URL.

    Links of one source for users who may update it, of all datasets for sysadmins.

    :param source: name or id of a harvest source (optional)
    :type source: string
    :param unknown: only links that were checked and whose format is unknown (optional, default:
        ``False``)
    :type unknown: boolean
    :param state: only links in this state: ``works``, ``failing``, ``away`` or ``dead``
        (optional, default: all)
    :type state: string
    :param limit: how many to return (optional, default: 100, at most 1000)
    :type limit: integer
    :param offset: how many to skip (optional, default: 0)
    :type offset: integer

    :returns: ``count`` and ``results``: one dict per resource, with ``dataset`` (its name),
        ``resource_id``, ``resource_format`` (as stored in CKAN), ``url``, and all that
        :py:func:`ukharvest_link_show` returns except ``text``; ``state`` is "" and ``checked``
        null if the link was never checked
    :rtype: dictionary
    """
    tk.check_access("ukharvest_link_list", context, data_dict)
    data = schema.validate(data_dict, schema.link_list_schema())
    count, results = link_checks.list_links(
        source_id=_source_id(data["source"]) if data.get("source") else None,
        only_unknown=data["unknown"],
        state=data.get("state") or "",
        limit=data["limit"],
        offset=data["offset"],
    )
    return {"count": count, "results": results}


def _source_id(name_or_id: str) -> str:
    package = model.Package.get(name_or_id)
    source = HarvestSource.get(package.id) if package else None
    if source is None:
        raise tk.ObjectNotFound(tk._("No harvest source has this name or id"))
    return str(source.id)


@tk.side_effect_free
def ukharvest_type_list(context: Any, data_dict: dict[str, Any]) -> list[dict[str, Any]]:
    """List the source types of ckanext-ukharvest with their options. For everybody.

    :returns: dicts with ``name``, ``title``, ``description``, ``aliases``, ``enabled`` (whether
        its plugin is loaded), the texts of the source form (``group``, ``label``, ``line``,
        ``url_hint``, ``url_example``), ``docs_url`` (the page of a type that another
        distribution adds, "" for ours), and ``options``: dicts with ``name``, ``label`` ("" for an
        option that is not in the form), ``kind``, ``default``, ``choices`` and ``help``
    :rtype: list of dictionaries
    """
    tk.check_access("ukharvest_type_list", context, data_dict)
    enabled = config.our_type_names()
    return [_type_row(kind, enabled=kind.name in enabled) for kind in TYPES.values()]


def _type_row(kind: SourceType, *, enabled: bool) -> dict[str, Any]:
    return {
        "name": kind.name,
        "title": kind.title,
        "description": kind.description,
        "aliases": list(kind.aliases),
        "enabled": enabled,
        "group": tk._(GROUPS[kind.group]),
        "label": tk._(kind.title),
        "line": tk._(kind.line),
        "url_hint": tk._(kind.url_hint),
        "url_example": kind.url_example,
        "docs_url": kind.docs_url,
        "options": [
            {
                "name": option.name,
                "label": tk._(option.label) if option.label else "",
                "kind": option.kind,
                "default": list(option.default) if option.kind == "list" else option.default,
                "choices": list(option.choices),
                "help": option.help,
            }
            for option in (*kind.options, *COMMON_OPTIONS)
        ],
    }


@tk.side_effect_free
def ukharvest_place_list(context: Any, data_dict: dict[str, Any]) -> list[dict[str, Any]]:
    """List places whose names begin with a text, for the search by place. For everybody.

    :param q: the beginning of a name, or of one of its words
    :type q: string
    :param limit: how many to return (optional, default: 10, at most 100)
    :type limit: integer

    :returns: dicts with ``name``, by which ``ext_place`` of the dataset search finds the place
        and no other, and ``box``: west, south, east and north in degrees
    :rtype: list of dictionaries
    """
    tk.check_access("ukharvest_place_list", context, data_dict)
    data = schema.validate(data_dict, schema.place_list_schema())
    places = gazetteer.suggest(data["q"], data["limit"])
    return [{"name": place.name, "box": list(place.box)} for place in places]
