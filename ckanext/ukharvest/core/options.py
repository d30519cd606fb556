"""Options of a source, declared once for validation, the form, the command line and the docs."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.multivalue import read_yes_no
from ckanext.ukharvest.core.values.text import marked as _

Kind = Literal["text", "integer", "boolean", "list", "table", "ignored"]
_WIDGETS = {"text": "text", "integer": "number", "boolean": "box", "list": "lines", "table": "rows"}


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a source type.

    Attributes:
        name: key in the source's configuration.
        kind: type of its value; values may also be text, from a form or a command line. Any value
            of an "ignored" one is accepted, and has no effect.
        default: value when the option is absent.
        help: one sentence for the form and the documentation.
        choices: allowed values of a text or a list, empty when any is allowed: value → label in
            the form, in its order ("" for a value that the form does not offer), or values that
            are shown as they are.
        old_choices: values that earlier versions offered → label: accepted, and only offered
            where they are stored.
        minimum: smallest integer allowed.
        sysadmin_only: affects more than the source's organisation, so editors cannot set it.
        check: returns what is wrong with a converted value, as the end of a sentence that starts
            with the option's name; "" when it is valid.
        separator: separates the items of a list given as one text; "" means commas and spaces,
            which names of organisations contain.
        alias: its name in configurations of other harvesters.
        alias_values: lower-case text of a value under that alias → value here.
        excludes: options that cannot be set together with this one.
        widget: its field in the form: text, area, number, box, select, boxes, lines, rows or
            rules; "" for the usual one of its kind.
        label: its name in the form; "" for an option without a field, which is set as JSON, by the
            API or on the command line.
        is_rare: whether its field stands under "More options", as few sources need it.
        form_help: replaces ``help`` in the form, where that describes the configuration's
            spelling of a value; "" for none, where the label says it all.
        empty: in the form, what a text with choices means if none of them is chosen.

    Labels and help are English, to be translated where they are rendered.
    """

    name: str
    kind: Kind
    default: Any
    help: str
    choices: Mapping[str, str] | tuple[str, ...] = ()
    old_choices: Mapping[str, str] = field(default_factory=dict)
    minimum: int = 0
    sysadmin_only: bool = False
    check: Callable[[Any], str] | None = None
    separator: str = ""
    alias: str = ""
    alias_values: Mapping[str, str] = field(default_factory=dict)
    label: str = ""
    is_rare: bool = False
    excludes: tuple[str, ...] = ()
    widget: str = ""
    form_help: str | None = None
    empty: str = ""

    @property
    def labels(self) -> Mapping[str, str]:
        """Return value → label of the choices that the form offers."""
        if isinstance(self.choices, Mapping):
            return {value: label for value, label in self.choices.items() if label}
        return dict(zip(self.choices, self.choices, strict=True))

    def __post_init__(self) -> None:
        chosen = ("boxes" if self.kind == "list" else "select") if self.choices else ""
        widget = self.widget or chosen or _WIDGETS.get(self.kind, "")
        object.__setattr__(self, "widget", widget)


MAX_RESOURCES = Option(
    "max_resources",
    "integer",
    1000,
    "The largest number of resources that are imported for one dataset. More are reported.",
    minimum=1,
)


def validate(options: Mapping[str, Any], declared: Iterable[Option]) -> dict[str, Any]:
    """Return the value of every declared option, converted.

    Raises:
        ConfigError: a value of the wrong type, an unknown name, or two options that exclude each
            other; ``field`` is the option.
    """
    known = {option.name: option for option in declared}
    aliases = {option.alias: option for option in known.values() if option.alias}
    options = dict(_renamed(aliases.get(name), name, options[name]) for name in options)
    for name in options:
        if name not in known:
            raise ConfigError(_unknown(str(name), known), field=str(name), code="unknown-option")
    values = {
        name: _convert(option, options[name]) if name in options else option.default
        for name, option in known.items()
    }
    for name, option in known.items():
        others = [other for other in option.excludes if values.get(other)]
        if values[name] and others:
            message = Message(
                "{name}: cannot be set together with {other}; expected one of them",
                name=name,
                other=others[0],
            )
            raise ConfigError(message, field=name, code="bad-option")
    return values


def _renamed(option: Option | None, name: str, value: Any) -> tuple[str, Any]:
    if option is None:
        return name, value
    return option.name, option.alias_values.get(str(value).strip().lower(), value)


def _unknown(name: str, known: Iterable[str]) -> str:
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return Message(
            "{name} is not an option of this source type; did you mean {nearest}?",
            name=name,
            nearest=close[0],
        )
    expected = (
        Message("expected one of: {names}", names=", ".join(names))
        if names
        else Message("it has none")
    )
    return Message(
        "{name} is not an option of this source type; {expected}", name=name, expected=expected
    )


