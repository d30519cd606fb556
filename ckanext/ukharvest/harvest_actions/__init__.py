"""ckanext-harvest's actions, chained, and our own about runs and schedules."""

from __future__ import annotations
