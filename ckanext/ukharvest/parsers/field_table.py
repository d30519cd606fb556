"""Translation of a remote site's field names and values into ours, by a table in the source.

``{"remote name": "our name"}`` renames a field; ``{"remote name": null}`` drops it; an object sets
more: ``{"to": "update_frequency", "values": {"yearly": "annual"}, "default": "never"}``. Names are
those of a dataset's fields or extras, or of a resource's fields with the prefix ``resources.``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ckanext.ukharvest.core.values.text import clean_text, shorten
from ckanext.ukharvest.parsers.package_dict import is_blank
from ckanext.ukharvest.parsers.uk_fields import PREFIX

RESOURCES = "resources."

# Adoption and the matching of a dataset with its earlier version depend on these.
_FIXED = frozenset(("id", "extras", "resources", "organization", "owner_org", "groups", "state"))

# Names that UK publishers, ckanext-dcat and ckanext-spatial use for our fields; case, blanks,
# "-" and "_" make no difference.
BUILT_IN: Mapping[str, str] = {
    **{
        name: name
        for name in ("la_function", "la_service", "schema", "codelist", "mandate", "unpublished")
        + ("update_frequency", "theme-primary", "theme-secondary")
    },
    "la_functions": "la_function",
    "lga_function": "la_function",
    "lga_functions": "la_function",
    "local_authority_function": "la_function",
    "Function type URI": "la_function",
    "la_services": "la_service",
    "lga_service": "la_service",
    "lga_services": "la_service",
    "local_authority_service": "la_service",
    "Service type URI": "la_service",
    "schemas": "schema",
    "schema_multi": "schema",
    "schema-vocabulary": "schema",
    "codelists": "codelist",
    "codelist_multi": "codelist",
    "mandates": "mandate",
    "frequency-of-update": "update_frequency",
    "frequency": "update_frequency",
    "accrual_periodicity": "update_frequency",
    "issued": "data_issued",
    "dcat_issued": "data_issued",
    "modified": "data_modified",
    "dcat_modified": "data_modified",
    "temporal_start": "temporal_coverage-from",
    "temporal_end": "temporal_coverage-to",
    "temporal_coverage_from": "temporal_coverage-from",
    "temporal_coverage_to": "temporal_coverage-to",
    "contact_name": "contact-name",
    "contact_email": "contact-email",
    "contact_phone": "contact-phone",
    "publisher_name": "dcat_publisher_name",
    "publisher_email": "dcat_publisher_email",
    "publisher_uri": "dcat_publisher_uri",
    "spatial_text": "spatial-text",
    "theme": "themes",
    "dcat_subject": "themes",
}
OF_RESOURCES: Mapping[str, str] = {"schema_url": "schema_url", "schema_type": "schema_type"}

# Fields written by our own import: the remote site's are kept under other names.
_OWN = ("guid", "harvest_source_reference", "metadata-date")


@dataclass(frozen=True, slots=True)
class Rule:
    """Translation of one remote field.

    Attributes:
        target: our name; "" drops it.
        values: remote value → our value; other values are kept.
        default: the value where the remote site has none.
    """

    target: str
    values: Mapping[str, Any] = field(default_factory=dict)
    default: Any = None

    def translate(self, value: Any) -> Any:
        """Return the value in our terms; of a list, each item."""
        if is_blank(value):
            return self.default
        if isinstance(value, list):
            return [self._one(item) for item in value]
        return self._one(value)

    def _one(self, value: Any) -> Any:
        text = clean_text(value.get("name") if isinstance(value, Mapping) else value)
        for known in (text, text.casefold()):
            if known in self.values:
                return self.values[known]
        return value


def wrong(table: Mapping[str, Any]) -> str:
    """Return what is wrong with a table, for ``Option.check``; "" if nothing."""
    for name, given in table.items():
        shown = shorten(str(name), 40)
        if given is None or given is False:
            continue
        rule = {"to": given} if isinstance(given, str) else given
        if not isinstance(rule, Mapping) or set(rule) - {"to", "values", "default", "drop"}:
            return (
                f"'{shown}' has {shorten(repr(given), 40)}; expected our field's name, null to drop"
                " it, or an object with to, values, default, drop"
            )
        target = rule.get("to", name)
        if not isinstance(target, str) or not target.strip() or target in _FIXED:
            return f"'{shown}' goes to {shorten(repr(target), 40)}, which is no field to fill"
        if not isinstance(rule.get("values", {}), Mapping):
            return f"'{shown}': values is no object; expected remote value and ours"
    return ""


def translate(flat: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a flat package dict with our names.

    The source's table overrides the built-in one, which never replaces a value that the remote
    site has under our name; the field then keeps its own name.
    """
    own = {name: rule for name, rule in _rules(table) if not name.startswith(RESOURCES)}
    found = dict(flat)
    for name, rule in own.items():
        value = rule.translate(found.pop(name, None))
        if rule.target and not is_blank(value):
            found[rule.target] = value
    _rename(found, BUILT_IN, own)
    for name in _OWN:
        value = found.pop(name, None)
        # Of a dataset that has come by way of several portals, the first one's identity.
        is_first = name != "guid" or is_blank(found.get(PREFIX + name))
        if value is not None and is_first:
            found[PREFIX + name] = value
    parts = {name[len(RESOURCES) :]: rule for name, rule in _rules(table) if name not in own}
    if isinstance(found.get("resources"), list):
        found["resources"] = [_part(each, parts) for each in found["resources"]]
    return found


def _rename(found: dict[str, Any], names: Mapping[str, str], own: Mapping[str, Rule]) -> None:
    """Rename fields to our names where the table does not list them and the name is free."""
    given: dict[str, list[str]] = {}
    for name in found:
        given.setdefault(_folded_name(name), []).append(name)
    for known, target in names.items():
        for name in given.get(_folded_name(known), ()):
            is_free = name not in own and is_blank(found.get(target))
            if is_free and not is_blank(found.get(name)):
                found[target] = found.pop(name)


@lru_cache(maxsize=1024)  # a catalogue's records have the same names
def _folded_name(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())


def _part(resource: Any, rules: Mapping[str, Rule]) -> Any:
    if not isinstance(resource, Mapping):
        return resource
    found = dict(resource)
    for name, rule in rules.items():
        value = rule.translate(found.pop(name, None))
        if rule.target and not is_blank(value):
            found[rule.target] = value
    _rename(found, OF_RESOURCES, rules)
    return found


def _rules(table: Mapping[str, Any]) -> Iterable[tuple[str, Rule]]:
    for name, given in table.items():
        if isinstance(given, str):
            yield name, Rule(given)
        elif not given or given.get("drop"):
            yield name, Rule("")
        else:
            values = given.get("values", {})
            target = given.get("to", name).removeprefix(RESOURCES)
            yield name, Rule(target, {**_folded(values), **values}, given.get("default"))


def _folded(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key.casefold(): value for key, value in values.items()}
