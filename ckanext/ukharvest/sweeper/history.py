"""Keep harvest's tables, and ours, small: prune once an hour, a bounded number of rows a tick."""

from __future__ import annotations

from ckanext.ukharvest import config
from ckanext.ukharvest.model import prune
from ckanext.ukharvest.portal import sizes
from ckanext.ukharvest.sweeper import pauses

NOTE = "ukharvest.prune"  # key in system_info: when a tick last found nothing more to prune


def prune_old_runs() -> list[str]:
    """Prune what older runs, and resources, left behind; a large history goes in several ticks."""
    if pauses.since(NOTE):
        return []
    went = prune.prune_all(
        config.our_type_names(),
        keep_runs=config.prune_keep_runs(),
        max_objects=prune.OBJECTS_A_TICK,
    )
    if went.objects < prune.OBJECTS_A_TICK:
        pauses.begin(NOTE)
    did = []
    if went != prune.Pruned():
        did.append(
            f"Pruned {went.objects:,} harvest objects, {went.gather_errors:,} gather errors and "
            f"{went.jobs:,} jobs of older runs"
        )
    if links := prune.prune_links():
        did.append(f"Forgot {links:,} links that no resource has any more")
    return did


def note_sizes() -> list[str]:
    """Keep the sizes of the tables, once a day: the dashboard tells how they grow."""
    sizes.note_today()
    return []
