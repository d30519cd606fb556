"""Chained actions of CKAN: what they store of our computed values and of our form's field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk
from ckan.logic.action import create, get, update

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core import harvest_extras
from ckanext.ukharvest.core.values import gazetteer, organization_types
from ckanext.ukharvest.logic.schema import invalid
from ckanext.ukharvest.model import organization_types as stored_types
from ckanext.ukharvest.readers.ckan_api.package import KEY as OWN_SITE_KEY
from ckanext.ukharvest.search import place
from ckanext.ukharvest.texts import gettext

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
    own = harvest_extras.leave_out(extras)
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
    elif data_dict.get("id") and stored_types.is_stored(str(data_dict["id"]), key):
        others += compat.removal_of_group_extra(key)
    data_dict["extras"] = others


def _area_name(text: str) -> str:
    """Return the full name of the place that a text means; "" for none.

    Raises:
        ValidationError: there is no such place, or several.
    """
    match = place.read({place.NAME: text})
    if match.error:
        tip = gettext("Enter one of these: {names}.", names="; ".join(match.choices))
        error = f"{match.error} {tip}" if match.choices else match.error
        raise invalid("ukharvest_organization_area", error)
    return match.name


# Fields of the organisation's form → keys of extras, and how a value is stored.
_FORM_FIELDS: dict[str, tuple[str, Callable[[str], str]]] = {
    "ukharvest_organization_type": (organization_types.KEY, organization_types.find),
    "ukharvest_organization_area": (gazetteer.AREA, _area_name),
}
