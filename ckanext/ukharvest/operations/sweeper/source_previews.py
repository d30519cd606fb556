"""Delete source previews after a day."""

from __future__ import annotations

from ckanext.ukharvest.model import source_previews


def forget_old() -> list[str]:
    """Delete old source previews and dry runs."""
    went = source_previews.forget_old()
    return [f"Forgot {went:,} tests and checks of sources"] if went else []
