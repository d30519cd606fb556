"""DCAT in any RDF syntax: documents, pages, graphs kept on disk, JSON-LD contexts."""
