"""The plugin ``ukharvest_form``: a dataset form with UK fields, for portals without a form.

A portal whose form is ckanext-scheming's uses the presets of ``scheming/presets.json`` instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ckan.plugins as p
import ckan.plugins.toolkit as tk

from ckanext.ukharvest import config, dataset_schema
from ckanext.ukharvest.fields import DATASET, FIELDS, RESOURCE


class FormPlugin(p.SingletonPlugin, tk.DefaultDatasetForm):
    """Adds the fields of ``fields.FIELDS`` to the forms and schemas of datasets and resources."""

    p.implements(p.IConfigurer)
    p.implements(p.IDatasetForm, inherit=True)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        config.check_order()

    def update_config(self, config_: Any) -> None:
        """Add the templates that only this form has."""
        # Not templates_…: ckan_extends compares paths by prefix and would confuse the folders.
        tk.add_template_directory(config_, "form_templates")

    def is_fallback(self) -> bool:
        """Handle dataset types that no other plugin handles."""
        return True

    def package_types(self) -> list[str]:
        """Return no dataset type of its own."""
        return []

    def create_package_schema(self) -> dict[str, Any]:
        """Return CKAN's schema with our fields."""
        return dataset_schema.add_for_saving(super().create_package_schema())

    def update_package_schema(self) -> dict[str, Any]:
        """Return CKAN's schema with our fields."""
        return dataset_schema.add_for_saving(super().update_package_schema())

    def show_package_schema(self) -> dict[str, Any]:
        """Return CKAN's schema with our fields."""
        return dataset_schema.add_for_showing(super().show_package_schema())

    def validate(
        self, context: Any, data_dict: dict[str, Any], schema: dict[str, Any], action: str
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Validate as CKAN does; fields may also be sent as extras, or by their aliases."""
        if action != "package_show":
            data_dict = _with_fields(data_dict)
        return tk.navl_validate(data_dict, schema, context)


def _with_fields(package: Mapping[str, Any]) -> dict[str, Any]:
    """Return a dataset with our fields moved from extras and aliases to their keys."""
    moved = dict(package)
    names = {
        name: field.key
        for field in FIELDS
        for name in (field.key, *field.aliases)
        if field.of == DATASET
    }
    extras = package.get("extras")
    if isinstance(extras, list) and all(isinstance(extra, dict) for extra in extras):
        fields: dict[str, list[Any]] = {}
        moved["extras"] = [extra for extra in extras if extra.get("key") not in names]
        for extra in extras:
            if extra.get("key") in names and not extra.get("deleted"):
                fields.setdefault(names[extra["key"]], []).append(extra.get("value"))
        for key, values in fields.items():
            moved[key] = moved.get(key) or (values[0] if len(values) == 1 else values)
    resources = package.get("resources")
    if isinstance(resources, list) and all(isinstance(own, dict) for own in resources):
        moved["resources"] = list(map(_with_resource_fields, resources))
    return moved


def _with_resource_fields(resource: Mapping[str, Any]) -> dict[str, Any]:
    moved = dict(resource)
    for field in FIELDS:
        for alias in field.aliases if field.of == RESOURCE else ():
            value = moved.pop(alias, None)
            if value and not moved.get(field.key):
                moved[field.key] = value
    return moved
