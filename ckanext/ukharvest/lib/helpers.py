"""Template helpers of all pages: slots of features, and texts, numbers and times."""

from __future__ import annotations

from typing import Any

from ckan.plugins import toolkit as tk
from markupsafe import Markup

from ckanext.ukharvest.lib import slots, texts
from ckanext.ukharvest.lib.pages import has_page


def ukharvest_slot(place: str, *args: Any) -> Markup:
    """Return what features add to a place of a page, "" for nothing.

    Args:
        place: one of ``slots.PLACES``, which says what its arguments are.
    """
    shown = ((slot.snippet, slot.facts(*args)) for slot in slots.slots_of(place))
    return Markup("").join(tk.h.snippet(snippet, facts=facts) for snippet, facts in shown if facts)


def ukharvest_page(endpoint: str, otherwise: str = "", **values: Any) -> str:
    """Return the URL of a feature's page; where the feature is removed of another page, or "".

    Args:
        otherwise: endpoint of that page.
    """
    name = endpoint if has_page(endpoint) else otherwise
    return str(tk.h.url_for(name, **values)) if name else ""


HELPERS = {
    "ukharvest_age": texts.age,
    "ukharvest_day": lambda time: texts.when(time, day_only=True),
    "ukharvest_duration": texts.duration,
    "ukharvest_number": texts.number,
    "ukharvest_status": texts.find_label,
    "ukharvest_time": texts.when,
}
