"""Results of checks of data against their schema, as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.lib.texts import gettext, number, ungettext

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
    errors = ungettext("{n} error", "{n} errors", check.errors)
    if check.verdict == "valid" and not check.stopped:
        text = tk._("Valid")
    elif check.verdict == "valid":
        text = tk._("No errors in the first {extent}") if extent else tk._("No errors so far")
    elif not extent:
        text = "{errors}"
    elif check.stopped:
        text = tk._("{errors} in the first {extent}")
    else:
        text = tk._("{errors} in {extent}")
    return str(text.format(errors=errors, extent=extent))


_EXTENTS: dict[str, Callable[[int], str]] = {
    "": lambda _n: "",
    "row": lambda n: ungettext("{n} row", "{n} rows", n),
    "feature": lambda n: ungettext("{n} feature", "{n} features", n),
    "item": lambda n: ungettext("{n} item", "{n} items", n),
}


def _extent(check: Any) -> str:
    extent = _EXTENTS.get(check.unit or "")
    return extent(check.checked) if extent else f"{number(check.checked)} {check.unit}"


def describe_invalid(files: int) -> str:
    """Return how many files do not follow their schema, "" for none."""
    text = ungettext(
        "{n} file does not follow its schema", "{n} files do not follow their schema", files
    )
    return text if files else ""
