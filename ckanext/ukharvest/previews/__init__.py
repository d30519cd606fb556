"""Tests: read a source, a text or a file without saving anything."""

from __future__ import annotations
