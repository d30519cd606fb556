"""Likely duplicates: list them, join two datasets into one, and part them again.

``features`` collects what CKAN, the frames and the background job get from here.
"""

from __future__ import annotations
