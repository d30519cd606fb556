"""The fields of a source's form: built from a source, and parsed to its type, URL and options."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from werkzeug.datastructures import MultiDict

from ckanext.ukharvest import source_types
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.options import Option, validate

COMMON = "common"
TABLE_PARTS = ("from", "to", "default", "values")
# Empty rows at the end of a table; to get more, save and edit again.
EMPTY_ROWS = 2

Form = MultiDict[str, str]
Options = dict[str, Any]
Row = Mapping[str, str]


class FormOption(NamedTuple):
    """An option that has a field, the field's name, and its part of the form."""

    part: str
    name: str
    option: Option


def shown_options(kind: source_types.SourceType, *, sysadmin: bool) -> list[FormOption]:
    """Return the options with fields: the type's own, then those of all types."""
    return [
        FormOption(part, f"option_{part}_{option.name}", option)
        for part, options in ((kind.name, kind.options), (COMMON, source_types.COMMON_OPTIONS))
        for option in options
        if option.label and (sysadmin or not option.sysadmin_only)
    ]


@dataclass(frozen=True, slots=True)
class Field:
    """An option's field, for the template.

    Attributes:
        values: texts of the field, or the chosen ones of its choices; ["true"] for a ticked box.
        rows: of a table, with keys TABLE_PARTS.
        usual: whether it has its default value.
        errors: messages about the sent value.
    """

    name: str
    option: Option
    values: list[str]
    rows: Sequence[Row]
    usual: bool
    errors: Sequence[str]
    translate: Callable[[str], str]

    @property
    def label(self) -> str:
        return self.translate(self.option.label)

    @property
    def help(self) -> str:
        return self.translate(self.option.form_help or self.option.help)

    @property
    def choices(self) -> Iterator[tuple[str, str]]:
        """Yield value and label: a stored value that is not offered is a choice too."""
        labels = dict(self.option.labels)
        if self.option.kind == "text" and not self.option.default:
            labels = {"": self.option.empty, **labels}
        for value in dict.fromkeys((*labels, *filter(None, self.values))):
            label = labels.get(value) or self.option.old_choices.get(value, value)
            yield value, self.translate(label) if label else ""


def build_fields(
    shown: Sequence[FormOption],
    form: Form,
    options: Options,
    errors: Mapping[str, Sequence[str]],
    translate: Callable[[str], str],
) -> list[Field]:
    """Return the fields of options.

    Args:
        form: the sent form, whose texts are shown unchanged; where a part is not in it, the
            options' values are.
        options: the source's options.
        errors: field name → messages.
    """
    sent = form.getlist("options_of")
    return [
        Field(
            name,
            option,
            *_contents(name, option, form if part in sent else None, options),
            errors=errors.get(name, ()),
            translate=translate,
        )
        for part, name, option in shown
    ]


def _contents(
    name: str, option: Option, form: Form | None, options: Options
) -> tuple[list[str], list[Row], bool]:
    """Return a field's texts, its rows, and whether it has its default value."""
    stored = value_of(option, options)
    if option.kind == "table":
        if form is not None:
            rows = [row for row in table_rows(name, form) if any(row.values())]
        else:
            rules = stored if isinstance(stored, Mapping) else {}
            rows = [table_row(str(key), rule) for key, rule in rules.items()]
        usual = not any(row["from"] for row in rows)
        return [], [*rows, *[dict.fromkeys(TABLE_PARTS, "")] * EMPTY_ROWS], usual
    values = _texts(option, stored) if form is None else _sent_texts(option, name, form)
    return values, [], values == _texts(option, option.default)


def value_of(option: Option, options: Mapping[str, Any]) -> Any:
    """Return an option's value, converted if it is valid, else unchanged."""
    values = {name: options[name] for name in (option.name, option.alias) if name in options}
    try:
        return validate(values, (option,))[option.name]
    except ConfigError:
        return next(iter(values.values()))


def _texts(option: Option, value: Any) -> list[str]:
    """Return the texts of a field for a value; ``read_field`` reads them."""
    if option.kind == "boolean":
        return ["true"] if value is True else []
    if isinstance(value, (list, tuple)):
        texts = [str(item) for item in value]
        return texts if option.choices else ["\n".join(texts)]
    return [str(value)]


def _sent_texts(option: Option, name: str, form: Form) -> list[str]:
    if option.widget in ("box", "boxes"):
        return form.getlist(name)
    return [form.get(name, "")]


def read_field(option: Option, name: str, form: Form, stored: Any) -> Any:
    """Return the value that a form sends for an option, not validated.

    Args:
        stored: the option's value before; rules of a table's rows that were not changed stay.
    """
    if option.kind == "boolean":
        return name in form
    if option.kind == "table":
        return _read_table(name, form, stored)
    texts = _sent_texts(option, name, form)
    if option.kind == "list":
        lines = texts if option.choices else texts[0].splitlines()
        return [line.strip() for line in lines if line.strip()]
    text = texts[0].strip().replace("\r\n", "\n")
    if option.kind == "integer" and text.isdecimal():
        return int(text)
    return text or option.default


def _read_table(name: str, form: Form, before: Any) -> Options:
    before = before if isinstance(before, Mapping) else {}
    rules: Options = {}
    for row in table_rows(name, form):
        if there := row["from"]:
            same = there in before and table_row(there, before[there]) == row
            rules[there] = before[there] if same else _rule(row)
    return rules


