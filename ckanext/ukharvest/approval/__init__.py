"""Approval of sources: a sysadmin accepts or refuses a new source, or another host or type of one.

What waits, and what does not run before that, is decided in ``sources/approvals.py``.
"""

from __future__ import annotations
