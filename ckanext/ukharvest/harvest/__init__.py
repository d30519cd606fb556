"""The run: tables, gather, claims, batches, writer, search index, outcomes, retries, sweeper."""

from __future__ import annotations