def table_rows(name: str, form: Form) -> list[dict[str, str]]:
    """Return the sent rows of a table."""
    columns = [form.getlist(f"{name}_{part}") for part in TABLE_PARTS]
    return [
        dict(zip(TABLE_PARTS, (cell.replace("\r\n", "\n").strip() for cell in row), strict=True))
        for row in zip(*columns, strict=False)  # incomplete rows are ignored
    ]


def table_row(name: str, rule: Any) -> dict[str, str]:
    """Return a rule of a table as the cells of a row; see ``parsers/ckan/names.py``."""
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
    kind, base = source_types.find(source_type), read_config(text)
    if kind is None or base is None:
        return SentSource(source_type, url, text.strip())
    stored, parts = read_config(config), form.getlist("options_of")
    errors: dict[str, list[str]] = {}
    shown = [field for field in shown_options(kind, sysadmin=sysadmin) if field.part in parts]
    if parts:  # the text has only the options without a field
        box = base if "config" in form else {}
        if twice := [field.option.name for field in shown if field.option.name in box]:
            errors["config"] = [f"{twice[0]}: this option has a field; change it there"]
        base = {**_split(stored or {}, kind, sysadmin=sysadmin)[0], **base}
    for _part, name, option in shown:
        errors.update(_overlay(base, option, name, form))
    errors = errors or _find_error(base, kind, sysadmin=sysadmin)
    if base == stored:  # keeps the text as a person wrote it
        return SentSource(source_type, url, config, errors)
    return SentSource(source_type, url, json.dumps(base, indent=2) if base else "", errors)


def _find_error(
    options: Options, kind: source_types.SourceType, *, sysadmin: bool
) -> dict[str, list[str]]:
    """Return errors of options without a field, such as an unknown name, or of two together."""
    try:
        validate(options, kind.all_options)
    except ConfigError as exc:
        for _part, name, option in shown_options(kind, sysadmin=sysadmin):
            if exc.field == option.name:
                return {name: [exc.message.removeprefix(f"{exc.field}: ")]}
        return {"config": [exc.message]}
    return {}


def read_config(text: str) -> Options | None:
    """Return a configuration's options, None if the text is no JSON object."""
    try:
        options = json.loads(text) if text.strip() else {}
    except ValueError:
        return None
    return options if isinstance(options, dict) else None


def _split(
    config: Options, kind: source_types.SourceType, *, sysadmin: bool
) -> tuple[Options, Options]:
    """Return the options of a configuration that have a field, and the others."""
    shown = [field.option for field in shown_options(kind, sysadmin=sysadmin)]
    names = {name for option in shown for name in (option.name, option.alias)}
    return (
        {name: value for name, value in config.items() if name in names},
        {name: value for name, value in config.items() if name not in names},
    )


def without_field(config: str, kind: source_types.SourceType, *, sysadmin: bool) -> str:
    """Return the options of a configuration that have no field, as JSON text; "" for none.

    A text that is no JSON object is returned unchanged.
    """
    options = read_config(config)
    if options is None:
        return config
    _shown, others = _split(options, kind, sysadmin=sysadmin)
    return json.dumps(others, indent=2, ensure_ascii=False) if others else ""


def _overlay(base: Options, option: Option, name: str, form: Form) -> dict[str, list[str]]:
    """Set an option to its field's value if that differs; return errors by field name."""
    stored = value_of(option, base)
    sent = read_field(option, name, form, stored)
    if _plain(sent) == _plain(stored):
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


def change_option(kind: source_types.SourceType, options: Options, name: str, text: str) -> Options:
    """Return a configuration with one option set to a text, or to its default by "".

    Args:
        text: of a list or a table also its JSON.

    Raises:
        ConfigError: an unknown name, or a wrong value.
    """
    value: Any = text
    if text.startswith("["):
        with suppress(ValueError):
            value = json.loads(text)
    values = validate({name: value}, kind.all_options)
    option = next(one for one in kind.all_options if name in (one.name, one.alias))
    value = values[option.name]
    others = {key: old for key, old in options.items() if key not in (option.name, option.alias)}
    return others if value == option.default else {**others, option.name: _plain(value)}


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def choose_values(form: Form, source_type: str, *, sysadmin: bool) -> None:
    """Put the values that were chosen in the result of a test into the fields of their options.

    ``chosen_of`` names each option and the prefix of the values that could be chosen, ``only`` and
    ``without`` an option and a value; the parts are separated by a tab.
    """
    kind = source_types.find(source_type)
    offered = [pair.partition("\t")[::2] for pair in form.poplist("chosen_of")]
    chosen = [
        pair.partition("\t")[::2] for name in ("only", "without") for pair in form.poplist(name)
    ]
    for _part, field_name, option in shown_options(kind, sysadmin=sysadmin) if kind else ():
        prefixes = tuple(prefix for name, prefix in offered if name == option.name)
        if prefixes:
            lines = [line.strip() for line in form.get(field_name, "").splitlines()]
            others = [line for line in lines if line and not line.startswith(prefixes)]
            new = [value for name, value in chosen if name == option.name]
            form.setlist(field_name, ["\n".join([*others, *new])])
