"""Delete source previews, dry runs and checks after a day."""

from __future__ import annotations

from ckanext.ukharvest.model import checks, source_previews


def forget_old() -> list[str]:
    """Delete old source previews, dry runs and checks, and what lost checks were given."""
    went = source_previews.forget_old()
    checks.drop_contents()
    return [f"Forgot {went:,} tests and checks of sources"] if went else []
