"""Runs: their row, progress and outcomes, their end, cron's work, and old ones."""

from __future__ import annotations
