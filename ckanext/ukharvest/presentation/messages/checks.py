"""Texts about checks of /harvest/check."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core.outcomes import PreviewState
from ckanext.ukharvest.presentation.messages import data_checks, source_previews


def text_name() -> str:
    """Return how messages name a pasted text."""
    return str(tk._("pasted text"))


def type_label(name: str, label: str) -> str:
    """Return what is checked: ``label`` of the source type ``name``."""
    if name == "data":
        return str(tk._("Data with a schema"))
    return label if name else str(tk._("Not known yet"))


def heading(state: str, result: Mapping[str, Any] | None) -> str:
    """Return the result in a few words."""
    if state in (PreviewState.WAITING, PreviewState.RUNNING):
        return str(tk._("Check in progress"))
    if result and result["report"]:
        titles = {
            "valid": tk._("The data follow their schema"),
            "invalid": tk._("The data do not follow their schema"),
            "unchecked": tk._("The data could not be checked"),
        }
        return str(titles[result["report"]["verdict"]])
    return source_previews.heading(state, result, is_check=False)


def sentences(result: Mapping[str, Any] | None) -> list[str]:
    """Return the results of a source: how many records were read, and how they are."""
    if not result or result["report"]:
        return []
    return source_previews.sentences(result, is_check=False)


def with_summary(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return a report with its summary in the user's language."""
    return {**report, "summary": data_checks.summarise(SimpleNamespace(**report))}
