"""How large harvest's tables are, and what pruning would free."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest import config
from ckanext.ukharvest.doctor.finding import INFO, WARNING, Finding
from ckanext.ukharvest.model.prune import count_prunable

MANY = 500_000  # rows to prune from which on queries and backups suffer


def sizes() -> Iterator[Finding]:
    """Size of ``harvest_object`` and its share that nobody needs."""
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
    )
