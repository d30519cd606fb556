"""The map of a dataset's extent: an SVG picture over coast lines, with names and a text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ckanext.ukharvest.core.values.geometries import Box
from ckanext.ukharvest.rendering.extent import (
    Area,
    Window,
    area_of_box,
    areas,
    around,
    window_around,
)

Translate = Callable[[str], str]

TEXTS = {
    "map": "Map",
    "areas": "{count} areas; together: {place}",
    "world": "The whole world",
    "span": "{start} to {end}",
    "more": "More ({count})",
    # After a number of degrees.
    "N": "N",
    "S": "S",
    "W": "W",
    "E": "E",
}
_LISTED = 5
_NUMBERED = 12  # more numbers than this would cover each other


def plain(words: str) -> str:
    """Leave text in English."""
    return words


def _say(name: str, translate: Translate, **values: Any) -> str:
    return translate(TEXTS[name]).format(**values)


def describe_areas(found: Sequence[Area], translate: Translate = plain) -> str:
    """Return where areas lie; "" for none.

    Such as ``54.53° N to 61.07° N, 8.97° W to 0.21° E``.
    """
    if not found:
        return ""
    if len(found) == 1 and found[0].is_world:
        return _say("world", translate)
    place = _place(around(found), translate)
    if len(found) == 1:
        return place
    return _say("areas", translate, count=len(found), place=place)


def caption(found: Sequence[Area], translate: Translate = plain) -> Markup:
    """Return the map's caption: where the areas lie; the exact numbers are in the titles."""
    together = _line("p", found, translate)
    if len(found) == 1:
        return together
    lines = [_line("li", [area], translate) for area in found]
    if len(found) <= _NUMBERED:
        return together + Markup("<ol>{}</ol>").format(Markup("").join(lines))
    more = _say("more", translate, count=f"{len(lines) - _LISTED:,}")
    return together + Markup(
        "<ol>{}</ol><details><summary>{}</summary><ol start='{}'>{}</ol></details>"
    ).format(Markup("").join(lines[:_LISTED]), more, _LISTED + 1, Markup("").join(lines[_LISTED:]))


def _line(tag: str, found: Sequence[Area], translate: Translate) -> Markup:
    exact = ", ".join(repr(_turned(number)) for number in around(found))
    words = describe_areas(found, translate)
    return Markup('<{0} title="{1}">{2}</{0}>').format(tag, exact, words)


def _place(box: Box, translate: Translate) -> str:
    west, south, east, north = box
    if west >= 180:
        west, east = west - 360, east - 360
    places = 2 if max(east - west, north - south) >= 0.1 else 4
    latitudes = [_degrees(latitude, "NS", places, translate) for latitude in (south, north)]
    longitudes = [_degrees(longitude, "EW", places, translate) for longitude in (west, east)]
    return f"{_span(latitudes, translate)}, {_span(longitudes, translate)}"


def _span(ends: Sequence[str], translate: Translate) -> str:
    start, end = ends
    return start if start == end else _say("span", translate, start=start, end=end)


def _turned(number: float) -> float:
    return number - 360 if number > 180 else number


def _degrees(number: float, sides: str, places: int, translate: Translate) -> str:
    number = _turned(number)
    text = f"{abs(number):.{places}f}".rstrip("0").rstrip(".")
    return f"{text}° {_say(sides[number < 0], translate)}" if float(text) else "0°"


MOST = 5
_LETTER, _LINE = 6.7, 15  # pixels of a letter and of a line at the size of the names
_NAME = Markup(
    '<circle cx="{x}" cy="{y}" r="2.2" fill="#33404a"/><text x="{from_x}" y="{line}"'
    ' text-anchor="{anchor}" font-size="12" fill="#33404a" stroke="#fff" stroke-width="2.5"'
    ' paint-order="stroke">{name}</text>'
)

