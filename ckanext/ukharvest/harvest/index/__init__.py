"""The search index of datasets."""

from __future__ import annotations
