"""Labels of dataset and resource fields in lists of changes."""

from __future__ import annotations

from ckan.plugins import toolkit as tk

from ckanext.ukharvest import fields
from ckanext.ukharvest.core.dataset_changes import DATASET, RESOURCES
from ckanext.ukharvest.core.values.text import marked as _
from ckanext.ukharvest.rendering.fields import LABELS
from ckanext.ukharvest.rendering.values import label_for_key

# CKAN's own fields; for fields written by the harvest see rendering/fields.py.
OF_DATASET = {
    "title": _("Title"),
    "notes": _("Description"),
    "url": _("Web page"),
    "version": _("Version"),
    "license_id": _("Licence"),
    "author": _("Author"),
    "author_email": _("Author's email"),
    "maintainer": _("Maintainer"),
    "maintainer_email": _("Maintainer's email"),
    "tags": _("Tags"),
    "groups": _("Groups"),
    "private": _("Visibility"),
    RESOURCES: _("Resources"),
}
OF_RESOURCE = {
    "name": _("Name"),
    "url": _("URL"),
    "description": _("Description"),
    "format": _("Format"),
    "mimetype": _("Media type"),
    "size": _("Size"),
    "date": _("Date"),
    "data_issued": _("Data first issued"),
    "data_modified": _("Data last modified"),
    "licence": _("Licence"),
    "temporal_coverage-from": _("Covers from"),
    "temporal_coverage-to": _("Covers until"),
    **{field.key: field.label for field in fields.FIELDS if field.of == fields.RESOURCE},
}

# Contacts and authors: people, whose names and addresses may have to be removed.
_CONTACTS = frozenset(
    ("author", "author_email", "maintainer", "maintainer_email")
    + ("contact-name", "contact-email", "contact-phone", "foi-name", "foi-email", "foi-phone")
    + ("responsible-party", "responsible-organisation", "provider", "distributor")
    + ("metadata-contact", "metadata-contact-email", "dcat_publisher_name")
    + ("dcat_publisher_email",)
)

_ORDER = {key: number for number, key in enumerate([*OF_DATASET, *LABELS])}


def place(key: str, of: str) -> tuple[bool, str, int]:
    """Return a sort key for fields: those of the dataset come first, as on its page."""
    return of != DATASET or key == RESOURCES, of, _ORDER.get(key, len(_ORDER))


def is_contact(key: str) -> bool:
    """Tell whether a field holds a person's name or contact details."""
    return key in _CONTACTS


def label(key: str, of: str = DATASET) -> str:
    """Return a field's label in the reader's language.

    Args:
        of: DATASET, or the name of a resource.
    """
    own = OF_DATASET if of == DATASET else OF_RESOURCE
    text = own.get(key) or LABELS.get(key)
    return str(tk._(text)) if text else label_for_key(key)
