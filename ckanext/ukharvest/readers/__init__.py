"""Protocols: how to get at a source's records. They know transport and paging, no metadata."""
