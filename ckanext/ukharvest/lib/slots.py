"""Slots and facets: what features add to the frames' pages, mails and searches.

A feature lists them as SLOTS and FACETS in one of its modules that ``features.py`` names. The
frames ask for them by place, so that they import no feature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple


class Slot(NamedTuple):
    """What a feature adds to a place.

    Attributes:
        place: one of ``PLACES``.
        snippet: the template that shows it; "" where the frame shows the facts itself.
        facts: returns the facts; its parameters and result are those of the place. None for a
            snippet that needs no more than the page has.
    """

    place: str
    snippet: str = ""
    facts: Callable[..., Any] | None = None


class Facet(NamedTuple):
    """A facet of the dataset search that is no field of a dataset.

    Attributes:
        title: English, for ``_()``.
        label: returns the text of a value.
        is_ranked: the largest value comes first, not the one with the most datasets.
    """

    title: str
    label: Callable[[str], str]
    is_ranked: bool = False


# Place → parameters and result of the facts; snippets get the variables of the place.
PLACES: Mapping[str, str] = {}

_slots: dict[str, list[Slot]] = {}
_facets: dict[str, Facet] = {}


def register(slots: Iterable[Slot], facets: Mapping[str, Facet]) -> None:
    """Set the slots and facets of all features; a plugin calls it once, at the start.

    Raises:
        ValueError: there is no such place.
    """
    _slots.clear()
    for slot in slots:
        if slot.place not in PLACES:
            raise ValueError(f"There is no place {slot.place!r} for slots")
        _slots.setdefault(slot.place, []).append(slot)
    _facets.clear()
    _facets.update(facets)


def slots_of(place: str) -> tuple[Slot, ...]:
    """Return the slots of a place, in the order of the features."""
    return tuple(_slots.get(place, ()))


def facts_of(place: str, *args: Any) -> list[Any]:
    """Return the facts of the slots of a place, without empty ones."""
    facts = (slot.facts(*args) for slot in slots_of(place) if slot.facts)
    return [fact for fact in facts if fact]


def facets() -> Mapping[str, Facet]:
    """Return the features' facets by their names in ``ckanext.ukharvest.facets``."""
    return _facets
