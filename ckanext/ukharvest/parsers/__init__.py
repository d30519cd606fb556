"""Formats: what a record means. Pure functions from a RawRecord to a DatasetRecord."""
