"""Results of OpenSearch services: entries of Atom, features of GeoJSON."""
