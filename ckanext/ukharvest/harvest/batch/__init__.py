"""Import of a batch: its items are prepared, written in one transaction, and stored."""

from __future__ import annotations
