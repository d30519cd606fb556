"""Adopt a source of another harvester, with its type, options and datasets, or undo that.

``features`` collects what CKAN, the frames and the background job get from here.
"""

from __future__ import annotations
