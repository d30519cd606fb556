"""Source types and fields of options for the template of the source form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import ckan.plugins.toolkit as tk

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.presentation.messages import option_texts, source_texts
from ckanext.ukharvest.web.pages.form_values import (
    TABLE_PARTS,
    Form,
    Options,
    field_name,
    shown_options,
    table_row,
    table_rows,
    value_of,
)

# Empty rows at the end of a table; to get more, save and edit again.
EMPTY_ROWS = 2

Errors = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that a field offers."""

    value: str
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Field:
    """An option in the form.

    Attributes:
        widget: "text", "number", "box", "lines", "select", "boxes" or "rows".
        value: as text; "true" for a ticked box.
        choices: of a select or of boxes.
        rows: of a table, with keys TABLE_PARTS.
        errors: messages about the sent value.
        usual: whether it has its default value.
    """

    name: str
    label: str
    help: str
    widget: str
    value: str
    minimum: int = 0
    choices: tuple[Choice, ...] = ()
    rows: tuple[Mapping[str, str], ...] = ()
    errors: tuple[str, ...] = ()
    usual: bool = True


@dataclass(frozen=True, slots=True)
class Type:
    """A source type in the form; ``ours`` if its options have fields."""

    name: str
    kind: source_texts.Kind
    label: str
    line: str
    ours: bool
    fields: tuple[Field, ...] = ()


def groups(options: Iterable[Type]) -> list[tuple[str, list[Type]]]:
    """Return pairs of a group's title and its types, without empty groups."""
    found: dict[str, list[Type]] = {key: [] for key in source_texts.GROUPS}
    for each in options:
        found[each.kind.group].append(each)
    return [(tk._(source_texts.GROUPS[key]), of) for key, of in found.items() if of]


def all_types(form: Form, options: Options, errors: Errors, *, sysadmin: bool) -> list[Type]:
    """Return the types of this portal's plugins, those of other extensions last.

    Args:
        form: the sent form; an empty one shows the options.
        options: options of the source to edit.
        errors: field name → messages.
        sysadmin: whether to include options that only sysadmins may set.
    """
    known = {each["name"]: each for each in tk.h.harvesters_info()}
    ours = config.our_type_names()
    found = [
        build_type(name, form, options, errors, sysadmin=sysadmin)
        for name in source_texts.all_texts()
        if name in ours
    ]
    others = (each for name, each in known.items() if name not in ours)
    return [*found, *map(_other, others)]


def build_type(name: str, form: Form, options: Options, errors: Errors, *, sysadmin: bool) -> Type:
    """Return one type with the fields of its options."""
    kind = source_types.find(name)
    if kind is None:
        known = {each["name"]: each for each in tk.h.harvesters_info()}
        return _other(known.get(name, {"name": name, "title": name, "description": ""}))
    words = source_texts.find_texts(kind)
    fields = _fields(kind, kind.name, form, options, errors, sysadmin=sysadmin)
    return Type(kind.name, words, tk._(words.label), tk._(words.line), True, fields)


def _other(info: Mapping[str, str]) -> Type:
    title, line = info.get("title") or info["name"], info.get("description") or ""
    return Type(info["name"], source_texts.OTHER, tk._(title), tk._(line) if line else "", False)


def common_fields(
    form: Form, options: Options, errors: Errors, *, sysadmin: bool
) -> tuple[Field, ...]:
    """Return the fields of the options that all our types have."""
    return _fields(source_types.CKAN, "common", form, options, errors, sysadmin=sysadmin)


def _fields(  # noqa: PLR0913
    kind: source_types.SourceType,
    part: str,
    form: Form,
    options: Options,
    errors: Errors,
    *,
    sysadmin: bool,
) -> tuple[Field, ...]:
    is_sent = part in form.getlist("options_of")
    declared = dict(shown_options(kind, sysadmin=sysadmin))[part]
    return tuple(
        _field(option, field_name(part, option.name), form if is_sent else None, options, errors)
        for option in declared
    )


_WIDGETS = {"text": "text", "integer": "number", "boolean": "box", "list": "lines"}


def _field(option: Option, name: str, form: Form | None, options: Options, errors: Errors) -> Field:
    values = _sent(option, name, form) if form is not None else _stored(option, options)
    rows: tuple[Mapping[str, str], ...] = ()
    widget = _WIDGETS.get(option.kind, "rows")
    if widget == "rows":
        rows = _rows(name, form, value_of(option, options))
    elif option.choices:
        widget = "boxes" if option.kind == "list" else "select"
    elif option.is_long:
        widget = "area"
    return Field(
        name=name,
        label=tk._(option_texts.find_label(option) or option.name),
        help=tk._(option_texts.find_help(option)),
        widget=widget,
        value="\n".join(values),
        minimum=option.minimum,
        choices=_choices(option, values),
        rows=rows,
        errors=tuple(errors.get(name, ())),
        usual=values == _stored(option, {}) and not any(row["from"] for row in rows),
    )


def _sent(option: Option, name: str, form: Form) -> list[str]:
    if option.kind == "boolean":
        return ["true"] if name in form else []
    if option.kind == "list" and option.choices:
        return form.getlist(name)
    return [form.get(name, "")]


def _stored(option: Option, options: Options) -> list[str]:
    value = value_of(option, options)
    if option.kind == "boolean":
        return ["true"] if value is True else []
    if isinstance(value, (list, tuple)):
        return [str(each) for each in value]
    return [] if option.kind == "table" else [str(value)]


def _choices(option: Option, values: list[str]) -> tuple[Choice, ...]:
    if not option.choices:
        return ()
    words = option_texts.find_choices(option)
    offered = [value for value in words if value in option.choices]
    offered += [value for value in values if value and value not in offered]
    if option.kind == "text" and not option.default:
        offered.insert(0, "")
    empty = option_texts.EMPTY.get(option.name, "")
    labels = {value: tk._(words.get(value, value) if value else empty) for value in offered}
    return tuple(Choice(value, labels[value], value in values) for value in offered)


def _rows(name: str, form: Form | None, stored: Any) -> tuple[Mapping[str, str], ...]:
    if form is not None:
        filled = [row for row in table_rows(name, form) if any(row.values())]
    else:
        rules = stored if isinstance(stored, Mapping) else {}
        filled = [table_row(str(key), rule) for key, rule in rules.items()]
    return (*filled, *[dict.fromkeys(TABLE_PARTS, "")] * EMPTY_ROWS)
