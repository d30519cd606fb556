"""Runs, the records of a run, and their problems.

``features`` collects what CKAN, the frames and the background job get from here.
"""

from __future__ import annotations
