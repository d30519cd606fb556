"""Link checks: what is at a resource's URL, and lists of links that do not work."""

from __future__ import annotations
