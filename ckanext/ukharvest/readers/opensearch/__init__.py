"""OpenSearch 1.1: description documents, URL templates, pages of results in Atom and GeoJSON."""
