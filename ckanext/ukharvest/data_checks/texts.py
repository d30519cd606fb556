"""Results of checks of data against their schema, as text."""

from __future__ import annotations

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.core.vocabularies import vocabulary
from ckanext.ukharvest.data_checks.model import load_titles
from ckanext.ukharvest.lib.lookups import once
from ckanext.ukharvest.lib.slots import Facet
from ckanext.ukharvest.lib.texts import ungettext
from ckanext.ukharvest.rendering import values

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


def schema_label(url: str) -> str:
    """Return the title of a schema: of the list, else its own; else the end of its URL."""
    listed = vocabulary.label("schemas", url)
    return listed or once("schemas", load_titles).get(url) or values.listed_label(url, "")


FACETS = {
    "data_check": Facet(_("Data and their schemas"), verdict_label),
    "schema": Facet(_("Schema"), schema_label),
}


def describe_invalid(files: int) -> str:
    """Return how many files do not follow their schema, "" for none."""
    text = ungettext(
        "{n} file does not follow its schema", "{n} files do not follow their schema", files
    )
    return text if files else ""


HELPERS = {"ukharvest_data_verdict": verdict_label}
