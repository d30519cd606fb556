"""Results of checks of data against their schema, as text."""

from __future__ import annotations

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.lib.slots import Facet
from ckanext.ukharvest.lib.texts import ungettext

VERDICTS = ("valid", "invalid", "unchecked")


def verdict_label(verdict: str) -> str:
    """Return a verdict for facets, lists and reports; "waiting" stands for none yet."""
    labels = {
        "valid": tk._("Valid"),
        "invalid": tk._("With errors"),
        "unchecked": tk._("Could not be checked"),
        "waiting": tk._("Not checked yet"),
    }
    return str(labels.get(verdict, verdict))


FACETS = {"data_check": Facet(_("Data and their schemas"), verdict_label)}


def describe_invalid(files: int) -> str:
    """Return how many files do not follow their schema, "" for none."""
    text = ungettext(
        "{n} file does not follow its schema", "{n} files do not follow their schema", files
    )
    return text if files else ""


HELPERS = {"ukharvest_data_verdict": verdict_label}
