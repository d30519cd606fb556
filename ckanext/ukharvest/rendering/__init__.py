"""Facts, extents and source records of datasets as markup. Needs no CKAN."""

from __future__ import annotations
