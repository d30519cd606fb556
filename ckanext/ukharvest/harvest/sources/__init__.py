"""Harvest sources: options, status, schedule, decisions, and the datasets that they adopt."""

from __future__ import annotations
