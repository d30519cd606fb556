"""Names of CKAN's fields that describe a portal, not its data: no parser reads them.

They are internal, or CKAN computes them, and the same names mean something else here.
"""

from __future__ import annotations

from ckanext.ukharvest.core import harvest_extras

OF_DATASET = frozenset(
    ("id", "type", "state", "private", "title", "resources", "dgu_harvest_me", "isopen")
    + ("revision_id", "revision_timestamp", "creator_user_id", "num_tags", "num_resources")
    + ("relationships_as_object", "relationships_as_subject", "relationships", "tracking_summary")
    + ("metadata_created", "license_title", "harvest", "harvest_object_id", "harvest_source_id")
    + ("harvest_source_title", "import_source", "ratings_average", "ratings_count", "ckan_url")
    + ("download_url", "notes_rendered", "display_name", "capacity", "total", "data_dict")
    + ("validated_data_dict",)
)
OF_RESOURCE = frozenset(
    ("package_id", "revision_id", "revision_timestamp", "state", "position", "url_type")
    + ("cache_url", "cache_last_updated", "webstore_url", "webstore_last_updated", "on_same_domain")
    + ("datastore_active", "datastore_contains_all_records_of_source_file", "tracking_summary")
    + ("resource_group_id", "mimetype_inner", "metadata_modified", "has_views", "ckan_url")
    + ("total_record_count", "_size", "original_url", "set_url_type", "task_created")
)

# Never an extra of a record: what a portal has for itself, and what a dataset has in other fields.
TAKEN_OF_DATASET = frozenset(
    (*OF_DATASET, *harvest_extras.KEYS, "guid", "harvest_source_reference")
    + ("name", "notes", "url", "version", "tags", "groups", "organization", "owner_org")
    + ("author", "author_email", "maintainer", "maintainer_email", "license_id")
    + ("metadata_modified", "extras", "la_function", "la_service", "schema", "codelist")
    + ("mandate", "unpublished", "theme-primary", "theme-secondary")
)
TAKEN_OF_RESOURCE = frozenset(
    (*OF_RESOURCE, "id", "url", "name", "description", "mimetype", "size")
    + ("created", "last_modified", "extras")
)
