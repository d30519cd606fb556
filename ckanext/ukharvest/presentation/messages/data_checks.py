"""Results of checks of data against their schema, as text."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.presentation.messages.numbers import number, ungettext
from ckanext.ukharvest.texts import gettext

VERDICTS = ("valid", "invalid", "unchecked")


def verdict_label(verdict: str) -> str:
    """Return a verdict for facets, lists and reports."""
    labels = {
        "valid": tk._("Yes"),
        "invalid": tk._("No, there are errors"),
        "unchecked": tk._("Could not be checked"),
    }
    return str(labels.get(verdict, verdict))


def summarise(check: Any) -> str:
    """Return a result in a few words: "Valid", "3 errors in 1,204 rows".

    Args:
        check: a row of ``DataCheck``.
    """
    if check.verdict == "unchecked":
        return gettext("Not checked: {reason}", reason=check.reason)
    extent = _extent(check)
    if check.verdict == "valid":
        if not check.stopped:
            return str(tk._("Valid"))
        text = tk._("No errors in the first {extent}") if extent else tk._("No errors so far")
        return str(text.format(extent=extent))
    errors = ungettext("{n} error", "{n} errors", check.errors)
    if not extent:
        return errors
    text = tk._("{errors} in the first {extent}") if check.stopped else tk._("{errors} in {extent}")
    return str(text.format(errors=errors, extent=extent))


def _extent(check: Any) -> str:
    if check.unit == "row":
        return ungettext("{n} row", "{n} rows", check.checked)
    if check.unit == "feature":
        return ungettext("{n} feature", "{n} features", check.checked)
    if check.unit == "item":
        return ungettext("{n} item", "{n} items", check.checked)
    return f"{number(check.checked)} {check.unit}" if check.unit else ""


def describe_invalid(files: int) -> str:
    """Return how many files do not follow their schema, "" for none."""
    if not files:
        return ""
    return ungettext(
        "{n} file does not follow its schema", "{n} files do not follow their schema", files
    )
