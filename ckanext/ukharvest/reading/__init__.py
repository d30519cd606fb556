"""Read a source without saving anything: for ``ukharvest check``, source previews and dry runs.

Imports core, readers, parsers and source_types; no CKAN.
"""
