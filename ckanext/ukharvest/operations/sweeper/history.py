"""Keep the tables small: prune a bounded number of rows once an hour, delete old previews."""

from __future__ import annotations

from ckanext.ukharvest import config
from ckanext.ukharvest.model import prune, source_previews
from ckanext.ukharvest.operations.sweeper import pauses

NOTE = "ukharvest.prune"  # key in system_info: when a tick last found nothing more to prune


def prune_old_runs() -> list[str]:
    """Prune what old runs and resources left behind; a long history takes several ticks."""
    if pauses.since(NOTE):
        return []
    went = prune.prune_all(
        config.our_type_names(),
        keep_runs=config.prune_keep_runs(),
        max_objects=prune.OBJECTS_A_TICK,
    )
    if went.objects < prune.OBJECTS_A_TICK:
        pauses.begin(NOTE)
    links = prune.prune_links()
    runs = (
        f"Pruned {went.objects:,} harvest objects, {went.gather_errors:,} gather errors and "
        f"{went.jobs:,} jobs of older runs"
    )
    did = [runs] if went != prune.Pruned() else []
    return did + ([f"Forgot {links:,} links that no resource has any more"] if links else [])


def delete_old_previews() -> list[str]:
    """Delete source previews, dry runs and checks after a day, and the bytes of lost checks."""
    went = source_previews.delete_old()
    source_previews.drop_contents()
    return [f"Forgot {went:,} tests and checks of sources"] if went else []
