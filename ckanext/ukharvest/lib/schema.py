"""Schemas of actions: the parameters that each takes, and how they are checked and converted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.values.text import clean_text
from ckanext.ukharvest.lib.texts import gettext


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
        raise tk.Invalid(expected("true", "false")) from None


def expected(*names: str) -> str:
    """Return the message that only one or more of these names are accepted."""
    return gettext("Expected one of: {names}.", names=", ".join(filter(None, names)))


def such_as(example: str) -> Callable[[], str]:
    """Return a function that returns the message about a value that has another form."""
    return lambda: gettext("Expected a value such as {example}.", example=example)


def list_of_words(value: Any) -> list[Any]:
    return list(tk.aslist(value, sep=None))


def accept(is_valid: Callable[[Any], bool], message: Callable[[], str]) -> Callable[[Any], Any]:
    """Return a validator that refuses what is not valid.

    Args:
        message: returns it, in the reader's language.
    """

    def validate(value: Any) -> Any:
        if not is_valid(value):
            raise tk.Invalid(message())
        return value

    return validate


def one_of(*names: str) -> Callable[[Any], Any]:
    """Return a validator that accepts only one of these names."""
    return accept(lambda value: value in names, lambda: expected(*names))


def some_of(*names: str) -> Callable[[Any], Any]:
    """Return a validator of a list of words, which accepts only these names."""
    return accept(lambda words: all(word in names for word in words), lambda: expected(*names))


Schema = dict[str, list[Any]]
Validator = Callable[..., Any]
Errors = dict[str, list[str]]

PAGE, LARGEST_PAGE = 100, 1000


def invalid(field: str, message: str) -> tk.ValidationError:
    """Return the error of a wrong parameter, to be raised."""
    # CKAN reads the errors of tags as those of a dataset's form.
    return tk.ValidationError({field: [{"name": [message]} if field == "tags" else message]})


MOST_ROWS = 10_000  # of one call


def rows(data_dict: Mapping[str, Any], name: str, columns: Sequence[str]) -> list[list[str]]:
    """Return the texts of a parameter that is a list of dicts, in the order of the columns.

    It is in no schema: the validation of CKAN 2.11 takes such a list apart.

    Raises:
        ValidationError: it is no such list, or too long.
    """
    given = data_dict.get(name)
    if not isinstance(given, list) or not all(isinstance(row, Mapping) for row in given):
        names = ", ".join(columns)
        raise invalid(name, gettext("Expected a list of objects with {names}.", names=names))
    if len(given) > MOST_ROWS:
        raise invalid(name, gettext("At most {n} rows at a time.", n=MOST_ROWS))
    return [[clean_text(row.get(column) or "") for column in columns] for row in given]


def refuse_both(data_dict: Mapping[str, Any], one: str, other: str) -> None:
    """Refuse a request that names two things, of which the action takes one.

    Raises:
        ValidationError: both parameters have a value.
    """
    if data_dict.get(one) and data_dict.get(other):
        raise invalid(other, gettext("Give {one} or {other}, not both.", one=one, other=other))


def validate(data_dict: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """Return an action's parameters, converted; drop those that are not in the schema.

    Raises:
        ValidationError: with a message for each wrong parameter.
    """
    data, errors = convert(data_dict, schema)
    if errors:
        raise tk.ValidationError(errors)
    return data


def convert(data_dict: Mapping[str, Any], schema: Schema) -> tuple[dict[str, Any], Errors]:
    """Do the same, but return the errors, for an action that adds its own."""
    asked = {key: data_dict[key] for key in schema if key in data_dict}
    data, errors = tk.navl_validate(asked, schema)
    return data, errors


@tk.validator_args
def page(default: Validator, natural_number_validator: Validator) -> Schema:
    return {
        "limit": [default(PAGE), natural_number_validator, at_most(LARGEST_PAGE)],
        "offset": [default(0), natural_number_validator],
    }


@tk.validator_args
def text_parameter(default: Validator, unicode_safe: Validator) -> list[Validator]:
    return [default(""), unicode_safe]


def _names(*names: str) -> list[Validator]:
    return [tk.get_validator("default")(""), list_of_words, some_of(*names)]


@tk.validator_args
def flag_parameter(default: Validator, boolean_validator: Validator) -> list[Validator]:
    return [default(False), _readable_flag, boolean_validator]


def _readable_flag(value: Any) -> Any:
    """Return what CKAN 2.11 reads too: it expects a text or a boolean."""
    return value if isinstance(value, str) else isinstance(value, int) and bool(value)


@tk.validator_args
def strict_flag_parameter(default: Validator) -> list[Validator]:
    """Validate a flag that decides about a change: an unclear value is an error, not false."""
    return [default(False), flag]
