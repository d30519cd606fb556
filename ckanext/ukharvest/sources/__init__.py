"""Harvest sources: list, form, status, schedule, search of sources."""

from __future__ import annotations
