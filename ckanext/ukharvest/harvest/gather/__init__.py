"""Gather: read a source and stage records to import; dry runs and tests, which write nothing."""

from __future__ import annotations