# Name, latitude, longitude; the first that fit are shown.
PLACES = (
    *(("London", 51.51, -0.13), ("Edinburgh", 55.95, -3.19), ("Cardiff", 51.48, -3.18)),
    *(("Belfast", 54.60, -5.93), ("Birmingham", 52.48, -1.90), ("Manchester", 53.48, -2.24)),
    *(("Glasgow", 55.86, -4.25), ("Newcastle", 54.97, -1.61), ("Bristol", 51.45, -2.59)),
    *(("Dublin", 53.35, -6.26), ("Leeds", 53.80, -1.55), ("Liverpool", 53.41, -2.98)),
    *(("Aberdeen", 57.15, -2.09), ("Plymouth", 50.37, -4.14), ("Norwich", 52.63, 1.30)),
    *(("Inverness", 57.48, -4.22), ("Sheffield", 53.38, -1.47), ("Nottingham", 52.95, -1.15)),
    *(("Southampton", 50.90, -1.40), ("Hull", 53.74, -0.33), ("Cambridge", 52.21, 0.12)),
    *(("Swansea", 51.62, -3.94), ("Exeter", 50.72, -3.53), ("Oxford", 51.75, -1.26)),
    *(("York", 53.96, -1.08), ("Dundee", 56.46, -2.97), ("Carlisle", 54.89, -2.93)),
    *(("Leicester", 52.64, -1.13), ("Brighton", 50.82, -0.14), ("Dover", 51.13, 1.31)),
    *(("Lerwick", 60.15, -1.14), ("Kirkwall", 58.98, -2.96), ("Stornoway", 58.21, -6.39)),
    *(("Aberystwyth", 52.42, -4.08), ("Bangor", 53.23, -4.13), ("Derry", 55.00, -7.31)),
    *(("Lincoln", 53.23, -0.54), ("Middlesbrough", 54.57, -1.23), ("Ipswich", 52.06, 1.16)),
    *(("Peterborough", 52.57, -0.24), ("Gloucester", 51.86, -2.24), ("Penzance", 50.12, -5.54)),
    *(("Shrewsbury", 52.71, -2.75), ("Scarborough", 54.28, -0.40), ("Bournemouth", 50.72, -1.88)),
    *(("Fort William", 56.82, -5.11), ("Ayr", 55.46, -4.63), ("Wick", 58.44, -3.09)),
    *(("Lancaster", 54.05, -2.80), ("Enniskillen", 54.34, -7.63), ("Galway", 53.27, -9.05)),
    *(("Douglas", 54.15, -4.48), ("St Helier", 49.19, -2.11), ("Cork", 51.90, -8.47)),
    # Elsewhere
    *(("Paris", 48.86, 2.35), ("Berlin", 52.52, 13.40), ("Madrid", 40.42, -3.70)),
    *(("Rome", 41.90, 12.50), ("New York", 40.71, -74.01), ("Cairo", 30.04, 31.24)),
    *(("Delhi", 28.61, 77.21), ("Beijing", 39.90, 116.40), ("Sydney", -33.87, 151.21)),
    *(("Cape Town", -33.92, 18.42), ("Rio de Janeiro", -22.91, -43.17), ("Tokyo", 35.68, 139.69)),
    *(("Reykjavik", 64.15, -21.94), ("Oslo", 59.91, 10.75), ("Stockholm", 59.33, 18.07)),
    *(("Lisbon", 38.72, -9.14), ("Brussels", 50.85, 4.35), ("Copenhagen", 55.68, 12.57)),
    *(("Bergen", 60.39, 5.32), ("Tórshavn", 62.01, -6.77), ("Rennes", 48.11, -1.68)),
    *(("Vienna", 48.21, 16.37), ("Warsaw", 52.23, 21.01), ("Athens", 37.98, 23.73)),
    *(("Istanbul", 41.01, 28.98), ("Moscow", 55.76, 37.62), ("Nairobi", -1.29, 36.82)),
    *(("Lagos", 6.52, 3.38), ("Johannesburg", -26.20, 28.05), ("Dubai", 25.20, 55.27)),
    *(("Mumbai", 19.08, 72.88), ("Singapore", 1.35, 103.82), ("Perth", -31.95, 115.86)),
    *(("Auckland", -36.85, 174.76), ("Suva", -18.14, 178.44), ("Honolulu", 21.31, -157.86)),
    *(("Los Angeles", 34.05, -118.24), ("Mexico City", 19.43, -99.13), ("Lima", -12.05, -77.04)),
    *(("Buenos Aires", -34.60, -58.38), ("Vancouver", 49.28, -123.12), ("Gibraltar", 36.14, -5.35)),
    *(("Anchorage", 61.22, -149.90), ("Hamilton", 32.29, -64.78), ("Stanley", -51.70, -57.86)),
    ("Jamestown", -15.93, -5.72),
)


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A part of the picture, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Rectangle) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def render_names(view: Window, taken: list[Rectangle]) -> Markup:
    """Return dots and names of up to ``MOST`` places that the window shows.

    Args:
        taken: parts of the picture that no name may cover.
    """
    labels, used = [], list(taken)
    for name, x, y in _seen(view):
        is_left = x + 6 + len(name) * _LETTER > view.width - 4
        left = x - 6 - len(name) * _LETTER if is_left else x - 4
        covered = Rectangle(left, y - _LINE / 2, left + 10 + len(name) * _LETTER, y + _LINE / 2)
        if covered.left < 2 or any(covered.overlaps(box) for box in used):
            continue
        used.append(covered)
        labels.append(
            _NAME.format(
                x=f"{x:.1f}",
                y=f"{y:.1f}",
                from_x=f"{x - 5 if is_left else x + 5:.1f}",
                line=f"{y + 4:.1f}",
                anchor="end" if is_left else "start",
                name=name,
            )
        )
        if len(labels) == MOST:
            break
    return Markup('<g aria-hidden="true">{}</g>').format(Markup("").join(labels))


