"""Places by their names: councils, postcode areas and districts, and populated places.

From the lists ``councils``, ``postcodes`` and ``places``, which a portal of another country can
replace by its own. Positions and boxes are longitudes and latitudes in degrees (WGS84).
"""

from __future__ import annotations

import difflib
import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ckanext.ukharvest.core.values.geometries import Box, bbox_polygon
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.core.vocabularies.vocabulary import Vocabulary, parts

AREA = "ukharvest_area"  # of an organisation's extra: the name of the area that it is about
LONGEST = 100  # characters of a name that is looked up
AROUND = 10.0  # km to each side of a populated place

_KM_OF_DEGREE = 111.2  # of latitude
# A full postcode, of which only the district is looked up: LS1 4AP → LS1.
_POSTCODE = re.compile(r"([a-z]{1,2}[0-9][a-z0-9]?) ?[0-9][a-z]{2}")
# "Leeds City Council" is "Leeds Council".
_COUNCIL = re.compile(r"(?: (?:city|county|borough|district|metropolitan))+ council$")
# Boxes so many times larger than the smallest are those of counties and nations.
_NEIGHBOURS = 4
_ALIKE, _ALIAS_ALIKE = 0.75, 0.85  # of difflib's ratio: for a name, and for one of its others


class Place(NamedTuple):
    """A place that can be searched for.

    Attributes:
        name: by which ``find`` finds it and no other: "Newport, Isle of Wight".
        box: west, south, east, north.
    """

    name: str
    box: Box

    def as_geojson(self) -> str:
        """Return the box as text of a GeoJSON geometry."""
        return json.dumps(bbox_polygon(*self.box))


class _Gazetteer(NamedTuple):
    """The lists in memory.

    Attributes:
        named: folded name → its places, councils first, then the largest.
        names: folded names in the order in which they are suggested.
        settlements: populated places with their positions, the largest first.
    """

    named: dict[str, list[Place]]
    names: list[str]
    settlements: list[tuple[str, float, float]]


def find(name: str) -> list[Place]:
    """Return the places of this name, in any case and with any punctuation; [] for none.

    Several if it is not clear which one is meant. A place that lies in a council of its name is
    not another one; of a full postcode the district is returned.
    """
    key = fold(name)
    known = _gazetteer().named
    if (postcode := _POSTCODE.fullmatch(key)) and key not in known:
        key = postcode[1]
    return known.get(_COUNCIL.sub(" council", key), [])


def find_one(name: str) -> Place | None:
    """Return the place of this name, None if there is none or several."""
    places = find(name)
    return places[0] if len(places) == 1 else None


def suggest(beginning: str, limit: int = 10) -> list[Place]:
    """Return places of which a name begins so, or one of the name's words; the largest first."""
    start = fold(beginning)
    if not start:
        return []
    gazetteer = _gazetteer()
    firsts = (name for name in gazetteer.names if name.startswith(start))
    words = (name for name in gazetteer.names if f" {start}" in name)
    exact = (name for name in (start,) if name in gazetteer.named)
    return _first(gazetteer, (*exact, *firsts, *words), limit)


def similar(name: str, limit: int = 5) -> list[Place]:
    """Return places whose names are spelt nearly so, the most similar first.

    With the same first letter, which people seldom mistake. What is alike only by another name,
    such as an old one, has to be more alike.
    """
    gazetteer, key = _gazetteer(), fold(name)
    same = [known for known in gazetteer.names if known[:1] == key[:1]]
    others = difflib.get_close_matches(key, same, limit, _ALIAS_ALIKE)
    near = [
        known
        for known in difflib.get_close_matches(key, same, limit, _ALIKE)
        if known in others
        or any(fold(place.name).startswith(known) for place in gazetteer.named[known])
    ]
    return _first(gazetteer, near, limit)


def nearest(longitude: float, latitude: float) -> str:
    """Return the name of the populated place that is nearest to a position; "" without a list."""
    places = _gazetteer().settlements
    shrink = math.cos(math.radians(latitude))
    return min(
        places,
        key=lambda place: ((place[1] - longitude) * shrink) ** 2 + (place[2] - latitude) ** 2,
        default=("", 0.0, 0.0),
    )[0]


def fold(name: str) -> str:
    """Return a name without case, accents and punctuation; "St" stands for "Saint"."""
    letters = unicodedata.normalize("NFKD", name[:LONGEST].casefold().replace("&", " and "))
    letters = "".join(letter for letter in letters if not unicodedata.combining(letter))
    words = re.sub(r"[\W_]+", " ", re.sub(r"['’]", "", letters)).split()
    return " ".join("st" if word == "saint" else word for word in words)


