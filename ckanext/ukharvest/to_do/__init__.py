"""What there is to do: one list for each person of what their sources need.

Features fill it by slots of the place ``to_do``; ``features`` collects what CKAN gets from here.
"""

from __future__ import annotations
