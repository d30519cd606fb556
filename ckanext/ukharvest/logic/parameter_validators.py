"""Validators of action parameters, for the schemas in ``schema.py``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest.core import schedule
from ckanext.ukharvest.doctor import notice
from ckanext.ukharvest.model import run_records
from ckanext.ukharvest.texts import gettext

MAX_ADDRESSES = 20


def at_most(most: int) -> Callable[[Any], Any]:
    """Return a validator that caps a number; it passes on values that are not numbers."""
    return lambda value: min(value, most) if isinstance(value, int) else value


def strip(value: str) -> str:
    return value.strip()


def flag(value: Any) -> bool:
    """Accept true and false in the forms that CKAN's settings allow; refuse anything else."""
    try:
        return bool(tk.asbool(value))
    except ValueError:
        raise tk.Invalid(tk._("Expected true or false.")) from None


def list_of_words(value: Any) -> list[Any]:
    return list(tk.aslist(value, sep=None))


def accept(is_valid: Callable[[Any], bool], expected: Callable[[], str]) -> Callable[[Any], Any]:
    """Return a validator that refuses what is not valid.

    Args:
        expected: returns the message, in the reader's language.
    """

    def validate(value: Any) -> Any:
        if not is_valid(value):
            raise tk.Invalid(expected())
        return value

    return validate


def one_of(*names: str) -> Callable[[Any], Any]:
    """Return a validator that accepts only one of these names."""
    return accept(
        lambda value: value in names,
        lambda: gettext("Expected one of: {names}.", names=", ".join(names)),
    )


def some_of(*names: str) -> Callable[[Any], Any]:
    """Return a validator of a list of words, which accepts only these names."""
    return accept(
        lambda words: all(word in names for word in words),
        lambda: gettext("Expected one or more of: {names}.", names=", ".join(names)),
    )


is_time = accept(
    schedule.is_time, lambda: tk._('Expected a time of day such as "02:30", or nothing.')
)
are_days = accept(
    lambda words: all(word in schedule.DAYS for word in words),
    lambda: tk._("Expected days of the week: mon, tue, wed, thu, fri, sat, sun."),
)
is_zone = accept(
    schedule.is_zone, lambda: tk._('Expected the name of a time zone, such as "Europe/London".')
)
is_record_outcome = accept(
    lambda value: value in ("", *run_records.OUTCOMES, run_records.PROBLEMS),
    lambda: tk._("Expected the outcome of a record, for example lost or added."),
)
is_notice = accept(
    lambda text: len(text) <= notice.LONGEST,
    lambda: gettext("Write at most {number} characters.", number=notice.LONGEST),
)


def list_of_texts(value: Any) -> list[str]:
    texts = [value] if isinstance(value, str) else value
    return [str(text).strip() for text in texts if value]


def are_emails(value: list[str]) -> list[str]:
    """Accept email addresses; drop duplicates, ignoring case."""
    addresses = list({address.casefold(): address for address in value if address}.values())
    for address in addresses:
        try:
            tk.get_validator("email_validator")(address, {})
        except tk.Invalid:
            text = tk._("{address} is not an email address, such as data.team@example.gov.uk.")
            raise tk.Invalid(text.format(address=address)) from None
    if len(addresses) > MAX_ADDRESSES:
        text = tk._("Enter at most {n} email addresses. A mailing list counts as one.")
        raise tk.Invalid(text.format(n=MAX_ADDRESSES))
    return addresses


def record_number(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        raise tk.Invalid(tk._("Expected a number.")) from None
