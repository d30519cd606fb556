"""Records: their rows and state, what waits for a person, changes, links and conflicts."""

from __future__ import annotations
