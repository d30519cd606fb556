"""Text about areas, and a list of their coordinates; all numbers come from floats."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from ckanext.ukharvest.core.values.geometries import Box
from ckanext.ukharvest.presentation.rendering.extent.areas import Area, around

Translate = Callable[[str], str]

TEXTS = {
    "areas": "{count} areas; together: {place}",
    "world": "The whole world",
    "point": "A point: {latitude}, {longitude}",
    "shape": "A shape with {count} points, within {place}",
    "box": "A box: {place}",
    "line": "A line: {place}",
    "place": "{latitudes}, {longitudes}",
    "span": "{start} to {end}",
    "date line": "{place}, across the date line",
    "map": "Map. {place}",
    "more": "{count} more",
    "north": "North",
    "south": "South",
    "west": "West",
    "east": "East",
    "latitude": "Latitude",
    "longitude": "Longitude",
    # After a number of degrees.
    "N": "N",
    "S": "S",
    "W": "W",
    "E": "E",
}
_ACROSS = ("west", "east", "longitude")
_LISTED = 5
_NUMBERED = 12  # more numbers than this would cover each other


def plain(words: str) -> str:
    """Leave text in English."""
    return words


def describe_areas(found: Sequence[Area], translate: Translate = plain) -> str:
    """Return where areas lie; "" for none.

    Such as ``A box: 54.53° N to 61.07° N, 8.97° W to 0.21° E``.
    """
    if not found:
        return ""
    place = _place(around(found), translate)
    if len(found) > 1:
        return translate(TEXTS["areas"]).format(count=len(found), place=place)
    [area] = found
    if area.is_world:
        return translate(TEXTS["world"])
    if area.kind == "point":
        longitude, latitude = area.box[:2]
        return translate(TEXTS["point"]).format(
            latitude=_degrees(latitude, "NS", 4, translate),
            longitude=_degrees(longitude, "EW", 4, translate),
        )
    return translate(TEXTS[area.kind]).format(count=f"{area.points:,}", place=place)


def caption(found: Sequence[Area], translate: Translate = plain) -> Markup:
    """Return the map's caption: where the areas lie, and their coordinates."""
    together = Markup("<p>{}</p>").format(describe_areas(found, translate))
    if len(found) == 1:
        return together if found[0].is_world else together + _coordinates(found[0], translate)
    lines = [Markup("<li>{}</li>").format(describe_areas([area], translate)) for area in found]
    if len(found) <= _NUMBERED:
        return together + Markup("<ol>{}</ol>").format(Markup("").join(lines))
    more = translate(TEXTS["more"]).format(count=f"{len(lines) - _LISTED:,}")
    return together + Markup(
        "<ol>{}</ol><details><summary>{}</summary><ol start='{}'>{}</ol></details>"
    ).format(Markup("").join(lines[:_LISTED]), more, _LISTED + 1, Markup("").join(lines[_LISTED:]))


def _coordinates(area: Area, translate: Translate) -> Markup:
    """Return the sides of a box or a point's coordinates, with the exact numbers in the title."""
    west, south, east, north = area.box
    sides = [("north", north), ("south", south), ("west", west), ("east", east)]
    if (west, south) == (east, north):
        sides = [("latitude", north), ("longitude", west)]
    places = _places(area.box)
    rows = [
        Markup('<div><dt>{}</dt> <dd title="{}">{}</dd></div>').format(
            translate(TEXTS[name]),
            repr(_turned(number)),
            _degrees(number, "EW" if name in _ACROSS else "NS", places, translate),
        )
        for name, number in sides
    ]
    return Markup('<dl class="ukharvest-coordinates">{}</dl>').format(Markup("").join(rows))


def _place(box: Box, translate: Translate) -> str:
    west, south, east, north = box
    if west >= 180:
        west, east = west - 360, east - 360
    places = _places(box)
    latitudes = [_degrees(each, "NS", places, translate) for each in (south, north)]
    longitudes = [_degrees(each, "EW", places, translate) for each in (west, east)]
    words = translate(TEXTS["place"]).format(
        latitudes=_span(latitudes, translate), longitudes=_span(longitudes, translate)
    )
    return translate(TEXTS["date line"]).format(place=words) if east > 180 else words


def _span(ends: Sequence[str], translate: Translate) -> str:
    start, end = ends
    return start if start == end else translate(TEXTS["span"]).format(start=start, end=end)


def _places(box: Box) -> int:
    west, south, east, north = box
    return 2 if max(east - west, north - south) >= 0.1 else 4


def _turned(number: float) -> float:
    return number - 360 if number > 180 else number


def _degrees(number: float, sides: str, places: int, translate: Translate = plain) -> str:
    number = _turned(number)
    text = f"{abs(number):.{places}f}".rstrip("0").rstrip(".")
    return f"{text}° {translate(TEXTS[sides[number < 0]])}" if float(text) else "0°"
