"""Patches for faults of released CKAN and ckanext-harvest: one file per fault.

Each patch replaces one named function, at plugin load, and only if a test call shows the fault:
once an upstream release fixes it, the patch is not applied. ``ckan ukharvest doctor`` lists the
patches in force. Only ``plugin.py`` imports this package.
"""

from __future__ import annotations

from collections.abc import Callable

from ckanext.ukharvest import compat
from ckanext.ukharvest.patches import (
    consumer_heartbeats,
    consumer_reconnect,
    early_indexing,
    fetch_batches,
    job_figures,
    queue_callbacks,
    rabbitmq_consumers,
    redis_connection,
    rollbacks,
    run_test,
    source_validators,
)

# Name, test call that shows the fault, patch.
PATCHES: tuple[tuple[str, Callable[[], bool], Callable[[], None]], ...] = (
    *redis_connection.PATCHES,
    *job_figures.PATCHES,
    *consumer_reconnect.PATCHES,
    *queue_callbacks.PATCHES,
    *source_validators.PATCHES,
    *early_indexing.PATCHES,
    *fetch_batches.PATCHES,
    *rollbacks.PATCHES,
    *run_test.PATCHES,
    *consumer_heartbeats.PATCHES,  # last: wraps the consumer that is in force
    *rabbitmq_consumers.PATCHES,
)


def apply_patches() -> None:
    """Apply the patches that this installation needs; safe to call more than once."""
    for name, is_faulty, patch in PATCHES:
        if name not in compat.applied_patches and is_faulty():
            patch()
            compat.applied_patches.append(name)
