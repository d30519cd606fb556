"""The run and what it keeps: a package a subject, beside the tables and locks of all."""

from __future__ import annotations
