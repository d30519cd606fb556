"""Check everything that harvesting needs, and say how to fix what is wrong.

One function per check; each reports its findings, and none if all is well. No check changes
anything or loads contents, and a check that fails does not affect the others. What fixes.py can
fix, it fixes only when it is asked to. The dashboard (dashboard.py) shows the findings on a page.
Features have checks and fixes of their own (``lists.DOCTOR``).
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.doctor import datasets, runs, services
from ckanext.ukharvest.harvest import lists
from ckanext.ukharvest.lib.checks import ERROR, OK, WARNING, Check, Finding

log = logging.getLogger(__name__)

MIGRATIONS = "migrations"

# Our own, in the order of the report.
CHECKS: tuple[Check, ...] = (
    services.plugins,
    services.source_types,
    services.hooks,
    services.settings,
    services.patches,
    services.migrations,
    services.redis_queue,
    services.solr,
    runs.workers,
    runs.jobs_workers,
    runs.hung_consumers,
    runs.stuck_jobs,
    runs.held_by_none,
    runs.leftovers,
    runs.cron,
    datasets.refused_by_form,
    datasets.records,
    datasets.current_objects,
    datasets.duplicates,
    datasets.index,
    services.own_lists,
    datasets.sizes,
)


def checks() -> list[Check]:
    """Return the checks in the order of the report: our own, then those of features."""
    return [*CHECKS, *(check for check in lists.DOCTOR if isinstance(check, Check))]


def examine(codes: Collection[str] | None = None) -> list[Finding]:
    """Run all checks, or the given ones; a check that fails is itself a finding."""
    findings: list[Finding] = []
    unchecked: list[str] = []
    for check in checks():
        if codes is not None and check.code not in codes:
            continue
        try:
            own = list(check()) or [Finding(OK, check.code, check.fine)]
        except Exception as exc:  # noqa: BLE001 - a broken portal is what this is for
            model.Session.rollback()
            has_old_tables = any(
                finding.code == MIGRATIONS and finding.level == ERROR for finding in findings
            )
            if isinstance(exc, sa.exc.ProgrammingError) and has_old_tables:
                unchecked.append(check.code)
                continue
            log.warning("Check %s failed", check.code, exc_info=True)
            message = f"This could not be checked: {first_line(exc)}"
            advice = "Fix the errors above first; the log has the details."
            own = [Finding(ERROR, check.code, message, advice)]
        findings.extend(own)
    if unchecked:
        message = f"Not checked, because tables are missing or old: {', '.join(unchecked)}."
        findings.append(Finding(ERROR, MIGRATIONS, message))
    return findings


def status_of(findings: Iterable[Finding]) -> int:
    """Return the exit status for monitoring: 0 fine, 1 warnings, 2 errors."""
    levels = {finding.level for finding in findings}
    return 2 if ERROR in levels else 1 if WARNING in levels else 0


def first_line(exc: Exception) -> str:
    """Return an exception's type and the first line of its text."""
    lines = str(exc).strip().splitlines()
    return f"{type(exc).__name__}: {lines[0] if lines else 'no message'}"
