"""Texts for people, in the reader's language, with values filled in."""

from __future__ import annotations

from typing import Any

import ckan.plugins.toolkit as tk


def gettext(text: str, /, **values: Any) -> str:
    """Return a text in the reader's language; ``{name}`` in it is replaced by that value."""
    return str(tk._(text)).format(**values)


def ngettext(one: str, many: str, n: int, /, **values: Any) -> str:
    """Return the text for a number of things, in which ``{n}`` is the number.

    Args:
        n: the number, which chooses between the texts.
        values: ``n`` as it is to be written, and others.
    """
    return str(tk.ungettext(one, many, n)).format(**{"n": n, **values})
