"""Link checks: what is at a resource's URL, and lists of links that do not work.

``features`` collects what CKAN, the frames and the background job get from here.
"""

from __future__ import annotations
