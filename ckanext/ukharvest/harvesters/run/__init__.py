"""Gather, fetch and import, once for all source types.

A run is gathered in one go (``gather``: it reads, stages what it read, then shows it); fetch and
import (``work``) then take one harvest object each, possibly in other processes and possibly
twice. Nothing here catches what it does not expect: that is the border in ``base``.
"""
