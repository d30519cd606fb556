"""The whole catalogue as files: all public datasets in several formats, and a manifest.

``features`` collects what CKAN, the frames and the background job get from here.
"""

from __future__ import annotations
