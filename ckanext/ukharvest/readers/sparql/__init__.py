"""SPARQL 1.1 endpoints: queries, results, the walk over all datasets and their descriptions."""
