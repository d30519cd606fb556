"""The source types: each combines a reader and a parser. Needs no CKAN."""

from __future__ import annotations

from ckanext.ukharvest.source_types.ckan import CKAN
from ckanext.ukharvest.source_types.data_json import DATA_JSON
from ckanext.ukharvest.source_types.dcat_rdf import DCAT_RDF
from ckanext.ukharvest.source_types.dkan import DKAN
from ckanext.ukharvest.source_types.gemini import GEMINI_CSW, GEMINI_SINGLE, GEMINI_WAF
from ckanext.ukharvest.source_types.inventory import INVENTORY
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS, SourceType

__all__ = [
    "CKAN",
    "COMMON_OPTIONS",
    "DATA_JSON",
    "DCAT_RDF",
    "DKAN",
    "GEMINI_CSW",
    "GEMINI_SINGLE",
    "GEMINI_WAF",
    "INVENTORY",
    "TYPES",
    "SourceType",
    "aliases",
    "find",
    "names_of",
    "reserved_options",
]


TYPES = {
    kind.name: kind
    for kind in (
        CKAN,
        DATA_JSON,
        DCAT_RDF,
        DKAN,
        GEMINI_CSW,
        GEMINI_SINGLE,
        GEMINI_WAF,
        INVENTORY,
    )
}


def find(name: str) -> SourceType | None:
    """Return the source type with this name or alias, or None."""
    for kind in TYPES.values():
        if name == kind.name or name in kind.aliases:
            return kind
    return None


def names_of(name: str) -> tuple[str, ...]:
    """Return the type's name and its aliases, given any of them; () for an unknown name."""
    kind = find(name)
    return (kind.name, *kind.aliases) if kind else ()


def aliases() -> dict[str, SourceType]:
    """Return alias (a name that other harvesters use) → source type."""
    return {alias: kind for kind in TYPES.values() for alias in kind.aliases}


def reserved_options(kind: SourceType) -> frozenset[str]:
    """Return the names of the type's options that only a sysadmin can set."""
    declared = (*kind.options, *COMMON_OPTIONS)
    return frozenset(option.name for option in declared if option.sysadmin_only)
