"""Consumers: claims on harvest objects, heartbeats, lost work, and jobs that plugins queue."""

from __future__ import annotations
