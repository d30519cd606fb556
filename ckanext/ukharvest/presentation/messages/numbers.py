"""Numbers in the format of the reader's language, alone and in sentences."""

from __future__ import annotations

from babel.numbers import format_decimal
from flask_babel import get_locale

from ckanext.ukharvest.texts import ngettext


def number(value: float) -> str:
    """Return a number such as "1,204"."""
    # Outside a request, as in a background job or a command, there is no language.
    return str(format_decimal(value, locale=get_locale() or "en"))


def ungettext(one: str, many: str, value: int) -> str:
    """Return the singular or plural text for a number, with {n} replaced by it.

    The name is one that Babel extracts texts from.
    """
    return ngettext(one, many, value, n=number(value))
