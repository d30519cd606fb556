"""The search of datasets: what its index gets, and its facets."""
