"""Keep harvest's tables, and ours, small: prune once an hour, a bounded number of rows a tick."""

from __future__ import annotations

import datetime

import sqlalchemy as sa
from ckan import model
from ckan.model.system_info import set_system_info

from ckanext.ukharvest import config
from ckanext.ukharvest.model import prune, utcnow

NOTE = "ukharvest.prune"  # key in system_info: when a tick last found nothing more to prune
PAUSE = datetime.timedelta(hours=1)


def prune_old_runs() -> list[str]:
    """Prune what older runs, and resources, left behind; a large history goes in several ticks."""
    last = _last()
    if last and utcnow() - last < PAUSE:
        return []
    went = prune.prune_all(
        config.our_type_names(),
        keep_runs=config.prune_keep_runs(),
        max_objects=prune.OBJECTS_A_TICK,
    )
    if went.objects < prune.OBJECTS_A_TICK:
        set_system_info(NOTE, utcnow().isoformat(timespec="seconds"))
    did = []
    if went != prune.Pruned():
        did.append(
            f"Pruned {went.objects:,} harvest objects, {went.gather_errors:,} gather errors and "
            f"{went.jobs:,} jobs of older runs"
        )
    if links := prune.prune_links():
        did.append(f"Forgot {links:,} links that no resource has any more")
    return did


def _last() -> datetime.datetime | None:
    text = model.Session.scalar(
        sa.select(model.SystemInfo.value).where(model.SystemInfo.key == NOTE)
    )
    try:
        return datetime.datetime.fromisoformat(text or "")
    except ValueError:
        return None
