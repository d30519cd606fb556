"""Check everything that harvesting needs, and say how to fix what is wrong.

One function per check; each reports its findings, and none if all is well. No check changes
anything or loads contents, and a check that fails does not affect the others. What fixes.py can
fix, it fixes only when it is asked to.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.operations.doctor import (
    claims,
    datasets,
    exports,
    links,
    mail,
    runs,
    search_index,
    services,
    stars,
    table_sizes,
    vocabularies,
)
from ckanext.ukharvest.operations.doctor.finding import ERROR, OK, WARNING, Finding

log = logging.getLogger(__name__)

Check = Callable[[], Iterable[Finding]]
MIGRATIONS = "migrations"

# Code of the check, its text when all is well, the check.
CHECKS: tuple[tuple[str, str, Check], ...] = (
    (
        "plugins",
        "The plugins are on, in order, and no two harvest one type.",
        services.plugins,
    ),
    (
        "types",
        "Every source has a plugin that harvests it, and all installed types can be used.",
        services.source_types,
    ),
    ("hooks", "No plugin waits for calls by other harvesters.", services.hooks),
    ("settings", "No setting is riskier than need be.", services.settings),
    ("patches", "No bug of another package had to be worked around.", services.patches),
    (
        MIGRATIONS,
        "The tables are those of the installed versions.",
        services.migrations,
    ),
    ("redis", "Redis answers and outlasts a waiting consumer.", services.redis_queue),
    ("solr", "Solr answers and has the fields that are needed.", services.solr),
    ("workers", "There are enough gather and fetch consumers.", runs.workers),
    ("jobs-worker", "A jobs worker is alive.", runs.jobs_workers),
    ("hung", "No consumer hangs.", runs.hung_consumers),
    ("jobs", "No run is stuck.", runs.stuck_jobs),
    ("claims", "No consumer that ended holds work.", claims.held_by_none),
    ("leftovers", "No ended run has left objects behind.", runs.leftovers),
    ("cron", "'ckan harvester run' comes regularly.", runs.cron),
    ("records", "Records, datasets and current objects agree.", datasets.records),
    ("current", "Each dataset has one current object.", datasets.current_objects),
    ("duplicates", "No record has two datasets.", datasets.duplicates),
    ("index", "Database and search index agree.", search_index.index),
    ("links", "No link is waiting to be checked.", links.waiting_links),
    ("stars", "Every dataset has its stars of openness.", stars.unscored_datasets),
    ("stars-plugins", "No plugin failed to change stars.", stars.ignored_plugins),
    ("mail", "No mail was refused.", mail.refused_mails),
    ("vocabularies", "The portal's own lists of values can be used.", vocabularies.own_lists),
    ("export", "No export of the catalogue is out of date.", exports.old_export),
    ("storage", "There is nothing to prune.", table_sizes.sizes),
)


def examine(codes: Collection[str] | None = None) -> list[Finding]:
    """Run all checks, or the given ones; a check that fails is itself a finding."""
    findings: list[Finding] = []
    unchecked: list[str] = []
    for code, fine, check in CHECKS:
        if codes is not None and code not in codes:
            continue
        try:
            found = list(check())
        except Exception as exc:  # noqa: BLE001 - a broken portal is what this is for
            model.Session.rollback()
            if isinstance(exc, sa.exc.ProgrammingError) and _has_old_tables(findings):
                unchecked.append(code)
                continue
            log.warning("Check %s failed", code, exc_info=True)
            found = [_not_checked(code, exc)]
        findings.extend(found or [Finding(OK, code, fine)])
    if unchecked:
        message = f"Not checked, because tables are missing or old: {', '.join(unchecked)}."
        findings.append(Finding(ERROR, MIGRATIONS, message))
    return findings


def _has_old_tables(findings: Iterable[Finding]) -> bool:
    return any(each.code == MIGRATIONS and each.level == ERROR for each in findings)


def _not_checked(code: str, exc: Exception) -> Finding:
    return Finding(
        ERROR,
        code,
        f"This could not be checked: {first_line(exc)}",
        "Fix the errors above first; the log has the details.",
    )


def status_of(findings: Iterable[Finding]) -> int:
    """Return the exit status for monitoring: 0 fine, 1 warnings, 2 errors."""
    levels = {finding.level for finding in findings}
    return 2 if ERROR in levels else 1 if WARNING in levels else 0


def first_line(exc: Exception) -> str:
    """Return an exception's type and the first line of its text."""
    lines = str(exc).strip().splitlines()
    return f"{type(exc).__name__}: {lines[0] if lines else 'no message'}"
