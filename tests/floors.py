"""The package’s floors, from the ground up: what a module may import."""

from __future__ import annotations

# Rooms that could be deleted: none imports another.
FEATURES = (
    *("adoption", "approval", "data_checks", "deletions", "doctor", "duplicates", "export"),
    *("links", "notifications", "previews", "runs", "stars", "themes", "to_do"),
    "value_tables",
)
# From the ground up: modules and folders of each floor. "" is the package itself.
FLOORS: tuple[tuple[str, ...], ...] = (
    ("",),
    ("core",),
    ("schema_check",),
    ("readers", "parsers"),
    ("source_types", "stock_options"),
    ("mapping",),
    ("reading",),
    ("fields", "rendering"),
    ("check_command",),
    ("testing",),
    ("interfaces", "bulk_rows", "compat", "config", "dataset_schema", "write_batch"),
    ("harvest", "migration"),
    ("lib",),
    ("sources", "datasets", "harvest_actions"),
    FEATURES,
    ("harvesters",),
    ("source_type_api", "testing.portal"),
    ("patches",),
    ("features", "cli"),
    ("plugin", "form"),
)
CKAN_FROM = FLOORS.index(
    ("interfaces", "bulk_rows", "compat", "config", "dataset_schema", "write_batch")
)
