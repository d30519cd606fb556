"""Mails about harvest sources, and who gets them.

``features`` collects what CKAN, the frames and the background job get from here.
"""

from __future__ import annotations