def _first(gazetteer: _Gazetteer, names: Iterable[str], limit: int) -> list[Place]:
    places: dict[Place, None] = {}
    for name in names:
        places.update(dict.fromkeys(gazetteer.named[name]))
        if len(places) >= limit:
            break
    return list(places)[:limit]


# Built again when the list of places changes; the other two are read with it.
@vocabulary.derived("places")
def _gazetteer(places: Vocabulary) -> _Gazetteer:
    rows = places.rows
    settlements = [(r["place"], float(r["longitude"]), float(r["latitude"])) for r in rows]
    councils = [(row, _box(row)) for row in vocabulary.load("councils").rows]
    names = [fold(row["place"]) for row in rows]
    shared = {name for name, count in Counter(names).items() if count > 1}
    own_names = {*names, *(fold(row["name"]) for row, _box in councils)}

    def others(row: Mapping[str, str]) -> Iterator[str]:
        return (alias for alias in parts(row["aliases"]) if fold(alias) not in own_names)

    named: dict[str, list[Place]] = {}
    titles: dict[str, list[Place]] = {}  # names that tell places of one name apart
    by_council: dict[str, Place] = {}
    for row, box in councils:
        key, title = fold(row["name"]), f"{row['name']} Council"
        place = by_council[key] = Place(title if key in shared else row["name"], box)
        _add(named, place, row["name"], *others(row))
        _add(titles, place, title)
    for key, row, (name, longitude, latitude) in zip(names, rows, settlements, strict=True):
        council = by_council.get(key)
        if council and _is_within(council.box, longitude, latitude):
            _add(named, council, *others(row))
            continue
        is_shared = key in shared or council is not None
        title = _tell_apart(name, longitude, latitude, councils, titles) if is_shared else name
        place = Place(title, _around(longitude, latitude))
        # The one settlement of a council's name elsewhere: the name alone means the council.
        _add(named, place, title if council and key not in shared else name, *others(row))
        _add(titles, place, title)
    for row in vocabulary.load("postcodes").rows:
        _add(named, Place(row["code"], _box(row)), row["code"])
    return _Gazetteer({**titles, **named}, list(named), settlements)


def _add(named: dict[str, list[Place]], place: Place, *names: str) -> None:
    for key in dict.fromkeys(map(fold, names)):
        places = named.setdefault(key, [])
        if place not in places:
            places.append(place)


def _tell_apart(
    name: str,
    longitude: float,
    latitude: float,
    councils: Iterable[tuple[Mapping[str, str], Box]],
    taken: Mapping[str, object],
) -> str:
    """Return the name of a settlement with its council; with its position if there are two."""
    around = [(row["name"], box) for row, box in councils if _is_within(box, longitude, latitude)]
    # Boxes of neighbours overlap: among those of councils, the one in whose middle it lies.
    smallest = min((_size(box) for _name, box in around), default=0.0)
    districts = [area for area in around if _size(area[1]) <= smallest * _NEIGHBOURS]
    council = min(
        districts, key=lambda area: _off_centre(area[1], longitude, latitude), default=("", None)
    )[0]
    title = f"{name}, {council}" if council else name
    if not council or fold(title) in taken:
        title += f" ({latitude:.2f}, {longitude:.2f})"
    return title


def _box(row: Mapping[str, str]) -> Box:
    return float(row["west"]), float(row["south"]), float(row["east"]), float(row["north"])


def _around(longitude: float, latitude: float) -> Box:
    high = AROUND / _KM_OF_DEGREE
    wide = high / math.cos(math.radians(latitude))
    box = (longitude - wide, latitude - high, longitude + wide, latitude + high)
    west, south, east, north = (round(side, 4) for side in box)
    return west, south, east, north


def _is_within(box: Box, longitude: float, latitude: float) -> bool:
    west, south, east, north = box
    return west <= longitude <= east and south <= latitude <= north


def _off_centre(box: Box, longitude: float, latitude: float) -> float:
    """Return how far a position is from the middle of a box: 0 to 1."""
    west, south, east, north = box
    across = abs(2 * longitude - west - east) / (east - west)
    return max(across, abs(2 * latitude - south - north) / (north - south))


def _size(box: Box) -> float:
    west, south, east, north = box
    return (east - west) * (north - south)
