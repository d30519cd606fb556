"""CSW 2.0.2 catalogues (OGC 07-006r1): requests, responses, the walk over pages."""
