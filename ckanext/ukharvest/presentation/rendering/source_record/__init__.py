"""Render the source record of a dataset."""
