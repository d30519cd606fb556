"""Validators, usable by name in config_declaration.yaml and schemas.

Those of the fields (``fields.FIELDS``) make the stored form of a value: what people type, tick or
send is accepted in many writings, what it cannot be is told with an example. What the harvest
writes stays as it is: its parsers have made the same form and reported what is wrong. So does a
value that stood there before, so that nobody has to mend a publisher's slip to change a title.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import ckan.plugins.toolkit as tk
from ckan import model

from ckanext.ukharvest.core import lga, listed, schema_types, theme_names
from ckanext.ukharvest.core.text import shorten
from ckanext.ukharvest.core.values import parse_date, parse_frequency, parse_period, parse_url
from ckanext.ukharvest.fields import ADDRESS, ADDRESSES, BY_HARVEST, FIELDS
from ckanext.ukharvest.shown import values as shown_values

# Which list's titles stand for addresses in a field.
_REGISTERS = {field.key: field.vocabulary for field in FIELDS if field.kind in (ADDRESS, ADDRESSES)}

Key = tuple[Any, ...]
Data = dict[Key, Any]


def ukharvest_number(value: Any) -> float:
    """Accept a number of 0 or more, whole or not."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number < float("inf"):
        raise tk.Invalid(tk._("expected a number of 0 or more, such as 0.2 or 60"))
    return number


def ukharvest_text(key: Key, data: Data, errors: Any, context: Any) -> None:
    """Accept one text; stored without blanks around it."""
    del errors
    _store_one(key, data, context, str.strip)


def ukharvest_schema_type(key: Key, data: Data, errors: Any, context: Any) -> None:
    """Accept what a schema is written in; known kinds in any case, such as "CSV Lint"."""
    del errors
    _store_one(key, data, context, schema_types.name)


def ukharvest_theme(key: Key, data: Data, errors: Any, context: Any) -> None:
    """Accept a theme by its name, title, slug or an EU theme; stored by its name."""
    del errors
    _store_one(key, data, context, _theme)


def ukharvest_themes(key: Key, data: Data, errors: Any, context: Any) -> None:
    """Accept themes as a list, JSON, or text with commas; stored as a JSON list of names."""
    del errors
    texts = [text for each in _values(data.get(key)) for text in shown_values.texts(each)]
    _store_list(key, data, context, texts, _theme)


def ukharvest_address(key: Key, data: Data, errors: Any, context: Any) -> None:
    """Accept one web address, or the title of a schema of the register."""
    del errors
    if _is_harvest(context):
        return _as_it_is(key, data)
    found = _addresses(key, data, context)
    if len(found) > 1:
        _refuse_several(found)
    return _put(key, data, "".join(found))


def ukharvest_addresses(key: Key, data: Data, errors: Any, context: Any) -> None:
    """Accept web addresses, or titles of their register, in a list, JSON or text; a JSON list."""
    del errors
    if _is_harvest(context):
        return _as_it_is(key, data)
    return _put(key, data, listed.as_text(_addresses(key, data, context)))


def ukharvest_frequency(key: Key, data: Data, errors: Any, context: Any) -> None:
    """Accept an interval such as R/P1M, or words such as monthly; stored as the interval."""
    del errors
    _store_one(key, data, context, parse_frequency)


def ukharvest_date(key: Key, data: Data, errors: Any, context: Any) -> None:
    """Accept a day, month or year; stored as ISO 8601. A ``…-to`` is not before its ``…-from``."""
    del errors
    _store_one(key, data, context, parse_date)
    if str(key[-1]).endswith("-to") and not _is_harvest(context):
        _check_period((*key[:-1], key[-1].removesuffix("-to") + "-from"), key, data, context)


def ukharvest_flag(key: Key, data: Data, errors: Any, context: Any) -> None:
    """Accept yes or no in many writings; stored as "true" or not at all."""
    del errors
    _store_one(key, data, context, listed.flag)


def ukharvest_la_function(key: Key, data: Data, errors: Any, context: Any) -> None:
    """Accept functions of local government by address, number or label.

    A service among them goes to the field ``la_service``, and a function there comes here: the
    addresses tell them apart. Validation goes by the names of fields, so this one is first.
    """
    del errors
    if _is_harvest(context):
        return _as_it_is(key, data)
    service = (*key[:-1], "la_service")
    here = lga.find(_values(data.get(key)), lga.FUNCTION)
    there = lga.find(_values(data.get(service)), lga.SERVICE)
    functions, services = here.functions + there.functions, there.services + here.services
    if service not in data:  # a schema without that field
        functions += here.services
    elif there.functions or here.services:
        data[service] = [*services, *there.others]
    _store_uris(key, data, context, functions, here.others)
    return None


def ukharvest_la_service(key: Key, data: Data, errors: Any, context: Any) -> None:
    """Accept services of local government by address, number or label."""
    del errors
    if _is_harvest(context):
        return _as_it_is(key, data)
    found = lga.find(_values(data.get(key)), lga.SERVICE)
    # A function is left here only if the schema has no field for functions.
    _store_uris(key, data, context, found.services + found.functions, found.others)
    return None


