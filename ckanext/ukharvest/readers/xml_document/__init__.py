"""One XML document with many records, cut element by element."""
