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
from ckanext.ukharvest.sources import filter_rules
from ckanext.ukharvest.sources.filter_rules import RULES

COMMON = "common"
TABLE_PARTS = ("from", "to", "default", "values")
# Empty rows at the end of a table; to get more, save and edit again.
EMPTY_ROWS = 2

Form = MultiDict[str, str]
Options = dict[str, Any]
Row = Mapping[str, str]


class FormOption(NamedTuple):
    """An option that has a field, its source type, its part of the form and the field's name."""

    kind: source_types.SourceType
    part: str
    name: str
    option: Option

    @property
    def names(self) -> frozenset[str]:
        """Return the names of the options that the field stands for, with other harvesters'."""
        return frozenset(name for one in self._options for name in (one.name, one.alias) if name)

    @property
    def _options(self) -> Sequence[Option]:
        names = filter_rules.option_names(self.kind) if self.option is RULES else ()
        return [one for one in self.kind.all_options if one.name in names] or [self.option]

    def value(self, options: Mapping[str, Any]) -> Any:
        """Return the option's value, or the rules, that a configuration has."""
        if self.option is not RULES:
            return value_of(self.option, options)
        stored = {option.name: value_of(option, options) for option in self._options}
        return filter_rules.read_rules(self.kind, stored)


def shown_options(kind: source_types.SourceType, *, sysadmin: bool) -> list[FormOption]:
    """Return the options with fields: rules, the type's own, then those of all types."""
    parts = ((kind.name, (RULES, *kind.options)), (COMMON, source_types.COMMON_OPTIONS))
    return [
        FormOption(kind, part, f"option_{part}_{option.name}", option)
        for part, options in parts
        for option in options
        if option.label and (sysadmin or not option.sysadmin_only)
    ]


@dataclass(frozen=True, slots=True)
class Field:
    """An option's field, for the template.

    Attributes:
        values: texts of the field, or the chosen ones of its choices; ["true"] for a ticked box.
        rows: of a table, with keys TABLE_PARTS; of rules, with filter_rules.PARTS.
        usual: whether it has its default value.
        errors: messages about the sent value.
    """

    kind: source_types.SourceType
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
    def rule_fields(self) -> Iterator[tuple[str, str]]:
        """Yield value and label of the fields that a rule can be about."""
        used = [row["field"] for row in self.rows if row["field"]]
        for key, (text, name) in filter_rules.field_choices(self.kind, used).items():
            field = filter_rules.LABELS.get(name)
            yield key, self.translate(text).format(field=self.translate(field) if field else name)

    @property
    def rule_actions(self) -> Iterator[tuple[str, str]]:
        """Yield value and label of what a rule can do."""
        return ((key, self.translate(label)) for key, label in filter_rules.ACTIONS.items())

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
            field.kind,
            field.name,
            field.option,
            *_contents(field, form if field.part in sent else None, options),
            errors=errors.get(field.name, ()),
            translate=translate,
        )
        for field in shown
    ]


def _contents(
    field: FormOption, form: Form | None, options: Options
) -> tuple[list[str], list[Row], bool]:
    """Return a field's texts, its rows, and whether it has its default value."""
    option, stored = field.option, field.value(options)
    if option.widget in ("rows", "rules"):
        parts = filter_rules.PARTS if option is RULES else TABLE_PARTS
        if form is not None:
            filled = table_rows(field.name, form, parts)
        elif option is RULES:
            filled = filter_rules.rows_of(stored)
        else:
            rules = stored if isinstance(stored, Mapping) else {}
            filled = [table_row(str(key), rule) for key, rule in rules.items()]
        return [], [*filled, *[dict.fromkeys(parts, "")] * EMPTY_ROWS], not filled
    values = _texts(option, stored) if form is None else _sent_texts(option, field.name, form)
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
        stored: the option's value before; what was not changed of it stays.
    """
    if option.kind == "boolean":
        return name in form
    if option.kind == "table":
        return _read_table(name, form, stored)
    texts = _sent_texts(option, name, form)
    if option.kind == "list":
        if option.choices:  # boxes have no order
            is_same = isinstance(stored, tuple) and set(texts) == set(stored)
            return stored if is_same else texts
        return [line.strip() for line in texts[0].splitlines() if line.strip()]
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


def table_rows(name: str, form: Form, parts: tuple[str, ...] = TABLE_PARTS) -> list[dict[str, str]]:
    """Return the sent rows of a table that have a text."""
    columns = [form.getlist(f"{name}_{part}") for part in parts]
    rows = [
        dict(zip(parts, (cell.replace("\r\n", "\n").strip() for cell in row), strict=True))
        for row in zip(*columns, strict=False)  # incomplete rows are ignored
    ]
    return [row for row in rows if any(row[part] for part in parts if part != "action")]


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
        names = frozenset().union(*(field.names for field in shown))
        if "config" in form and (twice := sorted(names & base.keys())):
            errors["config"] = [f"{twice[0]}: this option has a field; change it there"]
        base = {**_split(stored or {}, kind, sysadmin=sysadmin)[0], **base}
    for form_option in shown:
        errors.update(_overlay(base, form_option, form))
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
        for field in shown_options(kind, sysadmin=sysadmin):
            if exc.field in field.names:
                return {field.name: [exc.message.removeprefix(f"{exc.field}: ")]}
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
    """Return the options of a configuration that the box for JSON leaves out, and the others.

    It leaves out those that have a field and those without effect.
    """
    shown = shown_options(kind, sysadmin=sysadmin)
    names = {*kind.ignored, *(name for field in shown for name in field.names)}
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


def _overlay(base: Options, field: FormOption, form: Form) -> dict[str, list[str]]:
    """Set an option, or those of rules, to the field's value if that differs; return errors."""
    option, stored = field.option, field.value(base)
    try:
        if option is RULES:
            rows = table_rows(field.name, form, filter_rules.PARTS)
            sent: Any = filter_rules.rules_of(rows)
            new = filter_rules.write_rules(field.kind, sent)
        else:
            sent = read_field(option, field.name, form, stored)
            new = {option.name: sent}
        if _plain(sent) == _plain(stored):
            return {}
        for name in field.names & base.keys():
            del base[name]
        defaults: tuple[Any, ...] = ("", [], {}, _plain(option.default))
        base.update({name: value for name, value in new.items() if _plain(value) not in defaults})
        validate(new, field.kind.all_options)
    except ConfigError as exc:
        return {field.name: [exc.message.removeprefix(f"{exc.field}: ")]}
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
