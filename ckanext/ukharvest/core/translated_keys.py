"""Keys of texts in several languages, as CKAN's h.get_translated and ckanext-fluent have them."""

from __future__ import annotations

# Key in CKAN → attribute of the record, and of its Translation.
OF_DATASET = {"title_translated": "title", "notes_translated": "notes", "tags_translated": "tags"}
OF_RESOURCE = {"name_translated": "name", "description_translated": "description"}
