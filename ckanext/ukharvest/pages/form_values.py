"""What the form of a source sends, as the source's type, address and configuration.

The fields of a type's options are called ``option_<type>_<option>``, those of all types
``option_common_<option>``; a hidden ``options_of`` says for each type that its fields are in the
form, since a box that is not ticked sends nothing. ``config`` holds options as JSON that have no
field; without it they stay as the source has them. Only what differs from the defaults is stored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from werkzeug.datastructures import MultiDict

from ckanext.ukharvest import types
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.options import Option, validate
from ckanext.ukharvest.words.option_words import NOT_SHOWN

COMMON = "common"
TABLE_PARTS = ("from", "to", "default", "values")

Form = MultiDict[str, str]
Options = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Sent:
    """A form's source.

    Attributes:
        source_type, url: as sent, without blanks around them; "" where nothing was sent.
        config: the configuration as JSON text, "" for none.
        errors: messages by name of the form's field; those of options that cannot be read.
    """

    source_type: str
    url: str
    config: str
    errors: dict[str, list[str]] = field(default_factory=dict)


def read(form: Form, *, source_type: str = "", config: str = "", sysadmin: bool = False) -> Sent:
    """Return what a form says; never raises.

    Args:
        form: as sent.
        source_type: of the source that is edited, which a form cannot change; "" for a new one.
        config: the configuration of the source that is edited, as JSON text.
        sysadmin: whether options that reach beyond the source's organisation are read as well.
    """
    source_type = source_type or form.get("source_type", "").strip()
    url = form.get("url", "").strip()
    text = form.get("config", config)
    kind, found = types.find(source_type), read_config(text)
    if kind is None or found is None:
        return Sent(source_type, url, text.strip())
    stored = read_config(config)
    base = found
    if "options_of" in form:  # the options that have fields are not in the text
        base = {**_of_fields(stored or {}, kind, sysadmin=sysadmin), **found}
    errors: dict[str, list[str]] = {}
    for part, options in shown_options(kind, sysadmin=sysadmin):
        if part in form.getlist("options_of"):
            for option in options:
                errors.update(_overlay(base, option, field_name(part, option.name), form))
    errors = errors or _wrong(base, kind)
    if base == stored:  # also as a person wrote it
        return Sent(source_type, url, config, errors)
    return Sent(source_type, url, json.dumps(base, indent=2) if base else "", errors)


def _wrong(options: Options, kind: types.SourceType) -> dict[str, list[str]]:
    """Say what is wrong with options that have no field, such as a name that nobody knows."""
    try:
        validate(options, (*kind.options, *types.COMMON_OPTIONS))
    except ConfigError as exc:
        return {"config": [exc.message]}
    return {}


def read_config(text: str) -> Options | None:
    """Return a configuration's options, None where the text is no JSON object."""
    try:
        found = json.loads(text) if text.strip() else {}
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def shown_options(kind: types.SourceType, *, sysadmin: bool) -> list[tuple[str, list[Option]]]:
    """Return the options that have fields: the type's own, under its name, and the common ones."""
    return [
        (part, [each for each in options if _is_shown(each, sysadmin=sysadmin)])
        for part, options in ((kind.name, kind.options), (COMMON, types.COMMON_OPTIONS))
    ]


def _is_shown(option: Option, *, sysadmin: bool) -> bool:
    return option.name not in NOT_SHOWN and (sysadmin or not option.sysadmin_only)


def field_name(part: str, option: str) -> str:
    """Return what the field of an option is called; ``part``: the type's name, or COMMON."""
    return f"option_{part}_{option}"


def value_of(option: Option, options: Mapping[str, Any]) -> Any:
    """Return an option's value, converted; as it stands where it cannot be."""
    given = {name: options[name] for name in (option.name, option.alias) if name in options}
    try:
        return validate(given, (option,))[option.name]
    except ConfigError:
        return next(iter(given.values()))


