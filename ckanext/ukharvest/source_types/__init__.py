"""The source types: each combines a reader and a parser. Needs no CKAN.

Ours are listed here; other distributions add theirs by entry point (``registry``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ckanext.ukharvest.source_types.gemini import GEMINI_CSW, GEMINI_SINGLE, GEMINI_WAF
from ckanext.ukharvest.source_types.lists import (
    DATASET_TABLE,
    DCAT_RDF,
    INVENTORY,
    OAIPMH,
    OPENSEARCH,
    SPARQL,
)
from ckanext.ukharvest.source_types.portals import CKAN, DATA_JSON, DKAN, ODS
from ckanext.ukharvest.source_types.registry import LeftOut, Registry
from ckanext.ukharvest.source_types.source_type import (
    COMMON_OPTIONS,
    GROUPS,
    INTERFACE,
    OWN_TYPE,
    PORTAL,
    SourceType,
)

__all__ = [
    "CKAN",
    "COMMON_OPTIONS",
    "DATA_JSON",
    "DCAT_RDF",
    "GEMINI_CSW",
    "GEMINI_SINGLE",
    "GROUPS",
    "INTERFACE",
    "TYPES",
    "USUAL",
    "LeftOut",
    "SourceType",
    "aliases",
    "find",
    "in_form_order",
    "left_out",
    "names_of",
    "own_type",
    "own_types",
    "registered",
    "reserved_values",
]

# In the order of detection. A new type is added here.
TYPES = Registry(
    (CKAN, DATA_JSON, DCAT_RDF, DKAN, GEMINI_CSW, GEMINI_SINGLE, GEMINI_WAF)
    + (INVENTORY, OAIPMH, SPARQL, ODS, OPENSEARCH, DATASET_TABLE)
)
# The form shows these, and folds the others.
USUAL = tuple(kind.name for kind in (DATA_JSON, CKAN, GEMINI_WAF, GEMINI_CSW))
# What most people look for comes first in the form.
_FIRST = (
    *(CKAN, DKAN, ODS, DATA_JSON, GEMINI_CSW, GEMINI_WAF, GEMINI_SINGLE),
    *(DATASET_TABLE, INVENTORY, DCAT_RDF),
)


def in_form_order() -> list[SourceType]:
    """Return all source types in the order of the form and the help, ours first."""
    return [*_FIRST, *(kind for kind in TYPES.values() if kind not in _FIRST)]


def registered(name: str) -> SourceType:
    """Return the source type with this name, for the harvester plugin of another distribution.

    If the type was left out, return one whose sources fail with the reason when they are read: its
    plugin loads, nothing is imported or deleted, and the runs say what to do.
    """
    return TYPES.get(name) or TYPES.stand_in(name)


def left_out() -> tuple[LeftOut, ...]:
    """Return the source types of other distributions that cannot be used, with the reasons."""
    return TYPES.left_out


def find(name: str) -> SourceType | None:
    """Return the source type with this name or alias, or None.

    By a name of the portal's own it has that one's title and options.
    """
    return TYPES.get(name) or aliases().get(name)


def names_of(name: str) -> tuple[str, ...]:
    """Return the type's name and its aliases, given any of them; () for an unknown name."""
    kind = find(name)
    if kind is None:
        return ()
    return (kind.name, *(alias for alias, other in aliases().items() if other.name == kind.name))


def aliases() -> dict[str, SourceType]:
    """Return alias (a name that other harvesters, or this portal, use) → source type."""
    return {
        **{kind.own_type: kind for kind in own_types()},
        **{alias: kind for kind in TYPES.values() for alias in kind.aliases},
    }


def own_types() -> list[SourceType]:
    """Return the types of ours under the portal's own names (``IUkHarvest``), in their order."""
    names = PORTAL.aliases().items()
    return [TYPES[ours].for_options({OWN_TYPE: name}) for name, ours in names if ours in TYPES]


def own_type(name: str) -> str:
    """Return a type's name if it is one of the portal's own for a type of ours, else ""."""
    return name if name in PORTAL.aliases() else ""


def reserved_values(kind: SourceType, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return our name and the value of those options that only a sysadmin can set.

    Args:
        options: of a source, as stored or sent: those of other harvesters may have their names.
    """
    return {
        option.name: options[name]
        for option in kind.for_options(options).all_options
        if option.sysadmin_only
        for name in (option.alias, option.name)
        if name in options
    }
