"""CKAN's validation of the datasets of a batch: its own validators, with less around them.

For each dataset CKAN's navl flattens the schema and matches it with the data three times, and sorts
the keys seven times; its validators ask for the organisation, the user and a dataset of the same
name. Here keys are matched and sorted once a dataset, and these questions asked once a batch. Which
validators run, in which order and with which arguments stays; so do errors and exceptions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from ckan import model
from ckan.lib.navl import dictization_functions as navl

from ckanext.ukharvest import write_batch

MIN_LENGTH, MAX_LENGTH = model.PACKAGE_NAME_MIN_LENGTH, model.PACKAGE_NAME_MAX_LENGTH
_Key = tuple[Any, ...]


def in_one_pass(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Validate a dataset of a batch as ``_validate`` does, with each key matched once."""

    @functools.wraps(stock)
    def _validate(data: Any, schema: Any, context: Any) -> Any:
        return (_run if write_batch.current() else stock)(data, schema, context)

    return _validate


def _run(data: dict[_Key, Any], schema: Any, context: Any) -> tuple[Any, Any]:
    flat_schema = navl.flatten_schema(schema)
    places = _places(data, {key[:-1] for key in flat_schema})
    validators = {
        (*place, name): found
        for place in places
        for name, found in _at(schema, place).items()
        if isinstance(found, list)
    }
    converted = _sorted_out(data, places, validators, flat_schema)
    errors: dict[_Key, list[Any]] = {key: [] for key in validators}
    keys = _in_order(validators)
    special: dict[str, list[_Key]] = {"__before": [], "": [], "__extras": [], "__after": []}
    for key in keys:
        special.get(key[-1] if key[-1].startswith("__") else "", []).append(key)
    special["__after"].reverse()
    for key in (*(key for each in special.values() for key in each), ("__junk",)):
        for validator in validators.get(key, ()):
            try:
                navl.convert(validator, key, converted, errors, context)
            except navl.StopOnError:
                break
    # Without errors, what navl makes of them comes to nothing in the end.
    return converted, errors if any(errors.values()) else {}


def _in_order(keys: Iterable[_Key]) -> list[_Key]:
    """Sort as by ``flattened_order_key``: short ones first."""
    by_length: dict[int, list[_Key]] = {}
    for key in keys:
        by_length.setdefault(len(key), []).append(key)
    return [key for length in sorted(by_length) for key in sorted(by_length[length])]


def _places(data: Iterable[_Key], prefixes: set[_Key]) -> set[_Key]:
    """Return where in the data parts of the schema apply, as ``get_all_key_combinations`` does."""
    found: set[_Key] = {()}
    for key in _in_order(data):
        if key[:-1:2] in prefixes and key[:-3] in found:
            found.add(key[:-1])
    return found


def _at(schema: Any, place: _Key) -> Any:
    for name in place[::2]:
        schema = schema[name]
    return schema


def _sorted_out(
    data: dict[_Key, Any], places: set[_Key], validators: Any, flat_schema: Any
) -> dict[_Key, Any]:
    """Return the data with what is missing, and what the schema does not know, as by
    ``augment_data``.

    Raises:
        DataError: a value stands where parts of the schema apply.
    """
    converted = {key: value for key, value in data.items() if key in validators}
    others = {key: value for key, value in data.items() if key not in validators}
    extras: dict[_Key, dict[Any, Any]] = {}
    junk: dict[_Key, Any] = {}
    parts = {key[:length] for key in flat_schema for length in range(len(key) + 1)}
    for key, value in others.items():
        if key[::2] in parts and value != []:
            raise navl.DataError(
                f"Only lists of dicts can be placed against subschema {key}, not {type(value)}"
            )
        if key[:-1] in places:
            extras.setdefault((*key[:-1], "__extras"), {})[key[-1]] = value
        else:
            junk[key] = value
    if junk:
        converted[("__junk",)] = junk
    converted.update(extras)
    for key in others:  # among them what the data itself calls __extras or __junk
        converted.pop(key, None)
    for key in validators:
        if not key[-1].startswith("__"):
            converted.setdefault(key, navl.missing)
    return converted


def name_once(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Do not ask for a name that the batch knows to be free, or that the dataset has already."""

    @functools.wraps(stock)
    def package_name_validator(key: Any, data: Any, errors: Any, context: Any) -> None:
        batch = write_batch.written()
        package = context.get("package")
        name = data[key]
        # No two datasets have the same name, deleted ones included.
        known = (package.name,) if package else batch.free_names if batch else ()
        is_long_enough = isinstance(name, str) and MIN_LENGTH <= len(name) <= MAX_LENGTH
        if not (batch and is_long_enough and name in known):
            stock(key, data, errors, context)

    return package_name_validator


def found_once(stock: Callable[..., Any]) -> Callable[..., Any]:
    """Give an organisation or user that the batch has found already, while the session has it."""

    def get(reference: Any) -> Any:
        batch = write_batch.written()
        if not batch:
            return stock(reference)
        key = (stock, reference)
        found = batch.found.get(key)
        if found is None or found not in model.Session or reference not in (found.id, found.name):
            found = batch.found[key] = stock(reference)
        return found

    return staticmethod(get)
