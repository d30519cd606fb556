"""Checks of resources' data against their schemas.

``features`` collects what CKAN, the frames and the background job get from here.
"""

from __future__ import annotations
