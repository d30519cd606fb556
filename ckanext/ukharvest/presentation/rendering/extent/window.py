"""The part of the world that the extent map shows, and the pixels of its places.

Plate carrée, degrees of longitude as wide as they are at the window's middle.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ckanext.ukharvest.presentation.rendering.extent.areas import Area, around

_WIDTH, _HEIGHT = 480, 320
_WORLD_HEIGHT = 240
_MARGIN = 1.25
_LEAST = 3.0  # degrees high: less shows no recognisable coast
_STEEPEST = 75.0  # degrees of latitude; a map nearer to the poles would be too wide
_TALLEST = 150.0  # degrees high: more is the world


@dataclass(frozen=True, slots=True)
class Window:
    """A part of the world in degrees; scales in pixels per degree."""

    west: float
    north: float
    x_scale: float
    y_scale: float
    width: int = _WIDTH
    height: int = _HEIGHT

    @property
    def east(self) -> float:
        return self.west + self.width / self.x_scale

    @property
    def south(self) -> float:
        return self.north - self.height / self.y_scale

    def x(self, longitude: float) -> float:
        """Return pixels from the left."""
        return (longitude - self.west) * self.x_scale

    def y(self, latitude: float) -> float:
        """Return pixels from the top."""
        return (self.north - latitude) * self.y_scale


def window(found: Sequence[Area]) -> Window:
    """Return a window around areas; areas that cover the whole world do not count."""
    local = [area for area in found if not area.is_world]
    if not local:
        return _world(0.0)
    west, south, east, north = around(local)
    middle = (west + east) / 2
    squeeze = math.cos(math.radians(min(abs(south + north) / 2, _STEEPEST)))
    high = max((north - south) * _MARGIN, (east - west) * _MARGIN * squeeze * _HEIGHT / _WIDTH)
    high = max(high, _LEAST)
    wide = high * _WIDTH / _HEIGHT / squeeze
    if high > _TALLEST or wide > 360:
        return _world(0.0 if east <= 180 else middle)
    # There is nothing to show beyond the poles.
    top = min((south + north) / 2 + high / 2, 90.0)
    top = max(top, high - 90)
    return Window(middle - wide / 2, top, _WIDTH / wide, _HEIGHT / high)


def _world(middle: float) -> Window:
    return Window(middle - 180, 90.0, _WIDTH / 360, _WORLD_HEIGHT / 180, _WIDTH, _WORLD_HEIGHT)
