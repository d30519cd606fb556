"""Fields that no row of a parser's mapping reads: they are kept as extras under their own names.

A name that means something else here becomes ``original_NAME``, as fields of other CKANs do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ckanext.ukharvest.parsers import portal_fields
from ckanext.ukharvest.parsers.uk_fields import PREFIX

# Made from other fields, whether a source has them or not.
_OF_DATASET = portal_fields.TAKEN_OF_DATASET | frozenset(
    ("metadata-date", "data_issued", "data_modified", "update_frequency", "dcat_subject")
    + ("temporal_coverage-from", "temporal_coverage-to", "spatial", "spatial-text", "language")
    + ("dcat_publisher_name", "dcat_publisher_email", "dcat_publisher_uri", "contact-name")
    + ("contact-email", "license_url", "licence", "rights")
)
_OF_RESOURCE = portal_fields.TAKEN_OF_RESOURCE | frozenset(
    ("data_issued", "data_modified", "temporal_coverage-from", "temporal_coverage-to", "date")
    + ("format", "resource_type", "schema_url", "licence")
)


def names_of(mapping: Iterable[Any], prefix: str = "") -> frozenset[str]:
    """Return the fields that a mapping reads: those with a prefix in its table, without it."""
    names = (name for row in mapping for name in row.source)
    return frozenset(name[len(prefix) :] for name in names if name.startswith(prefix))


def added_to(
    extras: Mapping[str, str], fields: Iterable[tuple[str, str]], *, of_file: bool = False
) -> dict[str, str]:
    """Return extras with such fields beside those that are there.

    Args:
        of_file: they are those of a resource.
    """
    taken = _OF_RESOURCE if of_file else _OF_DATASET
    found = dict(extras)
    for name, text in fields:
        while name in taken or found.get(name, text) != text:
            name = PREFIX + name
        found[name] = text
    return found
