"""Names of places on the extent map, by which people recognise a part of the country.

Positions in hundredths of a degree, compiled for this project from what every atlas says of city
centres: accurate to a pixel of the map, and for nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from ckanext.ukharvest.presentation.rendering.extent.window import Window

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
    found, used = [], list(taken)
    for name, x, y in _seen(view):
        is_left = x + 6 + len(name) * _LETTER > view.width - 4
        left = x - 6 - len(name) * _LETTER if is_left else x - 4
        covered = Rectangle(left, y - _LINE / 2, left + 10 + len(name) * _LETTER, y + _LINE / 2)
        if covered.left < 2 or any(covered.overlaps(each) for each in used):
            continue
        used.append(covered)
        found.append(
            _NAME.format(
                x=f"{x:.1f}",
                y=f"{y:.1f}",
                from_x=f"{x - 5 if is_left else x + 5:.1f}",
                line=f"{y + 4:.1f}",
                anchor="end" if is_left else "start",
                name=name,
            )
        )
        if len(found) == MOST:
            break
    return Markup('<g aria-hidden="true">{}</g>').format(Markup("").join(found))


def _seen(view: Window) -> Iterator[tuple[str, float, float]]:
    """Yield names and pixels of the places in the window, which can cross the date line."""
    for name, latitude, longitude in PLACES:
        for turn in (-360, 0, 360):
            x, y = view.x(longitude + turn), view.y(latitude)
            if 4 < x < view.width - 4 and _LINE / 2 < y < view.height - _LINE / 2:
                yield name, x, y
