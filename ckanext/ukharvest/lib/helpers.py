"""Template helpers of all pages: slots of features, and texts, numbers and times."""

from __future__ import annotations

from typing import Any

from ckan.plugins import toolkit as tk
from markupsafe import Markup

from ckanext.ukharvest.lib import slots, texts


def ukharvest_slot(place: str, *args: Any) -> Markup:
    """Return what features add to a place of a page, "" for nothing.

    Args:
        place: one of ``slots.PLACES``, which says what its arguments are.
    """
    shown = ((slot.snippet, slot.facts(*args)) for slot in slots.slots_of(place))
    return Markup("").join(tk.h.snippet(snippet, facts=facts) for snippet, facts in shown if facts)


HELPERS = {
    "ukharvest_age": texts.age,
    "ukharvest_day": lambda time: texts.when(time, day_only=True),
    "ukharvest_duration": texts.duration,
    "ukharvest_number": texts.number,
    "ukharvest_status": texts.find_label,
    "ukharvest_time": texts.when,
}
