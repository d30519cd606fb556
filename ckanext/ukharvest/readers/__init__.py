"""Readers: read a source's records, with a folder or file per protocol.

They know transport and paging, but no metadata. They import ``core`` but no parser.
"""
