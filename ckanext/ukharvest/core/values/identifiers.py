"""Identifiers as publishers write them: texts, numbers, lists, objects of several vocabularies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.core.deletions import UUID
from ckanext.ukharvest.core.values.text import clean_text

# Members of a JSON-LD object with its text.
_LABELS = (
    *("@value", "prefLabel", "title", "name", "fn", "label", "altLabel", "notation", "@id"),
    *("en", "en-GB", "en-US"),
)
_DOI = re.compile(r"(?:doi:\s*|info:doi/)?(10\.\d{4,9}/\S+)", re.IGNORECASE)

_OF_CKAN = re.compile(rf"https?://\S+/dataset/{UUID.pattern}", re.IGNORECASE)


def is_dataset_of_ckan(uri: str) -> bool:
    """Tell whether a URI is one that CKAN gives to its datasets, whose files it lists in full."""
    return bool(_OF_CKAN.fullmatch(uri))


def parse_identifier(value: Any) -> str:
    """Return an identifier as text, "" if there is none; of a list the first.

    An object is DCAT-US 3's Identifier or schema.org's PropertyValue. The text is the IRI, else
    notation and agency (value and propertyID) together: a notation is unique only within its agency
    (ADMS, section 5.3). A DOI becomes its URL.
    """
    if isinstance(value, list):
        return next(filter(None, map(parse_identifier, value)), "")
    if isinstance(value, bool):
        return ""
    if not isinstance(value, Mapping):
        return clean_text(value)
    if iri := clean_text(value.get("@id")) or clean_text(value.get("@value")):
        return iri
    if notation := _label(value.get("notation")):
        return join_identifier(_label(value.get("schemaAgency")), notation)
    property_id, text = _label(value.get("propertyID")), _label(value.get("value"))
    return property_value(property_id, text) or _label(value.get("url"))


def _label(value: Any) -> str:
    """Return the text of a value, or of a JSON-LD object with a value or a name."""
    if isinstance(value, list):
        return next(filter(None, map(_label, value)), "")
    if isinstance(value, Mapping):
        return next(filter(None, (clean_text(value.get(key)) for key in _LABELS)), "")
    return clean_text(value)


def join_identifier(agency: str, notation: str) -> str:
    """Return a notation with the agency that gave it."""
    return f"{agency}:{notation}" if agency and notation else notation


def doi_url(text: str) -> str:
    """Return the URL of a DOI, given with or without "doi:" or "info:doi/"; "" for other texts."""
    match = _DOI.fullmatch(text)
    return f"https://doi.org/{match[1]}" if match else ""


def property_value(property_id: str, value: str) -> str:
    """Return the identifier of a PropertyValue of schema.org; a DOI as its URL."""
    if "://" in value:
        return value
    if ("doi" in property_id.lower() or value[:4].lower() == "doi:") and (url := doi_url(value)):
        return url
    name = re.split(r"[/#]", property_id.rstrip("/#"))[-1]
    return join_identifier(name, value)
