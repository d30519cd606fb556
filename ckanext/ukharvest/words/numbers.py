"""Numbers as the reader's language writes them, alone and in sentences."""

from __future__ import annotations

import ckan.plugins.toolkit as tk
from babel.numbers import format_decimal
from flask_babel import get_locale


def number(value: float) -> str:
    """Return a number such as "1,204"."""
    # There is no language outside of a request, such as in a background job or a command.
    return str(format_decimal(value, locale=get_locale() or "en"))


def ungettext(one: str, many: str, value: int) -> str:
    """Return the text that suits a number, which stands in both as {n}.

    Named as Babel looks for texts.
    """
    return str(tk.ungettext(one, many, value).format(n=number(value)))
