"""Mails about harvest sources: failures, empty lists, recoveries, pending deletions.

Each tick compares every source that has recipients with what was last mailed about it: so a mail is
sent once, whatever ended the run and however often a tick is interrupted.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob
from flask_babel import force_locale

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.outcomes import RunOutcome
from ckanext.ukharvest.core.source_status import Health
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.model import JobReport, health, locks, notifications, runs, utcnow
from ckanext.ukharvest.model.health import SourceHealth
from ckanext.ukharvest.model.notifications import (
    FAILED,
    HELD,
    MISSING,
    RECOVERED,
    RENAMED,
    Recipient,
    Told,
)
from ckanext.ukharvest.operations.notifications import mail_contents, sending, weekly
from ckanext.ukharvest.operations.notifications.mail_contents import Failure, Letter
from ckanext.ukharvest.presentation.messages import times

log = logging.getLogger(__name__)
Session = model.Session

MAX_TRIES = 12  # ticks: two hours without a mail server


def send_due() -> list[str]:
    """Send all due mails, and return sentences that say what was sent; raise nothing.

    Of two calls at the same time the second does nothing: a mail server that never answers blocks
    only one tick.
    """
    try:
        with locks.alone(locks.MAILS) as is_alone:
            return _tell() if is_alone else []
    except Exception:  # noqa: BLE001 - the next tick sends mails not sent now
        log.exception("Mails about harvest sources could not be sent")
        compat.rollback()
        return []


def _tell() -> list[str]:
    told = notifications.sources()
    if not told:
        return []
    states = health.load_health([each.id for each in told])
    recipients = notifications.recipients(told)
    known = [each for each in told if each.id in states]
    did = []
    with force_locale(sending.language()):
        for each in known:
            did += _tell_of(each, states[each.id], recipients[each.id])
        did += weekly.send_weekly([(each, states[each.id], recipients[each.id]) for each in known])
    for words in did:
        log.info("Mails: %s", words)
    return did


def _send_test(told: Told, recipients: Sequence[Recipient]) -> list[str]:
    """Send a requested test message once, and save the result; commit."""
    asked = notifications.waiting_test(told.mailed)
    if not asked:
        return []
    letter = mail_contents.compose_test(told)
    sent = sum(sending.send(letter, each, told.id, told.title) for each in recipients)
    failed = len(recipients) - sent
    result = {"at": iso(utcnow()), "sent": sent, "failed": failed}
    reason = sending.obstacle() if failed else ""
    notifications.note_test(told.id, {**asked, **result, "reason": reason})
    Session.commit()
    return [f"sent a test message about {told.name} to {sent} of {len(recipients)}"]


def _tell_of(told: Told, state: SourceHealth, recipients: Sequence[Recipient]) -> list[str]:
    """Mail the news of one source, and save what was mailed; an error affects this source only."""
    mailed, done = dict(told.mailed), dict(told.mailed)
    did = []
    try:
        did += _send_test(told, recipients)
        for event, letter in _news(told, state, mailed):
            if letter and event in told.settings.events and recipients:
                sent = [sending.send(letter, each, told.id, told.title) for each in recipients]
                tries = int(mailed.pop("tries", 0)) + 1
                if not any(sent) and tries < MAX_TRIES:
                    mailed = {**done, "tries": tries}
                    break
                count = f"{sum(sent)} of {len(sent)}"
                did.append(f"sent to {count} about {told.name}: {letter.subject}")
            done = dict(mailed)
        if mailed != told.mailed:
            notifications.save_mailed(told.id, mailed)
        Session.commit()
    except Exception:  # noqa: BLE001 - the others' mails have to go on
        log.exception("Mails about the source %s could not be written", told.name)
        compat.rollback()
    return did


def _news(
    told: Told, state: SourceHealth, mailed: dict[str, Any]
) -> Iterator[tuple[str, Letter | None]]:
    """Yield the news to mail; note in ``mailed`` that they are."""
    if state.value == Health.OFF:
        return
    if _is_failing(state):
        if FAILED not in mailed:
            failure = _failure(state)
            mailed[FAILED] = {"job_id": failure.job_id, "at": _text(failure.finished)}
            yield FAILED, mail_contents.compose_failure(told, state, failure)
    elif state.value in _MISSING:
        if mailed.get(MISSING, {}).get("health") != state.value:
            mailed[MISSING] = {"health": state.value}
            event, letter = _MISSING[state.value]
            yield event, letter(told, state)
    elif FAILED in mailed and _has_recovered(state, mailed[FAILED]):
        first = mailed.pop(FAILED)
        yield RECOVERED, _recovery(told, state, first)
    if state.value in (Health.HEALTHY, Health.ERRORS, Health.NEW):
        mailed.pop(MISSING, None)
    yield from _decisions(told, state, mailed)


def _decisions(
    told: Told, state: SourceHealth, mailed: dict[str, Any]
) -> Iterator[tuple[str, Letter | None]]:
    """Yield what waits for a decision; note in ``mailed`` that it is mailed."""
    since = told.changed_identifiers.get("since") if state.renamed else None
    if since and mailed.get(RENAMED, {}).get("since") != since:
        mailed[RENAMED] = {"since": since}
        yield HELD, mail_contents.compose_renamed(told, state)
    elif not state.renamed:
        mailed.pop(RENAMED, None)
    since = told.held.get("since") if state.held else None
    before = mailed.get(HELD) or {}
    # Three thousand pending deletions are news even after ten.
    if since and (before.get("since") != since or state.held >= 2 * before["number"]):
        mailed[HELD] = {"since": since, "number": state.held}
        yield HELD, mail_contents.compose_pending(told, state)
    elif not state.held:
        mailed.pop(HELD, None)


# Recipients of failures also learn of a source without records: an empty list proves nothing, so no
# deletion will be offered for approval.
_MISSING: Mapping[str, tuple[str, Callable[[Told, SourceHealth], Letter]]] = {
    Health.EMPTY: (FAILED, mail_contents.compose_empty),
    Health.SHRUNK: (HELD, mail_contents.compose_shrunk),
}


def _is_failing(state: SourceHealth) -> bool:
    is_last = bool(state.last_run and state.last_run["outcome"] == RunOutcome.FAILED)
    return is_last or state.value in (Health.FAILING, Health.HICCUP)


def _has_recovered(state: SourceHealth, failed: dict[str, Any]) -> bool:
    """Tell whether a failed source works again; a stopped run proves nothing."""
    began = times.moment(failed.get("at"))
    good = times.moment(state.last_good_run and state.last_good_run["finished"])
    return bool(good and (began is None or good > began))


def _text(moment: dt.datetime | None) -> str:
    return moment.isoformat(timespec="seconds") if moment else ""


def _failure(state: SourceHealth) -> Failure:
    """Return why the run failed that the source's health is about."""
    run = runs.by_id([str(state.judged_id)])[str(state.judged_id)]
    error = run["error"] or {"code": "", "message": ""}
    return Failure(run["id"], times.moment(run["finished"]), error["code"], error["message"])


def _recovery(told: Told, state: SourceHealth, first: dict[str, Any]) -> Letter:
    failures = (
        Session.query(HarvestJob.id)
        .join(JobReport, JobReport.job_id == HarvestJob.id)
        .filter(JobReport.source_id == told.id, JobReport.outcome == RunOutcome.FAILED)
        .filter(HarvestJob.created >= _made(first.get("job_id")))
    )
    good = str((state.last_good_run or {}).get("id"))
    counts = runs.by_id([good]).get(good, {}).get("counts", {})
    return mail_contents.compose_recovery(told, max(failures.count(), 1), first.get("at"), counts)


def _made(job_id: Any) -> Any:
    """Return when a job was created; a pruned one is older than all that exist."""
    made = sa.select(HarvestJob.created).where(HarvestJob.id == str(job_id)).scalar_subquery()
    return sa.func.coalesce(made, sa.text("'-infinity'::timestamp"))