def _store_uris(
    key: Key, data: Data, context: Any, uris: Iterable[str], others: Iterable[str]
) -> None:
    kind = lga.SERVICE if key[-1] == "la_service" else lga.FUNCTION
    stored = _stored(key, data, context)
    kept = lga.find([stored], kind).others
    wrong = [text for text in others if text not in kept]
    if wrong:
        message = tk._(
            "{value} is not in the list; expected an address such as {address}, its number, "
            "or a label such as '{label}'"
        )
        example = f"http://id.esd.org.uk/{kind}/" + ("579" if kind == lga.SERVICE else "40")
        said = ", ".join(f"'{shorten(text, 60)}'" for text in wrong)
        raise tk.Invalid(message.format(value=said, address=example, label=lga.label(example)))
    found = list(dict.fromkeys([*uris, *others]))
    old = stored.split(" ")
    _put(key, data, stored if set(old) == set(found) else " ".join(found))


def _store_one(key: Key, data: Data, context: Any, read: Callable[[str], str]) -> None:
    if _is_harvest(context):
        return _as_it_is(key, data)
    values = _values(data.get(key))
    if len(set(values)) > 1:
        _refuse_several(values)
    found = _each(values[:1], read, _values(_stored(key, data, context)))
    return _put(key, data, "".join(found))


def _store_list(
    key: Key, data: Data, context: Any, texts: Iterable[str], read: Callable[[str], str]
) -> None:
    if _is_harvest(context):
        return _as_it_is(key, data)
    old = shown_values.texts(_stored(key, data, context))
    found = _each(texts, read, old)
    # A select sends its values in the order of its list.
    return _put(key, data, listed.as_text(old if set(old) == set(found) else found))


def _each(texts: Iterable[str], read: Callable[[str], str], kept: Iterable[str]) -> list[str]:
    """Return each text as it is stored, once; what cannot be read only if it was there before."""
    found: dict[str, None] = {}
    wrong = []
    for text in texts:
        try:
            found[read(text)] = None
        except ValueError as exc:
            found[text] = None
            if text not in kept:
                wrong.append(str(exc))
    if wrong:
        raise tk.Invalid("; ".join(wrong))
    return list(found)


def _theme(text: str) -> str:
    if name := theme_names.find(text):
        return name
    message = tk._("'{value}' is no theme; expected one of {titles}")
    titles = ", ".join(tk._(theme_names.title(name)) for name in theme_names.names())
    raise ValueError(message.format(value=shorten(text, 60), titles=titles))


def _addresses(key: Key, data: Data, context: Any) -> list[str]:
    """Return the addresses of a field and what stood there before; anything else is refused."""
    register = _REGISTERS.get(key[-1], "")
    values = _values(data.get(key))
    # A list in JSON is one text.
    found = listed.addresses(values[0] if len(values) == 1 else values, register)
    kept = listed.addresses(_stored(key, data, context), register).others
    return [*found.urls, *_each(found.others, parse_url, kept)]


def _check_period(first: Key, last: Key, data: Data, context: Any) -> None:
    try:
        start, end = parse_date(str(data.get(first) or "")), parse_date(data[last])
    except ValueError:  # told already, or it stood there before
        return
    if all(data[key] == _stored(key, data, context) for key in (first, last)):
        return
    try:
        parse_period(f"{start}/{end}")
    except ValueError:
        message = tk._("'{end}' is before '{start}', where it begins; expected a later date")
        raise tk.Invalid(message.format(start=start, end=end)) from None


def _refuse_several(values: Sequence[str]) -> NoReturn:
    message = tk._("found {number} values; expected one, such as '{value}'")
    raise tk.Invalid(message.format(number=len(values), value=shorten(values[0], 60)))


def _values(value: Any) -> list[str]:
    """Return what a form or a client sent as texts."""
    return [] if value is tk.missing else listed.sent(value)


def _put(key: Key, data: Data, text: str) -> None:
    """Store a text; a field that says nothing is not stored at all."""
    if not text:
        data.pop(key, None)
        raise tk.StopOnError
    data[key] = text


def _as_it_is(key: Key, data: Data) -> None:
    value = data.get(key)
    _put(key, data, "" if value is tk.missing or value is None else str(value))


def _is_harvest(context: Any) -> bool:
    return bool(context.get(BY_HARVEST))


def _stored(key: Key, data: Data, context: Any) -> str:
    """Return what the database has in the field, "" for a new dataset or resource."""
    if len(key) == 1:
        owner = context.get("package")
    else:
        id_ = data.get((*key[:-1], "id"))
        owner = model.Resource.get(id_) if isinstance(id_, str) else None
    return str(owner.extras.get(key[-1]) or "") if owner else ""
