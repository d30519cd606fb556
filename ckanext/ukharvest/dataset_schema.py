"""Our fields in CKAN's schemas of datasets and resources."""

from __future__ import annotations

import functools
import logging
from contextlib import suppress
from typing import Any

import ckan.plugins as p
import ckan.plugins.toolkit as tk
from ckan import model
from ckan.lib.plugins import lookup_package_plugin, plugin_validate
from ckan.logic.schema import default_resource_schema

from ckanext.ukharvest.fields import (
    ADDRESS,
    ADDRESSES,
    DATASET,
    DATE,
    FIELDS,
    FLAG,
    NAME,
    NAMES,
    URIS,
    Field,
)
from ckanext.ukharvest.mapping.package_mapper import FormFields

log = logging.getLogger(__name__)

# The validator by vocabulary and kind, else by kind alone.
_OF_LIST = {
    ("themes", NAME): "ukharvest_theme",
    ("themes", NAMES): "ukharvest_themes",
    ("functions", URIS): "ukharvest_la_function",
    ("services", URIS): "ukharvest_la_service",
    ("frequencies", NAME): "ukharvest_frequency",
}
_OF_KIND = {
    ADDRESSES: "ukharvest_addresses",
    ADDRESS: "ukharvest_address",
    DATE: "ukharvest_date",
    FLAG: "ukharvest_flag",
}


def dataset_fields() -> FormFields:
    """Return the names of the dataset type's fields on this portal, ckanext-scheming's included.

    They know which values of ours (``FIELDS``) the portal's form takes; each is asked for once.
    """
    names = set(lookup_package_plugin("dataset").create_package_schema())
    # Its create_package_schema is CKAN's; it adds its fields when it validates.
    if p.plugin_loaded("scheming_datasets"):
        show = tk.get_action("scheming_dataset_schema_show")
        with suppress(tk.ObjectNotFound):  # it has schemas of other types only
            schema = show({"ignore_auth": True}, {"type": "dataset"})
            names.update(field["field_name"] for field in schema["dataset_fields"])
    return FormFields(names, functools.cache(_takes))


def _takes(key: str, value: str) -> bool:
    """Tell whether the form takes a value of ours in its field of this name."""
    field = next((field for field in FIELDS if field.key == key and field.of == DATASET), None)
    if field is None:
        return True
    plugin = lookup_package_plugin("dataset")
    schema = plugin.create_package_schema()
    is_ours = tk.get_validator(validator_of(field)) in schema.get(key, ())
    scheming = _scheming("dataset").get("dataset_fields", ())
    if is_ours or any(own.get("ukharvest_field") == key for own in scheming):
        return True
    context = {"model": model, "session": model.Session, "ignore_auth": True, "user": ""}
    context["schema_keys"] = list(schema)
    sent = {"type": "dataset", "title": key, key: value}
    try:
        _converted, errors = plugin_validate(plugin, context, sent, schema, "package_create")
    except Exception:  # the portal's own code; it is asked again when the dataset is saved
        log.exception("The form could not be asked whether %s takes %r", key, value)
        return True
    return key not in errors


def resource_fields() -> frozenset[str]:
    """Return the names of the fields that ckanext-scheming's schema gives a dataset's resources."""
    return frozenset(
        field["field_name"] for field in _scheming("dataset").get("resource_fields", ())
    )


def _scheming(dataset_type: str) -> dict[str, Any]:
    """Return ckanext-scheming's schema of a dataset type, {} if it has none."""
    if not p.plugin_loaded("scheming_datasets"):
        return {}
    return tk.h.scheming_get_dataset_schema(dataset_type) or {}


def choices(key: str) -> tuple[str, ...]:
    """Return the values that ckanext-scheming's schema allows in a dataset field, () for any."""
    own = _scheming("dataset").get("dataset_fields", ())
    fields = [field for field in own if field.get("field_name") == key]
    return tuple(
        str(choice["value"])
        for field in fields
        for choice in tk.h.scheming_field_choices(field) or ()
    )


def own_fields(of: str, dataset_type: str) -> frozenset[str]:
    """Return the field names in a type's schema, without CKAN's own fields of resources.

    Args:
        of: DATASET or RESOURCE.
        dataset_type: the dataset type.
    """
    own = lookup_package_plugin(dataset_type).update_package_schema()
    names = set(own if of == DATASET else own.get("resources", ())) - set(default_resource_schema())
    for field in _scheming(dataset_type).get(f"{of}_fields", ()):
        names |= {field["field_name"], field.get("ukharvest_field", "")}
    return frozenset(names)


def validator_of(field: Field) -> str:
    """Return the name of the validator that converts a field's value to its stored form."""
    if field.key == "schema_type":
        return "ukharvest_schema_type"
    of_kind = _OF_KIND.get(field.kind, "ukharvest_text")
    return _OF_LIST.get((field.vocabulary, field.kind), of_kind)


def add_for_saving(schema: dict[str, Any]) -> dict[str, Any]:
    """Add our fields to a schema of package_create or package_update; return it."""
    ignore_missing = tk.get_validator("ignore_missing")
    for field in FIELDS:
        validator = tk.get_validator(validator_of(field))
        if field.of == DATASET:
            to_extras = tk.get_converter("convert_to_extras")
            schema[field.key] = [validator, ignore_missing, to_extras]
        else:
            schema["resources"][field.key] = [validator, ignore_missing]
    return schema


def add_for_showing(schema: dict[str, Any]) -> dict[str, Any]:
    """Add our fields to a schema of package_show; return it."""
    ignore_missing = tk.get_validator("ignore_missing")
    for field in FIELDS:
        if field.of == DATASET:
            from_extras = tk.get_converter("convert_from_extras")
            schema[field.key] = [from_extras, ignore_missing]
        else:
            schema["resources"][field.key] = [ignore_missing]
    return schema
