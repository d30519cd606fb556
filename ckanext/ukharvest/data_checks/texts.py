"""Results of checks of data against their schema, as text."""

from __future__ import annotations

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib.texts import ungettext

VERDICTS = ("valid", "invalid", "unchecked")


def verdict_label(verdict: str) -> str:
    """Return a verdict for facets, lists and reports."""
    labels = {
        "valid": tk._("Yes"),
        "invalid": tk._("No, there are errors"),
        "unchecked": tk._("Could not be checked"),
    }
    return str(labels.get(verdict, verdict))


def describe_invalid(files: int) -> str:
    """Return how many files do not follow their schema, "" for none."""
    text = ungettext(
        "{n} file does not follow its schema", "{n} files do not follow their schema", files
    )
    return text if files else ""
