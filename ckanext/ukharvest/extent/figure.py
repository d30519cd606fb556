"""The map of where a dataset's data lies: an SVG picture over coast lines, and words.

Drawn by the server: nothing is loaded from elsewhere, no script runs. Of the geometry only
numbers reach the markup, each through float and a format.
"""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from ckanext.ukharvest.extent import words
from ckanext.ukharvest.extent.areas import Area, areas
from ckanext.ukharvest.extent.window import Window, window

# Paths of the files that dev/outline.py makes, below the site's static files.
OUTLINE_UK = "/ukharvest/outline-uk.svg"
OUTLINE_WORLD = "/ukharvest/outline-world.svg"
# West, south, east, north of what the first one holds.
_UK = (-16.0, 47.0, 8.0, 63.0)

_SMALL = 6  # pixels: what is smaller both ways gets a marker
_NUMBERED = 12  # more numbers than these would cover each other

_FIGURE = Markup(
    '<figure class="ukharvest-extent"><svg viewBox="0 0 {width} {height}" width="{width}"'
    ' height="{height}" style="max-width:100%;height:auto" role="img" aria-label="{label}">'
    '<rect class="ukharvest-extent-sea" width="{width}" height="{height}" fill="#dce8f0"/>'
    '<g class="ukharvest-extent-land" fill="#f6f4ee" stroke="#5f7480">{land}</g>{drawn}</svg>'
    "<figcaption>{caption}</figcaption></figure>"
)
_USE = Markup('<use href="{}#land" transform="matrix({} 0 0 {} {} {})"/>')
# A white line below the coloured one keeps it apart from every ground.
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
_NUMBER = Markup(
    '<text x="{}" y="{}" text-anchor="middle" font-size="15" font-weight="bold" fill="#5c1d04"'
    ' stroke="#fff" stroke-width="3" paint-order="stroke">{}</text>'
)


def in_words(geojson_text: str, translate: words.Translate = words.plain) -> str:
    """Return where a GeoJSON geometry lies, as a sentence part; "" if it is no geometry.

    Such as ``A box: 54.53° N to 61.07° N, 8.97° W to 0.21° E``.
    """
    return words.of_areas(areas(geojson_text), translate)


def figure(
    geojson_text: str,
    outline_url: Callable[[str], str],
    translate: words.Translate = words.plain,
) -> Markup | None:
    """Return a picture of a GeoJSON geometry with its coordinates in words; None if it is none.

    Args:
        outline_url: gives the address of a static file for its path, ``OUTLINE_UK`` or
            ``OUTLINE_WORLD``; browsers load it only from the page's own origin.
        translate: English words → the reader's.
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
        label=translate(words.TEXTS["map"]).format(place=words.of_areas(found, translate)),
        land=_land(view, outline_url),
        drawn=drawn,
        caption=words.caption(found, translate),
    )


def _land(view: Window, outline_url: Callable[[str], str]) -> Markup:
    """The coast line, as often as the window sees it: it repeats every 360°."""
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
    return _PATH.format(
        "".join(
            "M" + "L".join(" ".join(_numbers(view.x(x), view.y(y))) for x, y in line)
            for line in area.lines
        )
    )


def _above(area: Area, view: Window) -> tuple[float, float]:
    """Where an area's number stands: in its middle, or above its marker."""
    west, south, east, north = area.box
    middle = view.y((south + north) / 2)
    is_large = view.y(south) - view.y(north) > 24
    return view.x((west + east) / 2), middle + 5 if is_large else middle - 14


def _numbers(*numbers: float) -> list[str]:
    return [f"{float(number):.2f}".rstrip("0").rstrip(".") for number in numbers]
