"""Datasets of Inventory XML, the LGA's format, with its schemas."""
