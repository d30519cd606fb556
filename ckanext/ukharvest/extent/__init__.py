"""Where a dataset lies: areas, and the map that a page shows of them."""
