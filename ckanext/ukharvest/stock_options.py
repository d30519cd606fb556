"""Translate the options that other harvesters store with a source to ours.

Those of ckanext-harvest's CKAN harvester, ckanext-spatial, ckanext-dcat, ckanext-datajson,
ckanext-geodatagov and data.gov.uk's harvesters. Needs no CKAN.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ckanext.ukharvest.core.errors import ConfigError
from ckanext.ukharvest.core.options import Option, validate
from ckanext.ukharvest.core.values.multivalue import is_no
from ckanext.ukharvest.source_types.source_type import DEFAULT_FIELDS, SourceType

KEPT, TRANSLATED, DROPPED, ADDED = "kept", "translated", "dropped", "added"
HIDDEN = "***"
_KEY = "api_key"
_SECRETS = (_KEY, "password")  # the second of openresearchdata's ckanext-oaipmh

# Option → why it has no meaning here. Dropped even if the source type accepts and ignores it.
_WITHOUT_MEANING = {
    _KEY: "keys are not stored with a source; add it to the ini and name it in credential",
    "api_version": "the version of the site's API is detected",
    "clean_tags": "tags are always cleaned",
    "collection_metadata_url": "records are not grouped into collections",
    "default_group_dicts": "default_groups names the groups",
    "force_http_get": "requests are sent by GET",
    "override_extras": "default_extras never replace what a record says",
    "password": "keys are not stored with a source; add it to the ini and name it in credential",
    "read_only": "it has no effect",
    "reindex_unchanged": "unchanged records are never written again",
    "user": "datasets are written by the portal's harvest user",
    "username": "keys are not stored with a source; add it to the ini and name it in credential",
    "user_agent": "the portal's own User-Agent is sent",
    "validate_wms": "the link check reads map services",
    "validator_schema": "the schema that the document names decides",
}
# Parts of the names of options that keep datasets closed, or records out.
_PROTECTING = re.compile(
    "private|visib|public(?!ation)|restrict|access_level|filter|exclu|inclu|skip|only|required"
    "|whitelist|blacklist|allow|deny|max_datasets|^f?q$|^cql|query|bbox|constraint|limit",
    re.IGNORECASE,
)
# Options that only fill in what a record does not say: they become default_extras. ``license`` is
# the licence's id, the others are tables.
_LICENCE, _DEFAULTS = "license", "defaults"
_DEFAULT_EXTRAS = "default_extras"
_OWN_NAMES = {"license": "license_id", "licence": "license_id"}
_UNKNOWN = (
    "this source type has no such option; a plugin of the portal can declare it in "
    "IUkHarvest.source_options"
)
_WHOLE = "config"  # a configuration that cannot be read
_UNREADABLE = "not a JSON object"
_VOLATILE = "{name} contains a value that changes with each run"
_PRIVATE = "private"
_NO_DEFAULT = "{name} is no field that defaults fill; visibility decides on new datasets"
_NO_GROUP = "the portal has no group {name}"
_NAMES_ITS_VALUE = "the value has another form here"


@dataclass(frozen=True, slots=True)
class Facts:
    """Values of a source for ckanext-harvest's templates in ``default_extras``."""

    id: str
    url: str
    title: str


@dataclass(frozen=True, slots=True)
class OptionTranslation:
    """The translation of one stored option.

    Attributes:
        name, value: as stored; secrets are hidden.
        change: KEPT, TRANSLATED, DROPPED or ADDED (it was not stored).
        new_name, new_value: as stored afterwards, "" and None for a dropped one.
        reasons: why something was dropped: pairs of a text and its values.
    """

    name: str
    value: Any
    change: str
    new_name: str = ""
    new_value: Any = None
    reasons: tuple[tuple[str, Mapping[str, str]], ...] = ()

    @property
    def is_opening(self) -> bool:
        """Whether what is lost kept datasets closed or records out."""
        if self.change != DROPPED and not self.reasons:
            return False
        name = json.dumps(self.value) if self.name == _WHOLE else self.name
        lost = {name: self.value}
        if isinstance(self.value, Mapping):
            parts = {values["name"] for _text, values in self.reasons if "name" in values}
            if not parts and self.change == DROPPED:
                parts = set(self.value)
            lost |= {part: self.value.get(part) for part in parts}
        return any(_PROTECTING.search(n) and not _says_nothing(value) for n, value in lost.items())


def _says_nothing(value: Any) -> bool:
    return not value or (isinstance(value, (str, bool)) and is_no(value))


# Why parts of a value are dropped: texts with their values.
Reasons = list[tuple[str, Mapping[str, str]]]


