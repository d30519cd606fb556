"""The fields of a source type's options in the source form: built from a value, and read back.

The fields of a type's own options are named ``option_<type>_<option>``, those of all types
``option_common_<option>``. A hidden field ``options_of`` names each part (a type, or COMMON) whose
fields are in the form, because a box that is not ticked sends nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
