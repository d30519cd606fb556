"""What a person decides: pending deletions, and records under new identifiers."""

from __future__ import annotations
