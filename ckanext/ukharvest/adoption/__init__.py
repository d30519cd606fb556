"""Adopt a source of another harvester, with its type, options and datasets, or undo that."""

from __future__ import annotations
