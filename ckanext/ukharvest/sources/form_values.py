"""The fields of a source's form: built from a source, and parsed to its type, URL and options."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from werkzeug.datastructures import MultiDict

from ckanext.ukharvest import dataset_schema, source_types
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.options import Option, validate
from ckanext.ukharvest.source_types.source_type import OWN_TYPE, PACKAGE_SCHEMA
from ckanext.ukharvest.sources import filter_rules
from ckanext.ukharvest.sources.filter_rules import RULES

COMMON = "common"
TABLE_PARTS = ("from", "to", "default", "values")
# Empty rows at the end of a table; to get more, save and edit again.
EMPTY_ROWS = 2

Form = MultiDict[str, str]
Options = dict[str, Any]
Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Field:
    """An option that has a field in the form, and what the field holds.

    Attributes:
        kind, part: its source type, and its part of the form.
        values: texts of the field, or the chosen ones of its choices; ["true"] for a ticked box.
        rows: of a table or of rules, cells by ``parts``.
        usual: whether it has its default value.
        errors: messages about the sent value.
    """

    kind: source_types.SourceType
    part: str
    option: Option
    values: Sequence[str] = ()
    rows: Sequence[Row] = ()
    usual: bool = True
    errors: Sequence[str] = ()
    translate: Callable[[str], str] = str

    @property
    def name(self) -> str:
        return f"option_{self.part}_{self.option.name}"

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the names of a row's cells, () for a field without rows."""
        if self.option is RULES:
            return filter_rules.PARTS
        return TABLE_PARTS if self.option.widget == "rows" else ()

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

    @property
    def label(self) -> str:
        return self.translate(self.option.label)

    @property
    def help(self) -> str:
        own = self.option.form_help
        text = self.option.help if own is None else own
        return self.translate(text) if text else ""

    @property
    def rule_parts(self) -> dict[str, dict[str, str]]:
        """Return value → label of what a rule can do, and of the fields that it can be about."""
        used = [row["field"] for row in self.rows if row["field"]]
        actions = {key: self.translate(label) for key, label in filter_rules.ACTIONS.items()}
        fields = filter_rules.field_labels(self.kind, used, self.translate)
        return {"action": actions, "field": {"": "–", **fields}}

    @property
    def choices(self) -> Iterator[tuple[str, str]]:
        """Yield value and label: a stored value that is not offered is a choice too."""
        labels = dict(self.option.labels)
        if self.option.kind == "text" and not self.option.default:
            labels = {"": self.option.empty, **labels}
        for value in dict.fromkeys((*labels, *filter(None, self.values))):
            label = labels.get(value) or self.option.old_choices.get(value, value)
            yield value, self.translate(label) if label else ""


def part_of(kind: source_types.SourceType) -> str:
    """Return the name of a type's part of the form; an own name can have any signs."""
    return f"own-{re.sub(r'[^a-zA-Z0-9]+', '-', kind.own_type)}" if kind.own_type else kind.name


def find_type(source_type: str, config: str) -> source_types.SourceType | None:
    """Return the type of a source; None if it is not one of ours.

    Args:
        source_type: any of its names.
        config: the source's configuration, which has the portal's own name of the type.
    """
    kind = source_types.find(source_type)
    return kind and kind.for_options(read_config(config) or {})


def shown_options(kind: source_types.SourceType, *, sysadmin: bool) -> list[Field]:
    """Return the fields, still empty: rules, those of the type, then those of all types."""
    of_portal = (replace(option, is_rare=True) for option in kind.portal_options)
    own = (RULES, *kind.options, *of_portal)
    parts = ((part_of(kind), own), (COMMON, source_types.COMMON_OPTIONS))
    return [
        Field(kind, part, option)
        for part, options in parts
        for option in options
        if option.label
        and (sysadmin or not option.sysadmin_only)
        and not (option.name == PACKAGE_SCHEMA and dataset_schema.scheming_decides())
    ]


def place_error(kind: source_types.SourceType, message: str, *, sysadmin: bool) -> tuple[str, str]:
    """Return the field of a message about an option, which begins with its name, and its text.

    That is "config" for an option without a field.
    """
    name, _, text = message.partition(": ")
    for field in shown_options(kind, sysadmin=sysadmin):
        if name in field.names:
            return field.name, text
    return "config", message


def build_fields(
    shown: Sequence[Field],
    form: Form,
    options: Options,
    errors: Mapping[str, Sequence[str]],
    translate: Callable[[str], str],
) -> list[Field]:
    """Return the fields with their contents.

    Args:
        form: the sent form, whose texts are shown unchanged; where a part is not in it, the
            options' values are.
        options: the source's options.
        errors: field name → messages.
    """
    sent = form.getlist("options_of")
    fields = []
    for field in shown:
        option, stored = field.option, field.value(options)
        is_sent, own = field.part in sent, errors.get(field.name, ())
        field = replace(field, errors=own, translate=translate)
        if field.parts:
            rows = sent_rows(field, form) if is_sent else _rows(option, stored)
            empty = [dict.fromkeys(field.parts, "")] * EMPTY_ROWS
            fields.append(replace(field, rows=[*rows, *empty], usual=not rows))
        else:
            texts = _sent_texts(option, field.name, form) if is_sent else _texts(option, stored)
            usual = texts == _texts(option, option.default)
            fields.append(replace(field, values=texts, usual=usual))
    return fields


def _rows(option: Option, value: Any) -> list[dict[str, str]]:
    """Return the rows of rules, or of a table that may be none."""
    if option is RULES:
        return filter_rules.rows_of(value)
    table = value if isinstance(value, Mapping) else {}
    return [table_row(str(key), rule) for key, rule in table.items()]


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


