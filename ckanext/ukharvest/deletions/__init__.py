"""What a person decides: pending deletions, and records under new identifiers.

``features`` collects what CKAN, the frames and the background job get from here.
"""

from __future__ import annotations