def _seen(view: Window) -> Iterator[tuple[str, float, float]]:
    """Yield names and pixels of the places in the window, which can cross the date line."""
    for name, latitude, longitude in PLACES:
        for turn in (-360, 0, 360):
            x, y = view.x(longitude + turn), view.y(latitude)
            if 4 < x < view.width - 4 and _LINE / 2 < y < view.height - _LINE / 2:
                yield name, x, y


# Paths of the coast lines below the site's static files; the files say where they are from.
OUTLINE_UK = "/ukharvest/outline-uk.svg"
OUTLINE_WORLD = "/ukharvest/outline-world.svg"
# West, south, east, north of the first file.
_UK = (-16.0, 47.0, 8.0, 63.0)

_SMALL = 6  # pixels: smaller areas get a marker
_HARD_TO_SEE = 28  # pixels: smaller areas get a ring

_FIGURE = Markup(
    '<figure class="ukharvest-extent"><svg viewBox="0 0 {width} {height}" width="{width}"'
    ' height="{height}" style="max-width:100%;height:auto" role="img" aria-label="{label}">'
    '<rect class="ukharvest-extent-sea" width="{width}" height="{height}" fill="#dce8f0"/>'
    '<g class="ukharvest-extent-land" fill="#f6f4ee" stroke="#5f7480">{land}</g>{drawn}</svg>'
    "<figcaption>{caption}</figcaption></figure>"
)
_USE = Markup('<use href="{}#land" transform="matrix({} 0 0 {} {} {})"/>')
# A white line below the coloured one keeps it apart from every background.
_PATH = Markup(
    '<path d="{0}" fill="none" stroke="#fff" stroke-width="5"/>'
    '<path class="ukharvest-extent-area" d="{0}" fill="#a3360b" fill-opacity=".12"'
    ' fill-rule="evenodd" stroke="#a3360b" stroke-width="2.5"/>'
)
_TITLED = Markup("<g><title>{}</title>{}</g>")
_SEARCHED = Markup(
    '<path d="{}" fill="none" stroke="#33404a" stroke-width="2" stroke-dasharray="6 4"/>'
)
_MARKER = Markup(
    '<circle cx="{0}" cy="{1}" r="9" fill="none" stroke="#fff" stroke-width="5"/>'
    '<g class="ukharvest-extent-area"><circle cx="{0}" cy="{1}" r="9" fill="none"'
    ' stroke="#a3360b" stroke-width="2.5"/><circle cx="{0}" cy="{1}" r="2.5" fill="#a3360b"/></g>'
)
_RING = Markup(
    '<circle cx="{0}" cy="{1}" r="{2}" fill="none" stroke="#fff" stroke-width="4"/>'
    '<circle class="ukharvest-extent-ring" cx="{0}" cy="{1}" r="{2}" fill="none"'
    ' stroke="#a3360b" stroke-width="1.5"/>'
)
_NUMBER = Markup(
    '<text x="{}" y="{}" text-anchor="middle" font-size="15" font-weight="bold" fill="#5c1d04"'
    ' stroke="#fff" stroke-width="3" paint-order="stroke">{}</text>'
)


def describe_extent(geojson_text: str, translate: Translate = plain) -> str:
    """Return a GeoJSON geometry's extent as a sentence part; "" if it is no geometry.

    Such as ``54.53° N to 61.07° N, 8.97° W to 0.21° E``.
    """
    return describe_areas(areas(geojson_text), translate)


def render_extent(
    geojson_text: str,
    outline_url: Callable[[str], str],
    translate: Translate = plain,
) -> Markup | None:
    """Return a picture of a GeoJSON geometry with a text; None if it is no geometry.

    Args:
        outline_url: returns the URL of a static file for its path, ``OUTLINE_UK`` or
            ``OUTLINE_WORLD``; browsers load it only from the page's own origin.
        translate: English text → the reader's.
    """
    extent = areas(geojson_text)
    if not extent:
        return None
    view = window_around(extent)
    local = [area for area in extent if not area.is_world]
    drawn = Markup("").join(_drawn(area, view) for area in local)
    if 1 < len(extent) <= _NUMBERED:
        drawn += Markup("").join(
            _NUMBER.format(*_numbers(*_above(area, view)), number)
            for number, area in enumerate(extent, start=1)
            if not area.is_world
        )
    return _FIGURE.format(
        width=view.width,
        height=view.height,
        label=f"{_say('map', translate)}: {describe_areas(extent, translate)}",
        land=_land(view, outline_url),
        drawn=drawn + render_names(view, [_taken(area, view) for area in local]),
        caption=caption(extent, translate),
    )


