"""Hooks of other extensions, and ckanext-dcat's profiles, called for a record."""
