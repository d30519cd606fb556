"""Search by place: "Near or in", passed to ckanext-spatial.

Its plugin ``spatial_query`` finds datasets that touch a box, ``ext_bbox``. The box is that of a
place with a name (``ext_place``), or four numbers in a URL (``ext_west`` …); one drawn on
ckanext-spatial's map takes precedence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import ckan.plugins as p
import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.values import gazetteer
from ckanext.ukharvest.texts import gettext

NAME, BOX = "ext_place", "ext_bbox"
SIDES = {"west": 180, "south": 90, "east": 180, "north": 90}  # side → largest number of degrees
PARAMETERS = (NAME, BOX, "ext_prev_extent", *(f"ext_{side}" for side in SIDES))
DRAWN = "ckanext.spatial.common_map.type"


@dataclass(frozen=True, slots=True)
class Place:
    """A place to search for.

    Attributes:
        name: its name, or what was typed; "" for a box without a name.
        box: west, south, east and north as in ``ext_bbox``; "" for none, or if there is an error.
        error: why it cannot be searched for, "" if it can.
        choices: names of places that may be meant instead.
    """

    name: str = ""
    box: str = ""
    error: str = ""
    choices: tuple[str, ...] = ()


def is_offered() -> bool:
    """Tell whether the portal can search by place: ckanext-spatial does it."""
    return p.plugin_loaded("spatial_query")


def read(parameters: Mapping[str, Any]) -> Place:
    """Return the place in a search's parameters."""
    if box := str(parameters.get(BOX) or "").strip():
        return _read_box(box.split(","))
    if name := " ".join(str(parameters.get(NAME) or "").split()):
        return _find(name)
    sides = [str(parameters.get(f"ext_{side}") or "").strip() for side in SIDES]
    return _read_box(sides) if any(sides) else Place()


def _find(name: str) -> Place:
    places = gazetteer.find(name)
    if len(places) == 1:
        return Place(places[0].name, ",".join(f"{side:g}" for side in places[0].box))
    shown = name[: gazetteer.LONGEST]
    if places:
        names = tuple(place.name for place in places)
        return Place(shown, "", gettext("Several places are called {name}.", name=shown), names)
    error = gettext(
        "We know no place called {name}. Enter a town, a council or the first half of a postcode.",
        name=shown,
    )
    return Place(shown, "", error, tuple(place.name for place in gazetteer.similar(name)))


def _read_box(texts: list[str]) -> Place:
    """Read four numbers of degrees: west, south, east, north."""
    try:
        west, south, east, north = (float(text) for text in texts)
    except ValueError:
        west = south = east = north = math.nan
    # False for NaN, too.
    is_valid = all(
        abs(number) <= largest
        for number, largest in zip((west, south, east, north), SIDES.values(), strict=True)
    )
    if is_valid and west <= east and south <= north:
        # Rounded to about ten metres: a drawn box has a dozen digits.
        rounded = (f"{number:.4f}" for number in (west, south, east, north))
        return Place(box=",".join(number.rstrip("0").rstrip(".") for number in rounded))
    error = tk._("The box in the URL must be four numbers of degrees: west, south, east, north.")
    return Place(error=error)


def apply(search_params: dict[str, Any]) -> None:
    """Set the ``ext_bbox`` of ckanext-spatial from a name or four numbers."""
    extras = search_params.get("extras") or {}
    if is_offered() and not extras.get(BOX) and (box := read(extras).box):
        search_params["extras"] = {**extras, BOX: box}


def ukharvest_place() -> dict[str, Any] | None:
    """Return the place in the page's URL, None if the portal cannot search by place.

    With the attributes of ``Place``; ``is_drawn``: the portal has a map to draw on;
    ``parameters``: names of the URL's parameters that a search everywhere leaves out.
    """
    if not is_offered():
        return None
    place = read(tk.request.args)
    return {
        "name": place.name,
        "box": place.box,
        "error": place.error,
        "choices": place.choices,
        "is_drawn": bool(tk.config.get(DRAWN)),
        "parameters": list(PARAMETERS),
    }