def _convert(option: Option, value: Any) -> Any:
    if value is None or value == "":
        return option.default
    converted = _CONVERT[option.kind](option, value)
    wrong = option.check(converted) if option.check else ""
    if wrong:
        raise ConfigError(
            Message("{name}: {wrong}", name=option.name, wrong=wrong),
            field=option.name,
            code="bad-option",
        )
    return converted


def _text(option: Option, value: Any) -> str:
    text = value.strip() if isinstance(value, str) else ""
    if not text:
        raise _refused(option, value, "a text")
    if option.choices and text not in option.choices:
        raise _refused(option, value, "one of: " + ", ".join(option.choices))
    return text


def _integer(option: Option, value: Any) -> int:
    try:
        number = int(value) if isinstance(value, str) else value
    except ValueError:
        number = None
    if isinstance(number, bool) or not isinstance(number, int) or number < option.minimum:
        raise _refused(
            option, value, Message("a whole number of {minimum} or more", minimum=option.minimum)
        )
    return number


def _boolean(option: Option, value: Any) -> bool:
    flag = read_yes_no(value) if isinstance(value, (bool, str)) else None
    if flag is None:
        raise _refused(option, value, "true or false")
    return flag


def _list(option: Option, value: Any) -> tuple[str, ...]:
    """Return a list of texts; accepts ckanext-harvest's tags as objects, extras as one object."""
    if isinstance(value, str):
        separator = option.separator
        items = value.split(separator) if separator else re.split(r"[\s,;]+", value)
        value = [item.strip() for item in items if item.strip()]
    if isinstance(value, Mapping) and all(isinstance(text, str) for text in value.values()):
        value = [f"{key}={text}" for key, text in value.items()]
    if isinstance(value, (list, tuple)):
        value = [
            item["name"] if isinstance(item, Mapping) and "name" in item else item for item in value
        ]
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        raise _refused(option, value, "a list of texts")
    for item in value:
        if option.choices and item not in (*option.choices, *option.old_choices):
            raise _refused(option, item, "values from: " + ", ".join(option.choices))
    return tuple(value)


def _table(option: Option, value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            value = None
    if not isinstance(value, Mapping):
        raise _refused(option, value, 'a JSON object such as {"a": "b"}')
    return dict(value)


_CONVERT: dict[Kind, Callable[[Option, Any], Any]] = {
    "text": _text,
    "integer": _integer,
    "boolean": _boolean,
    "list": _list,
    "table": _table,
    "ignored": lambda option, _value: option.default,
}


def _refused(option: Option, value: Any, expected: str) -> ConfigError:
    shown = repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "..."
    return ConfigError(
        Message(
            "{name}: {shown} is not allowed; expected {expected}",
            name=option.name,
            shown=shown,
            expected=expected,
        ),
        field=option.name,
        code="bad-option",
    )


def date_range(check: Callable[[str], str]) -> tuple[Option, Option]:
    """Return both options.

    Args:
        check: returns what is wrong with a date, "" if the protocol can send it.
    """
    return (
        Option(
            "from",
            "text",
            "",
            "Only records changed on this date or later, such as 2026-05-01. While it is set, no "
            "dataset counts as missing.",
            check=check,
        ),
        Option(
            "until",
            "text",
            "",
            "Only records changed on this date or earlier. While it is set, no dataset counts as "
            "missing.",
            check=check,
        ),
    )


def parse_options(text: str | None) -> dict[str, Any]:
    """Return the options of a configuration, {} if it is no JSON object; others report that."""
    try:
        options = json.loads(text or "{}")
    except (ValueError, TypeError):
        return {}
    return options if isinstance(options, dict) else {}


def comparable_config(text: str | None) -> str:
    """Return a form of a configuration that is equal for two with the same options."""
    try:
        options = json.loads(text or "{}")
    except ValueError:
        return str(text)
    return json.dumps(options, sort_keys=True) if options else ""


# For CKAN sites; used by reader and parser.
LEFT_OUT_TYPES = Option(
    "left_out_types",
    "list",
    ("harvest", "showcase", "application", "page"),
    "Types of package that are no datasets. They are left out, unless types_filter_include names "
    "them; a dataset imported from one earlier waits for a decision.",
    label=_("Package types that are not datasets"),
    form_help=_("Packages of these types are not imported, such as showcase."),
    is_rare=True,
)


def is_left_out(kind: str, options: Mapping[str, Any]) -> bool:
    """Tell whether a package of this type is no dataset."""
    types = options.get("left_out_types", LEFT_OUT_TYPES.default)
    return kind in types and kind not in options.get("types_filter_include", ())
