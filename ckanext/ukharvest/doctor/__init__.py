"""Look at everything that harvesting needs, and say what to do where something is wrong.

Read only: nothing is mended here. One function a check; each reports what it finds and nothing
when all is well. No check loads contents, and none fails because another does.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable

from ckan import model

from ckanext.ukharvest.doctor import datasets, links, platform, runs, stars, storage, vocabularies
from ckanext.ukharvest.doctor.finding import ERROR, OK, WARNING, Finding

log = logging.getLogger(__name__)

Check = Callable[[], Iterable[Finding]]

# Code of the check, what it says when all is well, the check.
CHECKS: tuple[tuple[str, str, Check], ...] = (
    ("plugins", "The plugins are on, in order, and no two harvest one type.", platform.plugins),
    ("types", "Every source has a plugin that harvests it.", platform.source_types),
    ("settings", "No setting is riskier than need be.", platform.settings),
    ("patches", "No fault of another package had to be mended.", platform.patches),
    ("migrations", "The tables are those of the installed versions.", platform.migrations),
    ("redis", "Redis answers and outlasts a waiting consumer.", platform.redis_queue),
    ("solr", "Solr answers and has the fields that are needed.", platform.solr),
    ("workers", "A gather and a fetch consumer are alive.", runs.workers),
    ("jobs", "No run is stuck.", runs.stuck_jobs),
    ("leftovers", "No ended run has left objects behind.", runs.leftovers),
    ("cron", "'ckan harvester run' comes regularly.", runs.cron),
    ("records", "Records, datasets and current objects agree.", datasets.records),
    ("current", "Each dataset has one current object.", datasets.current_objects),
    ("duplicates", "No record has two datasets.", datasets.duplicates),
    ("index", "Database and search index agree.", datasets.index),
    ("links", "No link waits to be looked at.", links.looked_at),
    ("stars", "Every dataset has its stars of openness.", stars.all_scored),
    ("vocabularies", "The portal's own lists of values can be used.", vocabularies.own_lists),
    ("storage", "There is nothing to prune.", storage.sizes),
)


def examine(codes: Collection[str] | None = None) -> list[Finding]:
    """Run all checks, or those of these codes; one that fails is a finding itself."""
    findings: list[Finding] = []
    for code, fine, check in CHECKS:
        if codes is not None and code not in codes:
            continue
        try:
            found = list(check())
        except Exception as exc:  # noqa: BLE001 - a broken portal is what this is for
            log.warning("Check %s failed", code, exc_info=True)
            model.Session.rollback()
            found = [
                Finding(
                    ERROR,
                    code,
                    f"This could not be checked: {_first_line(exc)}",
                    "Mend what the errors above say first; the log has the details.",
                )
            ]
        findings.extend(found or [Finding(OK, code, fine)])
    return findings


def status_of(findings: Iterable[Finding]) -> int:
    """Return the exit status for monitoring: 0 fine, 1 warnings, 2 errors."""
    levels = {finding.level for finding in findings}
    return 2 if ERROR in levels else 1 if WARNING in levels else 0


def _first_line(exc: Exception) -> str:
    lines = str(exc).strip().splitlines()
    return f"{type(exc).__name__}: {lines[0] if lines else 'no message'}"
