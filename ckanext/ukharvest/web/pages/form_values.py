"""Parse the sent form of a source to its type, URL and configuration.

``config`` has the options without a field, as JSON; if it is not sent they are not changed. Only
values other than the defaults are stored.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from ckanext.ukharvest import source_types
from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.options import Option, validate
from ckanext.ukharvest.web.pages.option_fields import (
    Form,
    Options,
    read_field,
    shown_options,
    value_of,
)


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
    stored = read_config(config)
    if "options_of" in form:  # the options that have fields are not in the text
        base = {**_split(stored or {}, kind, sysadmin=sysadmin)[0], **base}
    errors: dict[str, list[str]] = {}
    for part, name, option in shown_options(kind, sysadmin=sysadmin):
        if part in form.getlist("options_of"):
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
        validate(options, (*kind.options, *source_types.COMMON_OPTIONS))
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
