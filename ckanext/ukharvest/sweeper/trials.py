"""Trials of sources are kept for a day."""

from __future__ import annotations

from ckanext.ukharvest.model import trials


def forget_old() -> list[str]:
    """Delete tests and checks of sources that nobody looks at any more."""
    went = trials.forget_old()
    return [f"Forgot {went:,} tests and checks of sources"] if went else []
