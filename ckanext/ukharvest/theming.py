"""The theme of a dataset: what a source, a person or the words of the dataset say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def columns(context: Mapping[str, Any], package: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of ``Assessment`` for a package dict: theme, theme_origin, themes."""
    del context, package
    return {}
