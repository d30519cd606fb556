"""Dataset search: index fields and facets."""
