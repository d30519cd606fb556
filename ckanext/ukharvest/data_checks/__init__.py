"""Checks of resources' data against their schemas."""

from __future__ import annotations