def read_field(field: Field, form: Form, stored: Any) -> Any:
    """Return the value that a form sends for an option, not validated.

    Args:
        stored: the option's value before; what was not changed of it stays.
    """
    option = field.option
    if option.kind == "boolean":
        return field.name in form
    if option.kind == "table":
        before = stored if isinstance(stored, Mapping) else {}
        rows = {row["from"]: row for row in sent_rows(field, form) if row["from"]}
        return {
            name: before[name]
            if name in before and table_row(name, before[name]) == row
            else _rule(row)
            for name, row in rows.items()
        }
    texts = _sent_texts(option, field.name, form)
    if option.kind == "list":
        if option.choices:  # boxes have no order
            is_same = isinstance(stored, tuple) and set(texts) == set(stored)
            return stored if is_same else texts
        if field.name not in form:
            return stored
        return [line.strip() for line in texts[0].splitlines() if line.strip()]
    text = texts[0].strip().replace("\r\n", "\n")
    if option.kind == "integer" and text.isdecimal():
        return int(text)
    return text or option.default


def sent_rows(field: Field, form: Form) -> list[dict[str, str]]:
    """Return the sent rows of a table or of rules that have a text."""
    columns = [form.getlist(f"{field.name}_{part}") for part in field.parts]
    rows = [
        dict(zip(field.parts, (cell.replace("\r\n", "\n").strip() for cell in row), strict=True))
        for row in zip(*columns, strict=False)  # incomplete rows are ignored
    ]
    return [row for row in rows if any(text for part, text in row.items() if part != "action")]


def table_row(name: str, rule: Any) -> dict[str, str]:
    """Return a rule of a table as the cells of a row; see ``parsers/ckan/names.py``."""
    if not isinstance(rule, Mapping):
        rule = {"to": rule if isinstance(rule, str) else ""}
    elif not rule or rule.get("drop"):
        rule = {"to": ""}
    values, default = rule.get("values"), rule.get("default")
    pairs = values.items() if isinstance(values, Mapping) else ()
    return {
        "from": name,
        "to": str(rule.get("to", name)),
        "default": "" if default is None else str(default),
        "values": "\n".join(f"{there} = {here}" for there, here in pairs),
    }


def _rule(row: Mapping[str, str]) -> Any:
    pairs = [line.partition("=") for line in row["values"].splitlines() if "=" in line]
    values = {there.strip(): here.strip() for there, _, here in pairs}
    if not values and not row["default"]:
        return row["to"] or None
    rule = {"to": row["to"] or row["from"], "values": values, "default": row["default"]}
    return {key: value for key, value in rule.items() if value}


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
    errors: dict[str, list[str]]

    @property
    def kind(self) -> source_types.SourceType | None:
        """The source's type, None if it is not one of ours."""
        return find_type(self.source_type, self.config)


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
    kind, base = find_type(source_type, config), read_config(text)
    if kind is None or base is None:
        return SentSource(source_type, url, text.strip(), {})
    stored, parts = read_config(config), form.getlist("options_of")
    errors: dict[str, list[str]] = {}
    shown = [field for field in shown_options(kind, sysadmin=sysadmin) if field.part in parts]
    if parts:  # the text has only the options without a field
        names = frozenset().union(*(field.names for field in shown))
        if "config" in form and (twice := sorted(names & base.keys())):
            errors["config"] = [f"{twice[0]}: this option has a field; change it there"]
        own = _names_outside_box(kind, sysadmin=sysadmin)
        base = {**{name: old for name, old in (stored or {}).items() if name in own}, **base}
    for form_option in shown:
        errors.update(_overlay(base, form_option, form))
    if not errors:  # of options without a field, such as an unknown name, or of two together
        try:
            validate(base, kind.all_options)
        except ConfigError as exc:
            name, message = place_error(kind, exc.message, sysadmin=sysadmin)
            errors = {name: [message]}
    if base == stored:  # keeps the text as a person wrote it
        return SentSource(source_type, url, config, errors)
    return SentSource(source_type, url, json.dumps(base, indent=2) if base else "", errors)


def read_config(text: str) -> Options | None:
    """Return a configuration's options, None if the text is no JSON object."""
    try:
        options = json.loads(text) if text.strip() else {}
    except ValueError:
        return None
    return options if isinstance(options, dict) else None


def _names_outside_box(kind: source_types.SourceType, *, sysadmin: bool) -> set[str]:
    """Return the names of the options that the box for JSON leaves out.

    They have a field or no effect, or the portal sets them.
    """
    shown = shown_options(kind, sysadmin=sysadmin)
    return {OWN_TYPE, *kind.ignored, *(name for field in shown for name in field.names)}


def without_field(config: str, kind: source_types.SourceType, *, sysadmin: bool) -> str:
    """Return the options of a configuration that have no field, as JSON text; "" for none.

    A text that is no JSON object is returned unchanged.
    """
    options = read_config(config)
    if options is None:
        return config
    own = _names_outside_box(kind, sysadmin=sysadmin)
    others = {name: value for name, value in options.items() if name not in own}
    return json.dumps(others, indent=2, ensure_ascii=False) if others else ""


def _overlay(base: Options, field: Field, form: Form) -> dict[str, list[str]]:
    """Set an option, or those of rules, to the field's value if that differs; return errors."""
    option, stored = field.option, field.value(base)
    try:
        if option is RULES:
            sent: Any = filter_rules.rules_of(sent_rows(field, form))
            new = filter_rules.write_rules(field.kind, sent)
        else:
            sent = read_field(field, form, stored)
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
    kind = kind.for_options(options)
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
