"""Lists for scripts and commands: links, types, and what the doctor finds."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk
from ckan import model
from ckanext.harvest.model import HarvestSource

from ckanext.ukharvest import config, doctor
from ckanext.ukharvest.logic.paging import validated
from ckanext.ukharvest.model import links
from ckanext.ukharvest.types import COMMON_OPTIONS, TYPES, SourceType
from ckanext.ukharvest.words import option_words, source_words


@tk.side_effect_free
def ukharvest_link_list(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """List what is known of the links of harvested resources, by address.

    Those of one source for those who may update it, of all for sysadmins: of resources without a
    format, of services, and whichever were looked at.

    :param source: name or id of a harvest source (optional)
    :type source: string
    :param untold: only links that were looked at and could not be told (optional,
        default: ``False``)
    :type untold: boolean
    :param limit: how many to return (optional, default: 100, at most 1000)
    :type limit: integer
    :param offset: how many to leave out (optional, default: 0)
    :type offset: integer

    :returns: ``count`` and ``results``: one dict a resource, with ``dataset`` (its name),
        ``resource_id``, ``resource_format`` (what the dataset says), ``url``, and as in
        :py:func:`ukharvest_link_show` ``format``, ``version``, ``layers``, ``base_url``,
        ``media_type``, ``title``, ``why``, ``checked`` (null if never looked at) and ``due``
    :rtype: dictionary
    """
    tk.check_access("ukharvest_link_list", context, data_dict)
    ignore, text = tk.get_validator("ignore_missing"), tk.get_validator("unicode_safe")
    boolean = [tk.get_validator("default")(False), tk.get_validator("boolean_validator")]
    data = validated(data_dict, {"source": [ignore, text], "untold": boolean})
    count, results = links.list_links(
        source_id=_source_id(data["source"]) if data.get("source") else None,
        only_untold=data["untold"],
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
def ukharvest_types_list(context: Any, data_dict: dict[str, Any]) -> list[dict[str, Any]]:
    """List the source types of ckanext-ukharvest with their options.

    :returns: dicts with ``name``, ``title``, ``description``, ``aliases``, ``enabled`` (its
        plugin is on), what the form of a source says: ``group``, ``label``, ``line``,
        ``url_hint``, ``url_example``; and ``options``: dicts with ``name``, ``label`` ("" for one
        that the form does not show), ``kind``, ``default``, ``choices`` and ``help``
    :rtype: list of dictionaries
    """
    tk.check_access("ukharvest_types_list", context, data_dict)
    enabled = config.our_type_names()
    return [_type_row(kind, enabled=kind.name in enabled) for kind in TYPES.values()]


def _type_row(kind: SourceType, *, enabled: bool) -> dict[str, Any]:
    words = source_words.KINDS[kind.name]
    return {
        "name": kind.name,
        "title": kind.title,
        "description": kind.description,
        "aliases": list(kind.aliases),
        "enabled": enabled,
        "group": tk._(source_words.GROUPS[words.group]),
        "label": tk._(words.label),
        "line": tk._(words.line),
        "url_hint": tk._(words.hint),
        "url_example": words.example,
        "options": [
            {
                "name": option.name,
                "label": tk._(label) if (label := option_words.LABELS.get(option.name)) else "",
                "kind": option.kind,
                "default": list(option.default) if option.kind == "list" else option.default,
                "choices": list(option.choices),
                "help": option.help,
            }
            for option in (*kind.options, *COMMON_OPTIONS)
        ],
    }


@tk.side_effect_free
def ukharvest_doctor(context: Any, data_dict: dict[str, Any]) -> dict[str, Any]:
    """Look for whatever keeps this portal from harvesting well; changes nothing. Sysadmins.

    :returns: ``status`` (0 all is fine, 1 there are warnings, 2 there are errors) and
        ``findings``: dicts with ``level`` (``ok``, ``info``, ``warning``, ``error``), ``code``,
        ``message`` and ``what_to_do``
    :rtype: dictionary
    """
    tk.check_access("ukharvest_doctor", context, data_dict)
    findings = doctor.examine()
    return {
        "status": doctor.status_of(findings),
        "findings": [finding._asdict() for finding in findings],
    }
