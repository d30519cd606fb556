"""Another extension with a dataset form of its own, like that of data.gov.uk's portal."""

from __future__ import annotations

from typing import Any

import ckan.plugins as p
from ckan import model
from ckan.lib.plugins import DefaultDatasetForm
from ckan.plugins import toolkit as tk
from ckan.types import Schema

from ckanext.ukharvest.core.records import DatasetRecord
from ckanext.ukharvest.interfaces import IUkHarvest, SourceFacts

SLUGS = (
    *("business-and-economy", "crime-and-justice", "defence", "digital-services-performance"),
    *("education", "environment", "government", "government-reference-data"),
    *("government-spending", "health", "mapping", "society", "towns-and-cities", "transport"),
)
CONTACT = ("contact-name", "contact-email", "foi-name")


class _SlugForm(p.SingletonPlugin, DefaultDatasetForm):
    """Takes themes by their slugs, and keeps fields as extras that cannot be given twice."""

    p.implements(p.IDatasetForm, inherit=True)
    p.implements(p.IValidators)

    needs_author = False

    def is_fallback(self) -> bool:
        return True

    def package_types(self) -> list[str]:
        return []

    def get_validators(self) -> dict[str, Any]:
        return {"second_theme": second_theme, "second_extra_key": second_extra_key}

    def _with_fields(self, schema: Schema) -> Schema:
        ignore_missing, to_extras = tk.get_validator("ignore_missing"), "convert_to_extras"
        schema["theme-primary"] = [
            ignore_missing,
            tk.get_validator("second_theme"),
            tk.get_converter(to_extras),
        ]
        for key in CONTACT:
            schema[key] = [ignore_missing, tk.get_converter(to_extras)]
        if self.needs_author:
            schema["author"] = [tk.get_validator("not_empty")]
        # The validators of a portal's own kind of value: text in several languages.
        schema["update_frequency"] = [ignore_missing, second_fluent, tk.get_converter(to_extras)]
        schema["extras"]["key"] = [*schema["extras"]["key"], tk.get_validator("second_extra_key")]
        return schema

    def create_package_schema(self) -> Schema:
        return self._with_fields(super().create_package_schema())

    def update_package_schema(self) -> Schema:
        return self._with_fields(super().update_package_schema())

    def show_package_schema(self) -> Schema:
        schema = super().show_package_schema()
        for key in ("theme-primary", "update_frequency", *CONTACT):
            schema[key] = [
                tk.get_converter("convert_from_extras"),
                tk.get_validator("ignore_missing"),
            ]
        return schema


# Neither inherits from the other: CKAN takes an instance of a plugin for that of its subclasses.
class SlugFormPlugin(_SlugForm):
    """The form of a portal with slugs."""


class StrictFormPlugin(_SlugForm):
    """The same, and datasets need an author."""

    needs_author = True


def second_theme(value: Any) -> Any:
    """Accept the slug of a theme."""
    if value not in SLUGS:
        raise tk.Invalid(f"Primary theme {value} is not valid")
    return value


def second_fluent(value: Any) -> Any:
    """Accept texts by language."""
    if not isinstance(value, dict):
        raise tk.Invalid("expecting JSON object")
    return value


def second_extra_key(value: Any) -> Any:
    """Refuse an extra with the name of a field of the form."""
    if value in ("theme-primary", "update_frequency", *CONTACT):
        raise tk.Invalid(f"There is a schema field with the same name: {value}")
    return value


class ThemeHookPlugin(p.SingletonPlugin):
    """Sets a theme."""

    p.implements(IUkHarvest, inherit=True)

    def before_dataset_save(
        self, record: DatasetRecord, source: SourceFacts, package_dict: dict[str, Any]
    ) -> None:
        package_dict["theme-primary"] = "digital-services-performance"


class CommittingHookPlugin(p.SingletonPlugin):
    """Commits, and so ends the transaction of others."""

    p.implements(IUkHarvest, inherit=True)

    past_patches = False

    def before_dataset_save(
        self, record: DatasetRecord, source: SourceFacts, package_dict: dict[str, Any]
    ) -> None:
        if self.past_patches:
            model.Session().commit()
        else:
            model.Session.commit()
