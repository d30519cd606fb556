"""Mails about harvest sources, and who gets them."""

from __future__ import annotations
