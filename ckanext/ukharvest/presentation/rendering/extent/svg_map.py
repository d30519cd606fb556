"""The map of a dataset's extent: an SVG picture over coast lines, with a text.

Rendered by the server: nothing is loaded from other sites, no script runs. Only numbers of the
geometry reach the markup, each through float and a format.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from markupsafe import Markup

from ckanext.ukharvest.presentation.rendering.extent import places, texts
from ckanext.ukharvest.presentation.rendering.extent.areas import Area, areas
from ckanext.ukharvest.presentation.rendering.extent.window import Window, window

# Paths of the coast lines below the site's static files; the files say where they are from.
OUTLINE_UK = "/ukharvest/outline-uk.svg"
OUTLINE_WORLD = "/ukharvest/outline-world.svg"
# West, south, east, north of the first file.
_UK = (-16.0, 47.0, 8.0, 63.0)

_SMALL = 6  # pixels: smaller areas get a marker
_HARD_TO_SEE = 28  # pixels: smaller areas get a ring
_NUMBERED = 12  # more numbers than this would cover each other

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


def describe_extent(geojson_text: str, translate: texts.Translate = texts.plain) -> str:
    """Return a GeoJSON geometry's extent as a sentence part; "" if it is no geometry.

    Such as ``A box: 54.53° N to 61.07° N, 8.97° W to 0.21° E``.
    """
    return texts.describe_areas(areas(geojson_text), translate)


def render_extent(
    geojson_text: str,
    outline_url: Callable[[str], str],
    translate: texts.Translate = texts.plain,
) -> Markup | None:
    """Return a picture of a GeoJSON geometry with a text; None if it is no geometry.

    Args:
        outline_url: returns the URL of a static file for its path, ``OUTLINE_UK`` or
            ``OUTLINE_WORLD``; browsers load it only from the page's own origin.
        translate: English text → the reader's.
    """
    found = areas(geojson_text)
    if not found:
        return None
    view = window(found)
    local = [area for area in found if not area.is_world]
    drawn = Markup("").join(_drawn(area, view) for area in local)
    if 1 < len(found) <= _NUMBERED:
        drawn += Markup("").join(
            _NUMBER.format(*_numbers(*_above(area, view)), number)
            for number, area in enumerate(found, start=1)
            if not area.is_world
        )
    return _FIGURE.format(
        width=view.width,
        height=view.height,
        label=translate(texts.TEXTS["map"]).format(place=texts.describe_areas(found, translate)),
        land=_land(view, outline_url),
        drawn=drawn + places.render_names(view, [_taken(area, view) for area in local]),
        caption=texts.caption(found, translate),
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
    path = _PATH.format(
        "".join(
            "M" + "L".join(" ".join(_numbers(view.x(x), view.y(y))) for x, y in line)
            for line in area.lines
        )
    )
    x, y, radius = _circle(area, view)
    return _RING.format(*_numbers(x, y, radius)) + path if _is_hard_to_see(area, view) else path


def _is_hard_to_see(area: Area, view: Window) -> bool:
    west, south, east, north = area.box
    return max(view.x(east) - view.x(west), view.y(south) - view.y(north)) < _HARD_TO_SEE


def _circle(area: Area, view: Window) -> tuple[float, float, float]:
    """Return the centre and radius of the ring around an area, in pixels."""
    west, south, east, north = area.box
    wide, high = view.x(east) - view.x(west), view.y(south) - view.y(north)
    middle = view.x((west + east) / 2), view.y((south + north) / 2)
    return *middle, max(14.0, math.hypot(wide, high) / 2 + 6)


def _taken(area: Area, view: Window) -> places.Rectangle:
    """Return what no name may cover: a small area with its ring; of a large one nothing."""
    x, y, radius = _circle(area, view) if _is_hard_to_see(area, view) else (0.0, 0.0, 0.0)
    return places.Rectangle(x - radius, y - radius, x + radius, y + radius)


def _above(area: Area, view: Window) -> tuple[float, float]:
    """Return the place of an area's number: in its middle, or above its marker."""
    west, south, east, north = area.box
    middle = view.y((south + north) / 2)
    is_large = view.y(south) - view.y(north) > 24
    return view.x((west + east) / 2), middle + 5 if is_large else middle - 14


def _numbers(*numbers: float) -> list[str]:
    return [f"{float(number):.2f}".rstrip("0").rstrip(".") for number in numbers]
