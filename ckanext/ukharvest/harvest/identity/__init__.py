"""Which records of several sources are one dataset, surely or likely."""

from __future__ import annotations
