"""Parse the sent form of a source to its type, URL and configuration.

The fields of a type's options are named ``option_<type>_<option>``, those of all types
``option_common_<option>``. A hidden field ``options_of`` names each type whose fields are in the
form, because a box that is not ticked sends nothing. ``config`` has the options without a field, as
JSON; if it is not sent they are not changed. Only values other than the defaults are stored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from werkzeug.datastructures import MultiDict

from ckanext.ukharvest import source_types
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.options import Option, validate
from ckanext.ukharvest.presentation.messages.option_texts import NOT_SHOWN

COMMON = "common"
TABLE_PARTS = ("from", "to", "default", "values")

Form = MultiDict[str, str]
Options = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SentSource:
    """The source that a form sends.

    Attributes:
        source_type, url: as sent, without surrounding white space; "" if not sent.
        config: the configuration as JSON text, "" for none.
        errors: field name → messages, of options that cannot be parsed.
    """

    source_type: str
    url: str
    config: str
    errors: dict[str, list[str]] = field(default_factory=dict)


def parse_form(
    form: Form, *, source_type: str = "", config: str = "", sysadmin: bool = False
) -> SentSource:
    """Return the source that a form sends; never raises.

    Args:
        form: the sent form.
        source_type: type of the source to edit, which a form cannot change; "" for a new one.
        config: configuration of the source to edit, as JSON text.
        sysadmin: whether to accept options that only sysadmins may set.
    """
    source_type = source_type or form.get("source_type", "").strip()
    url = form.get("url", "").strip()
    text = form.get("config", config)
    kind, found = source_types.find(source_type), read_config(text)
    if kind is None or found is None:
        return SentSource(source_type, url, text.strip())
    stored = read_config(config)
    base = found
    if "options_of" in form:  # the options that have fields are not in the text
        base = {**_of_fields(stored or {}, kind, sysadmin=sysadmin), **found}
    errors: dict[str, list[str]] = {}
    for part, options in shown_options(kind, sysadmin=sysadmin):
        if part in form.getlist("options_of"):
            for option in options:
                errors.update(_overlay(base, option, field_name(part, option.name), form))
    errors = errors or _wrong(base, kind, sysadmin=sysadmin)
    if base == stored:  # keeps the text as a person wrote it
        return SentSource(source_type, url, config, errors)
    return SentSource(source_type, url, json.dumps(base, indent=2) if base else "", errors)


def _wrong(
    options: Options, kind: source_types.SourceType, *, sysadmin: bool
) -> dict[str, list[str]]:
    """Return errors of options without a field, such as an unknown name, or of two together."""
    try:
        validate(options, (*kind.options, *source_types.COMMON_OPTIONS))
    except ConfigError as exc:
        for part, shown in shown_options(kind, sysadmin=sysadmin):
            if exc.field in {each.name for each in shown}:
                message = exc.message.removeprefix(f"{exc.field}: ")
                return {field_name(part, exc.field): [message]}
        return {"config": [exc.message]}
    return {}


def read_config(text: str) -> Options | None:
    """Return a configuration's options, None if the text is no JSON object."""
    try:
        found = json.loads(text) if text.strip() else {}
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def shown_options(
    kind: source_types.SourceType, *, sysadmin: bool
) -> list[tuple[str, list[Option]]]:
    """Return the options with fields: (type's name, its options) and (COMMON, common options)."""
    return [
        (part, [each for each in options if _is_shown(each, sysadmin=sysadmin)])
        for part, options in ((kind.name, kind.options), (COMMON, source_types.COMMON_OPTIONS))
    ]


def _is_shown(option: Option, *, sysadmin: bool) -> bool:
    return option.name not in NOT_SHOWN and (sysadmin or not option.sysadmin_only)


def field_name(part: str, option: str) -> str:
    """Return the name of an option's field; ``part`` is the type's name or COMMON."""
    return f"option_{part}_{option}"


def value_of(option: Option, options: Mapping[str, Any]) -> Any:
    """Return an option's value, converted if it is valid, else unchanged."""
    given = {name: options[name] for name in (option.name, option.alias) if name in options}
    try:
        return validate(given, (option,))[option.name]
    except ConfigError:
        return next(iter(given.values()))


def _of_fields(config: Options, kind: source_types.SourceType, *, sysadmin: bool) -> Options:
    """Return the options of a configuration that have a field."""
    shown = shown_options(kind, sysadmin=sysadmin)
    names = {name for _, options in shown for each in options for name in (each.name, each.alias)}
    return {name: value for name, value in config.items() if name in names}


def without_field(config: str, kind: source_types.SourceType, *, sysadmin: bool) -> str:
    """Return the options of a configuration that have no field, as JSON text; "" for none.

    A text that is no JSON object is returned unchanged.
    """
    found = read_config(config)
    if found is None:
        return config
    shown = _of_fields(found, kind, sysadmin=sysadmin)
    kept = {name: value for name, value in found.items() if name not in shown}
    return json.dumps(kept, indent=2, ensure_ascii=False) if kept else ""


def _overlay(base: Options, option: Option, name: str, form: Form) -> dict[str, list[str]]:
    """Set an option to its field's value if that differs; return errors by field name."""
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
    text = form.get(name, "").strip().replace("\r\n", "\n")
    if option.kind == "integer":
        return int(text) if text.isdecimal() else text or option.default
    return text or option.default


def choose_values(form: Form, source_type: str, *, sysadmin: bool) -> None:
    """Put the values that were chosen in the result of a test into the fields of their options.

    ``chosen_of`` names each option and the prefix of the values that could be chosen, ``only`` and
    ``without`` an option and a value; the parts are separated by a tab.
    """
    kind = source_types.find(source_type)
    offered = [each.partition("\t")[::2] for each in form.poplist("chosen_of")]
    chosen = [
        each.partition("\t")[::2] for name in ("only", "without") for each in form.poplist(name)
    ]
    for part, options in shown_options(kind, sysadmin=sysadmin) if kind else ():
        for option in options:
            prefixes = tuple(prefix for name, prefix in offered if name == option.name)
            if not prefixes:
                continue
            field = field_name(part, option.name)
            lines = [each.strip() for each in form.get(field, "").splitlines()]
            kept = [each for each in lines if each and not each.startswith(prefixes)]
            new = [value for name, value in chosen if name == option.name]
            form.setlist(field, ["\n".join([*kept, *new])])


def _table(name: str, form: Form, before: Any) -> Options:
    """Return a table's rows as an option's object; keep the rules of rows that were not changed."""
    before = before if isinstance(before, Mapping) else {}
    found: Options = {}
    for row in table_rows(name, form):
        if there := row["from"]:
            same = there in before and table_row(there, before[there]) == row
            found[there] = before[there] if same else _rule(row)
    return found


def table_rows(name: str, form: Form) -> list[dict[str, str]]:
    """Return the sent rows of a table."""
    columns = [form.getlist(f"{name}_{part}") for part in TABLE_PARTS]
    return [
        dict(zip(TABLE_PARTS, (cell.replace("\r\n", "\n").strip() for cell in row), strict=True))
        for row in zip(*columns, strict=False)  # incomplete rows are ignored
    ]


def table_row(name: str, rule: Any) -> dict[str, str]:
    """Return a rule of a table as the cells of a row; see ``parsers/field_table.py``."""
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
