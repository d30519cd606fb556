"""Check of the harvest tables' sizes, and what pruning would free."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import config
from ckanext.ukharvest.model.prune import count_prunable
from ckanext.ukharvest.operations.doctor.finding import INFO, PRUNE, WARNING, Finding

MANY = 500_000  # rows to prune that slow down queries and backups


def sizes() -> Iterator[Finding]:
    """Report the size of ``harvest_object`` and the share that can be pruned."""
    kept = config.prune_keep_runs()
    prunable = count_prunable(config.our_type_names(), keep_runs=kept)
    if not prunable.objects and not prunable.jobs:
        return
    size = model.Session.scalar(
        sa.text("SELECT pg_size_pretty(pg_total_relation_size('harvest_object'))")
    )
    yield Finding(
        WARNING if prunable.objects > MANY else INFO,
        "storage",
        f"The table harvest_object has {size}; {prunable.objects:,} of its rows and "
        f"{prunable.jobs:,} jobs are older than the last {kept} runs of their source.",
        "'ckan ukharvest prune' removes them; cron does it too, little by little.",
        PRUNE,
    )
