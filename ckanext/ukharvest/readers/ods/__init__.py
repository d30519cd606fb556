"""Opendatasoft portals: Explore API 2.1 and Search API 1.0."""
