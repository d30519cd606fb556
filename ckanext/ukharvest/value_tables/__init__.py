"""The page, actions and command of tables of values: which value here a publisher's becomes.

``features`` collects what CKAN gets from here; ``harvest/sources/value_tables.py`` applies them.
"""

from __future__ import annotations
