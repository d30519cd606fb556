"""Facts, extents and source records of datasets as markup. Imports core and fields."""
