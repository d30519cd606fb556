"""Validators, usable by name in config_declaration.yaml and schemas.

Those of the fields (``fields.FIELDS``) convert a value to its stored form: they accept what people
type, tick or send in many forms, and refuse the rest with an example. They do not change what the
harvest writes: its parsers have converted it and reported what is wrong. They also accept any value
that is stored already, so that a title can be changed without correcting a publisher's error.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from ckan import model
from ckan.plugins import toolkit as tk

from ckanext.ukharvest.core.values import (
    formats,
    local_government_lists,
    multivalue,
    theme_names,
)
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.frequencies import parse_frequency
from ckanext.ukharvest.core.values.periods import parse_period
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.core.values.web_addresses import parse_url
from ckanext.ukharvest.fields import ADDRESS, ADDRESSES, BY_HARVEST, FIELDS
from ckanext.ukharvest.lib.texts import gettext
from ckanext.ukharvest.rendering import values

# Field → vocabulary whose titles may be sent instead of URLs.
_REGISTERS = {field.key: field.vocabulary for field in FIELDS if field.kind in (ADDRESS, ADDRESSES)}

Key = tuple[Any, ...]
Data = dict[Key, Any]
Validator = Callable[[Key, Data, Any, Any], None]


def _of_people(validate: Validator) -> Validator:
    """Return a validator that stores what the harvest writes unchanged."""

    @functools.wraps(validate)
    def validate_of_people(key: Key, data: Data, errors: Any, context: Any) -> None:
        if not context.get(BY_HARVEST):
            return validate(key, data, errors, context)
        value = data.get(key)
        return _put(key, data, "" if value is tk.missing or value is None else str(value))

    return validate_of_people


def ukharvest_number(value: Any) -> float:
    """Accept a number of 0 or more, whole or not."""
    with contextlib.suppress(TypeError, ValueError):
        if 0 <= float(value) < float("inf"):
            return float(value)
    raise tk.Invalid("expected a number of 0 or more, such as 0.2 or 60")


@_of_people
def ukharvest_text(key: Key, data: Data, _errors: Any, context: Any) -> None:
    """Accept one text; stored without surrounding white space."""
    _store_one(key, data, context, str.strip)


@_of_people
def ukharvest_schema_type(key: Key, data: Data, _errors: Any, context: Any) -> None:
    """Accept the language of a schema; known ones in any spelling, such as "CSV Lint"."""
    _store_one(key, data, context, formats.schema_type_name)


@_of_people
def ukharvest_theme(key: Key, data: Data, _errors: Any, context: Any) -> None:
    """Accept a theme by name, title, slug or EU theme; stored as its name."""
    _store_one(key, data, context, _theme)


@_of_people
def ukharvest_themes(key: Key, data: Data, _errors: Any, context: Any) -> None:
    """Accept themes as a list, JSON, or text with commas; stored as a JSON list of names."""
    texts = [text for value in _values(data.get(key)) for text in values.texts(value)]
    old = values.texts(_stored(key, data, context))
    new = _convert_all(texts, _theme, old)
    # A select sends its values in the order of its list.
    _put(key, data, multivalue.as_text(old if set(old) == set(new) else new))


@_of_people
def ukharvest_address(key: Key, data: Data, _errors: Any, context: Any) -> None:
    """Accept one URL, or the title of a schema in the field's vocabulary."""
    urls = _addresses(key, data, context)
    if len(urls) > 1:
        _refuse_several(urls)
    _put(key, data, "".join(urls))


@_of_people
def ukharvest_addresses(key: Key, data: Data, _errors: Any, context: Any) -> None:
    """Accept URLs or titles from the field's vocabulary, as list, JSON or text; stored as JSON."""
    _put(key, data, multivalue.as_text(_addresses(key, data, context)))


@_of_people
def ukharvest_frequency(key: Key, data: Data, _errors: Any, context: Any) -> None:
    """Accept an ISO 8601 interval such as R/P1M, or a word such as monthly; stored as interval."""
    _store_one(key, data, context, parse_frequency)


@_of_people
def ukharvest_date(key: Key, data: Data, _errors: Any, context: Any) -> None:
    """Accept a day, month or year; stored as ISO 8601. Refuse a ``…-to`` before its ``…-from``."""
    _store_one(key, data, context, parse_date)
    if str(key[-1]).endswith("-to"):
        _check_period((*key[:-1], key[-1].removesuffix("-to") + "-from"), key, data, context)


@_of_people
def ukharvest_flag(key: Key, data: Data, _errors: Any, context: Any) -> None:
    """Accept yes or no in many forms; stored as "true" or not at all."""
    _store_one(key, data, context, multivalue.parse_flag)


