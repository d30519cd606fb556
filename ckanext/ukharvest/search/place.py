"""Search by place without a map: four numbers, passed to ckanext-spatial.

Its plugin ``spatial_query`` finds datasets that touch a box, ``ext_bbox``; a box drawn on its map
takes precedence over the numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import ckan.plugins as p
import ckan.plugins.toolkit as tk

from ckanext.ukharvest.texts import gettext

SIDES = {"west": 180, "south": 90, "east": 180, "north": 90}  # side → largest number of degrees
BOX = "ext_bbox"
DRAWN = "ckanext.spatial.common_map.type"


@dataclass(frozen=True, slots=True)
class Place:
    """A place to search for.

    Attributes:
        values: side → what was typed, "" for nothing.
        errors: side → what is wrong with it.
        box: west, south, east and north as in ``ext_bbox``; "" for none, or if there are errors.
    """

    values: dict[str, str]
    errors: dict[str, str]
    box: str


def read(given: Mapping[str, Any]) -> Place:
    """Return the place in a search's parameters: ext_west, ext_south, …"""
    drawn = [_short(text) for text in str(given.get(BOX) or "").split(",")]
    texts = drawn if len(drawn) == 4 else [str(given.get(f"ext_{side}") or "") for side in SIDES]
    values = dict(zip(SIDES, (text.strip() for text in texts), strict=True))
    if not any(values.values()):
        return Place(values, {}, "")
    errors = {side: text for side in SIDES if (text := _wrong(side, values[side]))}
    if not errors and float(values["south"]) > float(values["north"]):
        errors["north"] = tk._("North has to be the larger of the two latitudes.")
    if not errors and float(values["west"]) > float(values["east"]):
        errors["east"] = tk._("East has to be the larger of the two longitudes.")
    return Place(values, errors, "" if errors else ",".join(values.values()))


def _short(text: str) -> str:
    """Round a number to about ten metres: a drawn box has a dozen digits."""
    try:
        return f"{float(text):.4f}".rstrip("0").rstrip(".")
    except ValueError:
        return text


def _wrong(side: str, text: str) -> str:
    most = SIDES[side]
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if abs(number) <= most:  # also false for NaN
        return ""
    return gettext("Give degrees from -{most} to {most}, such as 54.5.", most=most)


def apply(search_params: dict[str, Any]) -> None:
    """Set the ``ext_bbox`` of ckanext-spatial from the four numbers."""
    extras = search_params.get("extras") or {}
    if p.plugin_loaded("spatial_query") and not extras.get(BOX) and (box := read(extras).box):
        search_params["extras"] = {**extras, BOX: box}


def ukharvest_place() -> dict[str, Any] | None:
    """Return the place in the page's URL, None if the portal cannot search by place.

    With ``values``, ``errors`` and ``box``; ``drawn``: the portal has a map to draw on; ``others``:
    names and values of all other search parameters.
    """
    if not p.plugin_loaded("spatial_query"):
        return None
    given = tk.request.args
    found = read(given)
    own = {BOX, "page", *(f"ext_{side}" for side in SIDES)}
    return {
        "values": found.values,
        "errors": found.errors,
        "box": found.box,
        "drawn": bool(tk.config.get(DRAWN)),
        "others": [pair for pair in given.items(multi=True) if pair[0] not in own],
    }
