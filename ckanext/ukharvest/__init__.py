"""Harvesters, UK fields and pages for CKAN; for the design see README.md and docs/decisions/."""

__version__ = "0.1.0"