def render_results(
    datasets: Iterable[tuple[str, str]],
    name: str,
    box: Box,
    outline_url: Callable[[str], str],
    translate: Translate = plain,
) -> Markup | None:
    """Return a picture of the boxes around datasets, and of the place that was searched for.

    None if no dataset has an extent.

    Args:
        datasets: title and GeoJSON text of each.
        name: of the place, "" for a box without one.
        box: of the place.
        outline_url, translate: as for ``render_extent``.
    """
    named = [(title, areas(text)) for title, text in datasets]
    boxes = [(title, area_of_box(around(extent))) for title, extent in named if extent]
    if not boxes:
        return None
    place = area_of_box(box)
    view = window_around([place, *(area for _title, area in boxes)])
    drawn = [_TITLED.format(title, _drawn(area, view)) for title, area in boxes]
    caption = name or describe_areas([place], translate)
    return _FIGURE.format(
        width=view.width,
        height=view.height,
        label=f"{_say('map', translate)}: {caption}",
        land=_land(view, outline_url),
        drawn=Markup("").join([*drawn, _SEARCHED.format(_lines(place, view))])
        + render_names(view, []),
        caption=caption,
    )


def _land(view: Window, outline_url: Callable[[str], str]) -> Markup:
    """Draw the coast line as often as the window shows it: it repeats every 360°."""
    is_uk = (
        _UK[0] <= view.west
        and view.east <= _UK[2]
        and _UK[1] <= view.south
        and view.north <= _UK[3]
    )
    url = outline_url(OUTLINE_UK if is_uk else OUTLINE_WORLD)
    # Land that crosses the 180th meridian is drawn beyond it, to 200° at most.
    turns = (0,) if is_uk else (-360, 0, 360)
    seen = [turn for turn in turns if turn - 200 < view.east and view.west < turn + 200]
    return Markup("").join(
        _USE.format(
            url,
            f"{view.x_scale / 100:.6g}",
            f"{view.y_scale / 100:.6g}",
            *_numbers(view.x(turn), view.y(0)),
        )
        for turn in seen
    )


def _drawn(area: Area, view: Window) -> Markup:
    west, south, east, north = area.box
    if view.x(east) - view.x(west) < _SMALL and view.y(south) - view.y(north) < _SMALL:
        return _MARKER.format(*_numbers(view.x((west + east) / 2), view.y((south + north) / 2)))
    path = _PATH.format(_lines(area, view))
    x, y, radius = _circle(area, view)
    return _RING.format(*_numbers(x, y, radius)) + path if _is_hard_to_see(area, view) else path


def _lines(area: Area, view: Window) -> str:
    """Return an area's lines as those of an SVG path."""
    return "".join(
        "M" + "L".join(" ".join(_numbers(view.x(x), view.y(y))) for x, y in line)
        for line in area.lines
    )


def _is_hard_to_see(area: Area, view: Window) -> bool:
    west, south, east, north = area.box
    return max(view.x(east) - view.x(west), view.y(south) - view.y(north)) < _HARD_TO_SEE


def _circle(area: Area, view: Window) -> tuple[float, float, float]:
    """Return the centre and radius of the ring around an area, in pixels."""
    west, south, east, north = area.box
    wide, high = view.x(east) - view.x(west), view.y(south) - view.y(north)
    middle = view.x((west + east) / 2), view.y((south + north) / 2)
    return *middle, max(14.0, math.hypot(wide, high) / 2 + 6)


def _taken(area: Area, view: Window) -> Rectangle:
    """Return what no name may cover: a small area with its ring; of a large one nothing."""
    x, y, radius = _circle(area, view) if _is_hard_to_see(area, view) else (0.0, 0.0, 0.0)
    return Rectangle(x - radius, y - radius, x + radius, y + radius)


def _above(area: Area, view: Window) -> tuple[float, float]:
    """Return the place of an area's number: in its middle, or above its marker."""
    west, south, east, north = area.box
    middle = view.y((south + north) / 2)
    is_large = view.y(south) - view.y(north) > 24
    return view.x((west + east) / 2), middle + 5 if is_large else middle - 14


def _numbers(*numbers: float) -> list[str]:
    return [f"{float(number):.2f}".rstrip("0").rstrip(".") for number in numbers]
