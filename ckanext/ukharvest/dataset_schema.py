"""Our fields in CKAN's schemas of datasets and resources."""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import ckan.plugins as p
import ckan.plugins.toolkit as tk
from ckan import model
from ckan.lib.plugins import DefaultDatasetForm, lookup_package_plugin, plugin_validate
from ckan.logic.schema import (
    default_create_package_schema,
    default_resource_schema,
    default_tags_schema,
    default_update_package_schema,
)

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
from ckanext.ukharvest.mapping.form_fields import DCAT_KEYS, FormFields

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
    known: dict[tuple[str, str], bool] = {}

    def takes(key: str, value: Any) -> bool:
        asked = (key, json.dumps(value))
        if asked not in known:
            known[asked] = _takes(key, value)
        return known[asked]

    parts = {
        field["field_name"]: frozenset(part["field_name"] for part in field["repeating_subfields"])
        for field in _scheming("dataset").get("dataset_fields", ())
        if field.get("repeating_subfields")
    }
    return FormFields(names, takes, parts)


def scheming_decides() -> bool:
    """Tell whether ckanext-scheming has the form of datasets: its fields are always validated."""
    return bool(_scheming("dataset"))


def has_foreign_form() -> bool:
    """Tell whether another extension has the form of datasets, by an IDatasetForm of its own."""
    plugin = lookup_package_plugin("dataset")
    is_usual = type(plugin) is DefaultDatasetForm or getattr(plugin, "name", "") == OWN_FORM
    return not is_usual and not scheming_decides()


OWN_FORM = "ukharvest_form"
Schema = dict[str, Any]


def _of_harvest() -> Schema:
    """Return the schema of ckanext-harvest's base class, for new and changed datasets.

    ckanext-harvest 1.6.3, ckanext.harvest.harvesters.base, line 260, _create_or_update_package.
    """
    schema: Schema = default_create_package_schema()
    schema["id"] = [tk.get_validator("ignore_missing"), tk.get_validator("unicode_safe")]
    schema["__junk"] = [tk.get_validator("ignore")]
    return schema


def _of_spatial(schema: Schema) -> Schema:
    """Return a schema as ckanext-spatial changes it: any text is a tag.

    ckanext-spatial 2.3.2, ckanext.spatial.harvesters.base, line 642.
    """
    tags = default_tags_schema()
    tags["name"] = [tk.get_validator("not_empty"), tk.get_validator("unicode_safe")]
    return {**schema, "tags": tags}


# Source type → action → schema by which its stock harvester validates; None for the form's. The
# other types have that of ckanext-harvest's base class, which their harvesters elsewhere use.
_STOCK: Mapping[str, Mapping[str, Callable[[], Schema] | None]] = {
    # ckanext-dcat 2.4.4, ckanext.dcat.harvesters._json, line 261: only for new datasets.
    "data_json": {"package_create": default_create_package_schema, "package_update": None},
    # ckanext-dcat 2.4.4, ckanext.dcat.harvesters.rdf, lines 325 and 371: always the form's.
    "dcat_rdf": {"package_create": None, "package_update": None},
    **dict.fromkeys(
        ("gemini-single", "gemini-waf", "gemini-csw"),
        # ckanext-spatial 2.3.2, ckanext.spatial.harvesters.base, lines 650 (new) and 711.
        {
            "package_create": lambda: _of_spatial(default_create_package_schema()),
            "package_update": lambda: _of_spatial(default_update_package_schema()),
        },
    ),
}
_BASE: Mapping[str, Callable[[], Schema] | None] = {
    "package_create": _of_harvest,
    "package_update": _of_harvest,
}


def stock_schema(type_name: str, action: str) -> Schema | None:
    """Return the schema by which the stock harvester of a type saves; None for the form's.

    Args:
        type_name: name of a source type.
        action: "package_create" or "package_update".
    """
    make = _STOCK.get(type_name, _BASE)[action]
    return make() if make else None


def has_stock_schema(type_name: str) -> bool:
    """Tell whether the stock harvester of a type saves without the form's validators."""
    return any(_STOCK.get(type_name, _BASE).values())


def stock_fields() -> FormFields:
    """Return the names of the fields of CKAN's own schema: all others are extras."""
    return FormFields(default_create_package_schema())


def _takes(key: str, value: Any) -> bool:
    """Tell whether the form takes a value of ours in its field of this name."""
    field = next((field for field in FIELDS if field.key == key and field.of == DATASET), None)
    if field is None and key not in DCAT_KEYS:
        return True
    plugin = lookup_package_plugin("dataset")
    schema = plugin.create_package_schema()
    is_ours = field and tk.get_validator(validator_of(field)) in schema.get(key, ())
    scheming = _scheming("dataset").get("dataset_fields", ())
    if is_ours or any(own.get("ukharvest_field") == key for own in scheming):
        return True
    context = {"model": model, "session": model.Session, "ignore_auth": True, "user": ""}
    context["schema_keys"] = list(schema)
    sent = {"type": "dataset", "title": key, key: copy.deepcopy(value)}
    try:
        _converted, errors = plugin_validate(plugin, context, sent, schema, "package_create")
    except Exception:  # the portal's own code; it is asked again when the dataset is saved
        log.exception("The form could not be asked whether %s takes %r", key, value)
        return True
    return key not in errors


def resource_fields() -> FormFields:
    """Return the names of the fields that ckanext-scheming's schema gives a dataset's resources.

    They know which values those with choices take.
    """
    fields = {
        field["field_name"]: field for field in _scheming("dataset").get("resource_fields", ())
    }

    def takes(key: str, value: Any) -> bool:
        allowed = tk.h.scheming_field_choices(fields[key]) or ()
        return not allowed or value in {choice["value"] for choice in allowed}

    return FormFields(fields, takes)


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
