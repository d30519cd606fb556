"""Map a DatasetRecord to CKAN's package dict. Needs no CKAN."""
