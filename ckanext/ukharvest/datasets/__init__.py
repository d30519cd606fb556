"""What a dataset shows: fields and form, provenance, source record, extent, changes, facets."""

from __future__ import annotations
