"""What is replaced in CKAN and ckanext-harvest, by name, when the plugin is loaded: two lists.

Hooks are what the engine needs; they are always applied. Faults are bugs of released versions
(``docs/upstream``); each is applied to all versions below the first that is mended, so far to all,
newer ones than were tested included. ``ckan ukharvest doctor`` lists them, and warns of a function
whose source is not one that was tested. Only ``plugin.py`` imports this package.
"""

from __future__ import annotations

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

FAULTS = (
    *redis_connection.FAULTS,
    *job_figures.FAULTS,
    *consumer_reconnect.FAULTS,
    *consumer_heartbeats.FAULTS,
)
# After the faults, and these in this order: some wrap what is in force by then.
HOOKS = (
    *queue_callbacks.HOOKS,
    *source_validators.HOOKS,
    *early_indexing.HOOKS,
    *fetch_batches.HOOKS,
    *rollbacks.HOOKS,
    *run_test.HOOKS,
    *consumer_heartbeats.HOOKS,
    *rabbitmq_consumers.HOOKS,
)


def apply_patches() -> None:
    """Apply the patches that this installation needs; safe to call more than once."""
    needed = [each for each in (*FAULTS, *HOOKS) if each.is_needed()]
    new = [each for each in needed if each.name not in compat.applied_patches]
    for patch in new:  # before any is replaced
        compat.note_replaced(patch)
    for patch in new:
        patch.apply()
        compat.applied_patches[patch.name] = patch