@_of_people
def ukharvest_la_function(key: Key, data: Data, _errors: Any, context: Any) -> None:
    """Accept functions of local government by URI, number or label.

    Services among them are moved to the field ``la_service``, and functions from there to this
    one: the URIs tell them apart. CKAN validates fields by name, so this one comes first.
    """
    service = (*key[:-1], "la_service")
    here = local_government_lists.find(_values(data.get(key)), local_government_lists.FUNCTION)
    there = local_government_lists.find(_values(data.get(service)), local_government_lists.SERVICE)
    functions, services = here.functions + there.functions, there.services + here.services
    if service not in data:  # a schema without that field
        functions += here.services
    elif there.functions or here.services:
        data[service] = [*services, *there.others]
    _store_uris(key, data, context, functions, here.others)


@_of_people
def ukharvest_la_service(key: Key, data: Data, _errors: Any, context: Any) -> None:
    """Accept services of local government by URI, number or label."""
    here = local_government_lists.find(_values(data.get(key)), local_government_lists.SERVICE)
    # A function is left here only if the schema has no field for functions.
    _store_uris(key, data, context, here.services + here.functions, here.others)


def _store_uris(
    key: Key, data: Data, context: Any, uris: Iterable[str], others: Iterable[str]
) -> None:
    is_service = key[-1] == "la_service"
    kind = local_government_lists.SERVICE if is_service else local_government_lists.FUNCTION
    stored = _stored(key, data, context)
    known = local_government_lists.find([stored], kind).others
    wrong = [text for text in others if text not in known]
    if wrong:
        number = "579" if is_service else "40"
        example = f"http://id.esd.org.uk/{kind}/{number}"
        message = gettext(
            "{value} is not in the list; expected one of: {examples}",
            value=", ".join(f"'{shorten(text, 60)}'" for text in wrong),
            examples=f"{example}, {number}, '{local_government_lists.label(example)}', …",
        )
        raise tk.Invalid(message)
    new = list(dict.fromkeys([*uris, *others]))
    _put(key, data, stored if set(stored.split(" ")) == set(new) else " ".join(new))


def _store_one(key: Key, data: Data, context: Any, read: Callable[[str], str]) -> None:
    values = _values(data.get(key))
    if len(set(values)) > 1:
        _refuse_several(values)
    stored = _values(_stored(key, data, context))
    _put(key, data, "".join(_convert_all(values[:1], read, stored)))


def _convert_all(
    texts: Iterable[str], read: Callable[[str], str], stored: Iterable[str]
) -> list[str]:
    """Return the stored forms without duplicates; refuse invalid texts that are not stored yet."""
    values, wrong = [], []
    for text in texts:
        try:
            values.append(read(text))
        except ValueError as exc:
            values.append(text)
            wrong += [] if text in stored else [str(exc)]
    if wrong:
        raise tk.Invalid("; ".join(wrong))
    return list(dict.fromkeys(values))


def _theme(text: str) -> str:
    if name := theme_names.find(text):
        return name
    message = gettext(
        "{value} is not in the list; expected one of: {examples}",
        value=f"'{shorten(text, 60)}'",
        examples=", ".join(tk._(theme_names.title(name)) for name in theme_names.names()),
    )
    raise ValueError(message)


def _addresses(key: Key, data: Data, context: Any) -> list[str]:
    """Return the URLs of a field, and invalid texts if they are stored; refuse anything else."""
    register = _REGISTERS.get(key[-1], "")
    values = _values(data.get(key))
    # A list in JSON is one text.
    sent = multivalue.addresses(values[0] if len(values) == 1 else values, register)
    stored = multivalue.addresses(_stored(key, data, context), register).others
    return [*sent.urls, *_convert_all(sent.others, parse_url, stored)]


def _check_period(first: Key, last: Key, data: Data, context: Any) -> None:
    try:
        start, end = parse_date(str(data.get(first) or "")), parse_date(data[last])
    except ValueError:  # reported already, or stored before
        return
    if all(data[key] == _stored(key, data, context) for key in (first, last)):
        return
    try:
        parse_period(f"{start}/{end}")
    except ValueError:
        raise tk.Invalid(
            gettext(
                "'{end}' is before the start, '{start}'; expected a later date",
                start=start,
                end=end,
            )
        ) from None


def _refuse_several(values: Sequence[str]) -> NoReturn:
    raise tk.Invalid(
        gettext(
            "found {number} values; expected one, such as '{value}'",
            number=len(values),
            value=shorten(values[0], 60),
        )
    )


def _values(value: Any) -> list[str]:
    """Return the texts that a form or a client sent."""
    return [] if value is tk.missing else multivalue.submitted_texts(value)


def _put(key: Key, data: Data, text: str) -> None:
    """Store a text; an empty field is not stored at all."""
    if not text:
        data.pop(key, None)
        raise tk.StopOnError
    data[key] = text


def _stored(key: Key, data: Data, context: Any) -> str:
    """Return the field's value in the database, "" for a new dataset or resource."""
    if len(key) == 1:
        owner = context.get("package")
    else:
        id_ = data.get((*key[:-1], "id"))
        owner = model.Resource.get(id_) if isinstance(id_, str) else None
    return str(owner.extras.get(key[-1]) or "") if owner else ""
