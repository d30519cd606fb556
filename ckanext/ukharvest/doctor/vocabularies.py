"""The portal's own lists of values."""

from __future__ import annotations

from collections.abc import Iterator

from ckanext.ukharvest import config
from ckanext.ukharvest.core import vocabulary
from ckanext.ukharvest.doctor.finding import ERROR, WARNING, Finding


def own_lists() -> Iterator[Finding]:
    """Files that cannot be used, and a folder that is not there."""
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
            f"Mend {name}.csv, or go back: 'ckan ukharvest vocabulary update {name} --bundled'.",
        )
