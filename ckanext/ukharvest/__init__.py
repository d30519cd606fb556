"""Harvesters, UK fields and pages for CKAN; the design is in docs/decisions/ and the README."""

__version__ = "0.1.0"
