"""Opendatasoft portals: Explore API 2.1, Search API 1.0, and the DCAT export."""