def translate(
    kind: SourceType, text: str | None, facts: Facts, is_group: Callable[[str], bool]
) -> tuple[dict[str, Any], list[OptionTranslation]]:
    """Return the options in our form, and the change of each stored one.

    Args:
        kind: the new type of the source.
        text: the stored configuration.
        facts: values for templates in ``default_extras``.
        is_group: tells whether the portal has a group of this name or id.
    """
    try:
        stored = json.loads(text) if text and text.strip() else {}
    except ValueError:
        stored = None
    if not isinstance(stored, dict):
        return {}, [OptionTranslation(_WHOLE, text, DROPPED, reasons=((_UNREADABLE, {}),))]
    changes = [_change(kind, name, stored[name], facts, is_group) for name in stored]
    options: dict[str, Any] = {}
    extras: dict[str, str] = {}
    for change in changes:
        if change.change != DROPPED and change.new_name == _DEFAULT_EXTRAS:
            for text_ in change.new_value:
                extras.setdefault(text_.partition("=")[0], text_)
            options[_DEFAULT_EXTRAS] = list(extras.values())
        elif change.change != DROPPED:
            options.setdefault(change.new_name, change.new_value)
    return options, changes


def _change(
    kind: SourceType, name: str, value: Any, facts: Facts, is_group: Callable[[str], bool]
) -> OptionTranslation:
    shown = HIDDEN if name in _SECRETS else value
    declared = {known: option for option in kind.all_options for known in _names(option)}
    if name in _SECRETS or (name in _WITHOUT_MEANING and name not in declared):
        return OptionTranslation(name, shown, DROPPED, reasons=((_WITHOUT_MEANING[name], {}),))
    is_default = name in (_LICENCE, _DEFAULTS) and name not in declared
    option = declared.get(_DEFAULT_EXTRAS if is_default else name)
    if option is None:
        return OptionTranslation(name, shown, DROPPED, reasons=((_UNKNOWN, {}),))
    reasons: Reasons = []
    prepared = {_LICENCE: value} if is_default and isinstance(value, str) and value else value
    if option.name == _DEFAULT_EXTRAS and isinstance(prepared, Mapping):
        names = {key: _own_name(key) if is_default else key for key in prepared}
        prepared = list(
            _filled_in({names[key]: text for key, text in prepared.items()}, facts, reasons)
        )
    elif name == "default_groups" and isinstance(value, list):
        prepared = list(_existing(value, is_group, reasons))
    new = _convert(option, option.name if is_default else name, prepared, reasons)
    if new is None or (new in ([], {}) and value not in ([], {}, "", None)):
        why = tuple(reasons) or ((_NAMES_ITS_VALUE, {}),)
        return OptionTranslation(name, shown, DROPPED, reasons=why)
    change = KEPT if (option.name, new) == (name, value) else TRANSLATED
    return OptionTranslation(name, shown, change, option.name, new, tuple(reasons))


def _names(option: Option) -> tuple[str, ...]:
    own = () if option.kind == "ignored" else (option.name,)
    return (*own, option.alias) if option.alias else own


def _own_name(key: str) -> str:
    """Return CKAN's name of a field that ckanext-datajson fills in, such as Author or License."""
    name = str(key).lower()
    name = _OWN_NAMES.get(name, name)
    return name if name in DEFAULT_FIELDS else str(key)


def _filled_in(extras: Mapping[str, Any], facts: Facts, reasons: Reasons) -> Iterator[str]:
    """Yield extras as "name=value", with their templates filled in."""
    known = {
        "harvest_source_id": facts.id,
        "harvest_source_url": facts.url.strip("/"),
        "harvest_source_title": facts.title,
    }
    for name, value in extras.items():
        if name.lower() == _PRIVATE:
            reasons.append((_NO_DEFAULT, {"name": name}))
            continue
        text = value if isinstance(value, str) else json.dumps(value)
        try:
            fields = {field for _text, field, *_rest in string.Formatter().parse(text) if field}
        except ValueError:  # braces that are no template; ckanext-harvest fails on them
            fields = set()
        if not fields:
            yield f"{name}={text}"
        elif fields <= known.keys():
            for field in fields:
                text = text.replace(f"{{{field}}}", known[field])
            yield f"{name}={text}"
        else:
            reasons.append((_VOLATILE, {"name": str(name)}))


def _existing(
    groups: list[Any], is_group: Callable[[str], bool], reasons: Reasons
) -> Iterator[Any]:
    for group in groups:
        name = group.get("name") if isinstance(group, Mapping) else group
        if isinstance(name, str) and is_group(name):
            yield name
        else:
            reasons.append((_NO_GROUP, {"name": str(name)}))


def _convert(option: Option, name: str, value: Any, reasons: Reasons) -> Any:
    """Return the value in our form as for JSON, None if nothing of it can be used."""
    try:
        new = validate({name: value}, (option,))[option.name]
        return list(new) if isinstance(new, tuple) else new
    except ConfigError as exc:
        if option.kind != "list" or not isinstance(value, list):
            reasons.append(("{message}", {"message": exc.message}))
            return None
    items = []
    for item in value:
        try:
            items += validate({name: [item]}, (option,))[option.name]
        except ConfigError as exc:
            reasons.append(("{message}", {"message": exc.message}))
    return items
