"""Check of the portal's own lists of values."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest import config
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.operations.doctor.finding import ERROR, WARNING, Finding


def own_lists() -> Iterator[Finding]:
    """Find files that cannot be used, and a missing folder."""
    folder = vocabulary.folder()
    if folder is not None and not folder.is_dir():
        yield Finding(
            WARNING,
            "vocabularies",
            f"{config.PREFIX}vocabularies is {folder}, which is no folder here.",
            "Make it, or take the setting away.",
        )
    for name, fault in vocabulary.faults().items():
        yield Finding(
            ERROR,
            "vocabularies",
            f"The portal's own list {name} is not used: {fault}.",
            f"Correct {name}.csv, or delete it to go back to the list of this extension.",
        )
