"""Tests: read a source, a text or a file without saving anything.

``features`` collects what CKAN, the frames and the background job get from here.
"""

from __future__ import annotations
