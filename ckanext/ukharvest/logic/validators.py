"""Validators, usable by name in config_declaration.yaml and schemas."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk


def ukharvest_number(value: Any) -> float:
    """Accept a number of 0 or more, whole or not."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number < float("inf"):
        raise tk.Invalid(tk._("expected a number of 0 or more, such as 0.2 or 60"))
    return number
