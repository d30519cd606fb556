"""The table of the fields that this extension adds to datasets and resources.

Validation, forms, pages, facets, presets, export and documentation are made from it (decision
0015): a new field is a row here, and ``bin/docs``. Names and stored forms are those of data.gov.uk,
so portals that have these fields keep their data unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from ckanext.ukharvest.mapping.form_fields import STAND_IN

T = TypeVar("T")

# How a value is stored; extras are text.
TEXT = "text"
URIS = "uris"  # identifiers with spaces between them; of the lists of functions and services
ADDRESSES = "addresses"  # a JSON list of web addresses
ADDRESS = "address"
NAME = "name"  # one value of a vocabulary
NAMES = "names"  # a JSON list of values of the list of themes
DATE = "date"  # ISO 8601: year, month or day
FLAG = "flag"  # "true", or nothing

DATASET, RESOURCE = "dataset", "resource"

# Key of an action's context: the harvest writes, not a person.
BY_HARVEST = "ukharvest_by_harvest"


@dataclass(frozen=True, slots=True)
class Field:
    """A field of datasets or resources.

    Attributes:
        key: name in CKAN.
        label, help: texts of forms and pages; English, translated when they are shown.
        kind: how a value is stored, one of the above.
        of: DATASET or RESOURCE.
        vocabulary: the list that its values come from, "" for none.
        aliases: other keys that sources and portals use for it.
        facet: title of its search facet, "" for none.
        facet_name: the facet's name in the settings and the index; fields of one name are one
            facet, which has its title from one of them. "": the key.
    """

    key: str
    label: str
    kind: str = TEXT
    of: str = DATASET
    vocabulary: str = ""
    aliases: tuple[str, ...] = ()
    help: str = ""
    facet: str = ""
    facet_name: str = ""


FIELDS = (
    Field(
        "theme-primary",
        "Theme",
        NAME,
        vocabulary="themes",
        facet="Theme",
        facet_name="theme",
    ),
    Field(
        "theme-secondary",
        "Further themes",
        NAMES,
        vocabulary="themes",
        facet_name="theme",
    ),
    Field(
        "la_function",
        "Local authority function",
        URIS,
        vocabulary="functions",
        help="The part of a council's work that it is about, from the LGA's list.",
        facet="Local authority function",
        facet_name="function",
    ),
    Field(
        "la_service",
        "Local authority service",
        URIS,
        vocabulary="services",
        help="The council services that it is about, from the LGA's list.",
        facet="Local authority service",
        facet_name="service",
    ),
    Field(
        "schema",
        "Schema",
        ADDRESSES,
        vocabulary="schemas",
        help="The published schema that the data follows.",
        facet="Schema",
        facet_name="schema",
    ),
    Field(
        "codelist",
        "Code list",
        ADDRESSES,
        vocabulary="codelists",
    ),
    Field(
        "mandate",
        "Mandate",
        ADDRESSES,
        help="The law that requires this data to be collected, as a URL at www.legislation.gov.uk.",
    ),
    Field(
        "update_frequency",
        "Frequency of update",
        NAME,
        vocabulary="frequencies",
    ),
    Field(
        "temporal_coverage-from",
        "Covers from",
        DATE,
        help="A day, month or year, such as 2019-04.",
    ),
    Field(
        "temporal_coverage-to",
        "Covers until",
        DATE,
        help="A day, month or year, such as 2019-04.",
    ),
    Field(
        "unpublished",
        "Not published",
        FLAG,
        help="The data exists but is not available yet.",
    ),
    Field(
        "schema_url",
        "Schema",
        ADDRESS,
        of=RESOURCE,
        vocabulary="schemas",
        aliases=("schema-url",),
        facet_name="schema",
        help="The published schema that the data follows.",
    ),
    Field(
        "schema_type",
        "Kind of schema",
        NAME,
        of=RESOURCE,
        aliases=("schema-type",),
        help="The language of the schema, such as csvlint or xsd.",
    ),
)


def _facets() -> dict[str, tuple[Field, ...]]:
    """Return name of a facet → its fields; that with the title comes first."""
    names = {field.facet_name or field.key: field for field in FIELDS if field.facet}
    return {
        name: (field, *(own for own in FIELDS if own.facet_name == name and own != field))
        for name, field in names.items()
    }


FACETS = _facets()

_STAND_INS = {STAND_IN + field.key: field.key for field in FIELDS if field.of == DATASET}


def with_stand_ins(values: Mapping[str, T]) -> dict[str, T]:
    """Return a dataset's fields and extras by name, as pages, facets and export read them.

    A field of ours whose name the portal's form has for other values was stored under another
    (``STAND_IN``), which is put in its place here.
    """
    ours = {_STAND_INS[key]: value for key, value in values.items() if key in _STAND_INS and value}
    return {**{key: value for key, value in values.items() if key not in _STAND_INS}, **ours}
