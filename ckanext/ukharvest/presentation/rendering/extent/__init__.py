"""A dataset's extent: areas and the map of them."""
