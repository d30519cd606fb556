"""Parsers of records: a folder per format, and the field readers they share.

Pure functions from a RawRecord to a DatasetRecord. They import ``core`` but no reader.
"""
