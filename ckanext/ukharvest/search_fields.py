"""What the search index gets beyond CKAN's own: values to count and to choose by (facets)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def of(package: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return fields of the search index, all of its dynamic field ``vocab_*``.

    Args:
        package: as ``before_dataset_index`` has it.
    """
    del package
    return {}
