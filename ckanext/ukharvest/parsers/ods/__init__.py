"""Datasets of Opendatasoft portals."""
