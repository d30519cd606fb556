"""CKAN sites by their API: search, list of names, or one saved response."""
