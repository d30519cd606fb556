"""Rules about which records of a source are imported: keep or leave out, a field, its values.

The form shows them as rows of a table. They are stored as the options that ``SourceType.filters``
and ``record_filter`` name, so that a configuration of another harvester has the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.options import Option
from ckanext.ukharvest.core.record_filter import FILTER_FIELDS, INCLUDE, FilterField
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.source_types import SourceType

KEEP, LEAVE_OUT = "keep", "leave_out"
ACTIONS = {KEEP: _("Keep only"), LEAVE_OUT: _("Leave out")}
PARTS = ("action", "field", "values")
LABELS = {
    "organisation": _("Organisation"),
    "group": _("Group"),
    "keyword": _("Keyword"),
    "theme": _("Theme"),
    "licence": _("Licence"),
    "language": _("Language"),
    "type": _("Type"),
    "year": _("Year of the last change"),
    "publisher": _("Publisher"),
    "set": _("Set"),
    "party": _("Responsible organisation"),
}
# Of a field by which a server can select too.
_ONCE_READ = _("{field} (checked after reading)")
# The field of the form that has all rules.
RULES = Option(
    "rules",
    "list",
    (),
    _(
        "Without rules, all records are imported. A record must meet every rule; one value of a "
        "rule is enough. Write one value per line. A test shows which values the source has."
    ),
    widget="rules",
    label=_("Which records are imported?"),
)
Options = Mapping[str, Any]
Row = Mapping[str, str]


class Rule(NamedTuple):
    """A rule of a source.

    Attributes:
        action: KEEP or LEAVE_OUT.
        field: key of a field, of ``field_choices``.
        values: texts, without the prefix that they have in options.
    """

    action: str
    field: str
    values: tuple[str, ...]


def option_names(kind: SourceType) -> frozenset[str]:
    """Return the names of the options that the rules of a type are stored as."""
    fields = _fields(kind).values()
    return frozenset(name for field in fields for name in (field.include, field.exclude) if name)


def _key(field: FilterField, facet: str = "") -> str:
    """Return a field's key in the form: an option's name, with the facet if it has several."""
    return (field.include or field.exclude) + (f":{facet or field.name}" if field.prefix else "")


def _fields(kind: SourceType) -> dict[str, FilterField]:
    """Return key → field."""
    return {_key(field): field for field in (*kind.filters, *FILTER_FIELDS.values())}


def _find(kind: SourceType, key: str) -> FilterField:
    """Return the field of a key, also one with a facet that is not declared.

    Raises:
        ConfigError: there is none.
    """
    fields, facet = _fields(kind), key.partition(":")[2]
    if key in fields:
        return fields[key]
    for field in fields.values():
        if facet and field.prefix and _key(field, facet) == key:
            return replace(field, name=facet, prefix=f"{facet}:")
    raise _refused("choose a field for these values")


def field_choices(kind: SourceType, used: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return key → the two texts of a field's label: one to format, and the field's name.

    A field that a server filters takes the place of that of the same name which is compared once
    a record is read, except where a rule uses that.

    Args:
        used: keys of the fields that rules have.
    """
    own = {field.name: bool(field.include and field.exclude) for field in kind.filters}
    usual = [key for key, field in _fields(kind).items() if field in kind.filters]
    usual += [_key(field) for name, field in FILTER_FIELDS.items() if not own.get(name)]
    choices = {}
    for key in dict.fromkeys((*usual, *used)):
        with suppress(ConfigError):
            field = _find(kind, key)
            is_read = field.include == INCLUDE and field.name in own
            choices[key] = (_ONCE_READ if is_read else "{field}", field.name)
    return choices


def field_labels(
    kind: SourceType, used: Iterable[str], translate: Callable[[str], str]
) -> dict[str, str]:
    """Return key → label of the fields that a rule can be about; ``used``: as above."""
    return {
        key: translate(text).format(field=translate(LABELS[name]) if name in LABELS else name)
        for key, (text, name) in field_choices(kind, used).items()
    }


def describe_rules(
    kind: SourceType, options: Options, translate: Callable[[str], str]
) -> list[tuple[str, str]]:
    """Return the rules that options state: action, and text such as "Keyword: parking"."""
    rules = read_rules(kind, options)
    labels = field_labels(kind, [rule.field for rule in rules], translate)
    return [(rule.action, f"{labels[rule.field]}: {', '.join(rule.values)}") for rule in rules]


def read_rules(kind: SourceType, options: Options) -> list[Rule]:
    """Return the rules that options state; never raises.

    Args:
        options: values of the options, converted where they are valid; no list is no rule.
    """
    rules: dict[tuple[str, str, str], list[str]] = {}
    lists = {(field.include, field.exclude): field for field in _fields(kind).values()}
    for field in lists.values():
        for action, name in ((KEEP, field.include), (LEAVE_OUT, field.exclude)):
            texts = options.get(name)
            for text in filter(None, map(str, texts)) if isinstance(texts, (list, tuple)) else ():
                facet, _colon, value = text.partition(":") if field.prefix else ("", "", text)
                row = value if action == KEEP and field.needs_all else ""
                key = (action, _key(field, facet.strip()), row)
                rules.setdefault(key, []).append(value.strip())
    return [Rule(action, key, tuple(values)) for (action, key, _row), values in rules.items()]


def write_rules(kind: SourceType, rules: Iterable[Rule]) -> dict[str, list[str]]:
    """Return the options that rules are stored as.

    Raises:
        ConfigError: a rule that cannot be stored; the message is a sentence for the form.
    """
    options: dict[str, list[str]] = {}
    limited: set[str] = set()
    for action, key, values in rules:
        field = _find(kind, key)
        name = field.include if action == KEEP else field.exclude
        if not name:
            other = ACTIONS[LEAVE_OUT if action == KEEP else KEEP]
            raise _refused(f"{field.name}: this field can only be used with {other!r}")
        if action == KEEP and field.needs_all:
            if len(values) > 1:
                raise _refused(f"{field.name}: a record needs all of these; use a row for each")
        elif action == KEEP and key in limited:
            raise _refused(f"{field.name}: write all values to keep in one row")
        limited |= {key} if action == KEEP else set()
        options.setdefault(name, []).extend(field.prefix + value for value in values)
    return options


def rows_of(rules: Iterable[Rule]) -> list[dict[str, str]]:
    """Return rules as the cells of the form's rows."""
    return [dict(zip(PARTS, (*rule[:2], "\n".join(rule.values)), strict=True)) for rule in rules]


def rules_of(rows: Iterable[Row]) -> list[Rule]:
    """Return the rules of the form's rows; a row without values is none.

    Raises:
        ConfigError: an unknown action.
    """
    rules = []
    for row in rows:
        values = tuple(line.strip() for line in row["values"].splitlines() if line.strip())
        if values and row["action"] not in ACTIONS:
            raise _refused("choose whether these values are kept or left out")
        rules += [Rule(row["action"], row["field"], values)] if values else []
    return rules


def _refused(message: str) -> ConfigError:
    return ConfigError(f"{RULES.name}: {message}", field=RULES.name, code="bad-option")
