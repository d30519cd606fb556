"""Runs, the records of a run, and their problems."""

from __future__ import annotations
