"""Source previews: look-ups, tests, dry runs and checks, without saving."""

from __future__ import annotations