def _of_fields(config: Options, kind: types.SourceType, *, sysadmin: bool) -> Options:
    """The options of a configuration that have a field."""
    shown = shown_options(kind, sysadmin=sysadmin)
    names = {name for _, options in shown for each in options for name in (each.name, each.alias)}
    return {name: value for name, value in config.items() if name in names}


def without_field(config: str, kind: types.SourceType, *, sysadmin: bool) -> str:
    """Return the options of a configuration that have no field, as JSON text; "" for none.

    A text that is no JSON object is returned as it is.
    """
    found = read_config(config)
    if found is None:
        return config
    shown = _of_fields(found, kind, sysadmin=sysadmin)
    kept = {name: value for name, value in found.items() if name not in shown}
    return json.dumps(kept, indent=2, ensure_ascii=False) if kept else ""


def _overlay(base: Options, option: Option, name: str, form: Form) -> dict[str, list[str]]:
    """Put what a field says into the options, where it is not what they say already."""
    sent = _sent(option, name, form, base)
    if _plain(sent) == _plain(value_of(option, base)):
        return {}
    base.pop(option.alias, None)
    base.pop(option.name, None)
    if sent not in ("", [], {}) and _plain(sent) != _plain(option.default):
        base[option.name] = sent
    try:
        validate({option.name: sent}, (option,))
    except ConfigError as exc:
        return {name: [exc.message.removeprefix(f"{option.name}: ")]}
    return {}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _sent(option: Option, name: str, form: Form, base: Options) -> Any:
    if option.kind == "boolean":
        return name in form
    if option.kind == "table":
        return _table(name, form, value_of(option, base))
    if option.kind == "list":
        texts = form.getlist(name) if option.choices else form.get(name, "").splitlines()
        return [text.strip() for text in texts if text.strip()]
    text = form.get(name, "").strip()
    if option.kind == "integer":
        return int(text) if text.isdecimal() else text or option.default
    return text or option.default


def _table(name: str, form: Form, before: Any) -> Options:
    """Rows as an option's object; a row that nobody changed stays as the configuration has it."""
    before = before if isinstance(before, Mapping) else {}
    found: Options = {}
    for row in table_rows(name, form):
        if there := row["from"]:
            same = there in before and table_row(there, before[there]) == row
            found[there] = before[there] if same else _rule(row)
    return found


def table_rows(name: str, form: Form) -> list[dict[str, str]]:
    """Return the rows of a table as they were sent."""
    columns = [form.getlist(f"{name}_{part}") for part in TABLE_PARTS]
    return [
        dict(zip(TABLE_PARTS, (cell.replace("\r\n", "\n").strip() for cell in row), strict=True))
        for row in zip(*columns, strict=False)  # of a row that is not whole nothing is taken
    ]


def table_row(name: str, rule: Any) -> dict[str, str]:
    """Return one rule of a table as the cells of a row, see ``parsers/field_table.py``."""
    if isinstance(rule, str):
        return {"from": name, "to": rule, "default": "", "values": ""}
    if not isinstance(rule, Mapping) or not rule or rule.get("drop"):
        return {"from": name, "to": "", "default": "", "values": ""}
    values = rule.get("values") if isinstance(rule.get("values"), Mapping) else {}
    lines = "\n".join(f"{there} = {here}" for there, here in (values or {}).items())
    default = rule.get("default")
    return {
        "from": name,
        "to": str(rule.get("to", name)),
        "default": "" if default is None else str(default),
        "values": lines,
    }


def _rule(row: Mapping[str, str]) -> Any:
    pairs = [line.partition("=") for line in row["values"].splitlines() if "=" in line]
    values = {there.strip(): here.strip() for there, _, here in pairs}
    if not values and not row["default"]:
        return row["to"] or None
    rule: Options = {"to": row["to"] or row["from"]}
    if values:
        rule["values"] = values
    if row["default"]:
        rule["default"] = row["default"]
    return rule
