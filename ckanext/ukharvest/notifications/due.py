"""Which mails are due: news of sources at each tick, and a summary on Mondays."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob
from flask_babel import force_locale

from ckanext.ukharvest import compat, config
from ckanext.ukharvest.core.outcomes import PendingKind, RunOutcome
from ckanext.ukharvest.core.status_rules import Health, SourceStatus
from ckanext.ukharvest.core.values.dates import iso
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.model import JobReport, utcnow
from ckanext.ukharvest.harvest.run import runs
from ckanext.ukharvest.harvest.sources import schedules, source_status
from ckanext.ukharvest.lib import texts
from ckanext.ukharvest.notifications import approvals, mails
from ckanext.ukharvest.notifications import model as notification_model
from ckanext.ukharvest.notifications.mails import Letter, Notes
from ckanext.ukharvest.notifications.model import (
    FAILED,
    HELD,
    MISSING,
    RECOVERED,
    RENAMED,
    Recipient,
    Told,
)

log = logging.getLogger(__name__)
Session = model.Session

NOTE = "ukharvest.weekly"  # key in system_info: the last week summarised
START = dt.timedelta(hours=6)  # after the beginning of Monday, in the portal's time zone

Known = tuple[Told, SourceStatus, list[Recipient]]


def send_weekly(known: Sequence[Known]) -> list[str]:
    """Send the summaries at the first tick of a week; commit."""
    this, last = week(), database.load_note(NOTE)
    if last == this:
        return []
    # Saved first: losing one is better than sending one at each tick.
    database.set_note(NOTE, this)
    if not last:  # installed in the middle of a week
        return []
    ids = [source.id for source, _health, _to in known]
    notes = mails.notes_of(ids)
    sent = sum(_send(recipient, pairs, notes) for recipient, pairs in _by_recipient(known))
    return [f"sent {sent} weekly summaries"] if sent else []


def week(now: dt.datetime | None = None) -> str:
    """Return the week's Monday; a week starts on Monday at six in the morning."""
    local = (now or dt.datetime.now(dt.timezone.utc)).astimezone(ZoneInfo(schedules.portal_zone()))
    day = (local - START).date()
    return (day - dt.timedelta(days=day.weekday())).isoformat()


def _by_recipient(
    known: Iterable[Known],
) -> Iterable[tuple[Recipient, list[tuple[Told, SourceStatus]]]]:
    summaries: dict[str, tuple[Recipient, list[tuple[Told, SourceStatus]]]] = {}
    for source, health, recipients in known:
        for recipient in filter(source.settings.wants_weekly, recipients):
            key = recipient.address.casefold()
            summaries.setdefault(key, (recipient, []))[1].append((source, health))
    return summaries.values()


def _send(recipient: Recipient, pairs: list[tuple[Told, SourceStatus]], notes: Notes) -> bool:
    """Send one summary if a source needs attention."""
    is_needed = any(
        mails.needs_attention(health, notes.get(source.id, ())) for source, health in pairs
    )
    return is_needed and mails.send(mails.compose_weekly(pairs, notes), recipient)


MAX_TRIES = 12  # ticks: two hours without a mail server


def send_due() -> list[str]:
    """Send all due mails, and return sentences that say what was sent.

    Of two calls at the same time the second does nothing: a mail server that never answers blocks
    only one tick.
    """
    with database.hold_alone(database.MAILS) as is_alone:
        return [*_send_news(), *_send_approvals()] if is_alone else []


AFTER_TICK = (send_due,)  # about the runs that it has closed


def _send_approvals() -> list[str]:
    """Send what is due about the approval of sources."""
    if not config.approves_sources():
        return []
    with force_locale(mails.language()):
        return [*approvals.send_answers(), *approvals.send_reminder(week())]


def _send_news() -> list[str]:
    sources = notification_model.sources()
    if not sources:
        return []
    states = source_status.load_statuses([source.id for source in sources])
    recipients = notification_model.recipients(sources)
    known = [
        (source, states[source.id], recipients[source.id])
        for source in sources
        if source.id in states
    ]
    did = []
    with force_locale(mails.language()):
        for source, state, people in known:
            did += _send_news_of(source, state, people)
        return did + send_weekly(known)


def _send_test(told: Told, recipients: Sequence[Recipient]) -> list[str]:
    """Send a requested test message once, and save the result; commit."""
    asked = notification_model.waiting_test(told.mailed)
    if not asked:
        return []
    letter = mails.compose_test(told)
    sent = sum(mails.send(letter, person, told.id, told.title) for person in recipients)
    failed = len(recipients) - sent
    result = {"at": iso(utcnow()), "sent": sent, "failed": failed}
    reason = mails.obstacle() if failed else ""
    notification_model.note_test(told.id, {**asked, **result, "reason": reason})
    Session.commit()
    return [f"sent a test message about {told.name} to {sent} of {len(recipients)}"]


def _send_news_of(told: Told, state: SourceStatus, recipients: Sequence[Recipient]) -> list[str]:
    """Mail the news of one source, and save what was mailed; an error affects this source only."""
    mailed, done = dict(told.mailed), dict(told.mailed)
    did = []
    try:
        did += _send_test(told, recipients)
        for event, letter in _news(told, state, mailed):
            if letter and event in told.settings.events and recipients:
                sent = [mails.send(letter, to, told.id, told.title) for to in recipients]
                tries = int(mailed.pop("tries", 0)) + 1
                if not any(sent) and tries < MAX_TRIES:
                    mailed = {**done, "tries": tries}
                    break
                count = f"{sum(sent)} of {len(sent)}"
                did.append(f"sent to {count} about {told.name}: {letter.subject}")
            done = dict(mailed)
        if mailed != told.mailed:
            notification_model.save_mailed(told.id, mailed)
        Session.commit()
    except Exception:  # noqa: BLE001 - the others' mails have to go on
        log.exception("Mails about the source %s could not be written", told.name)
        compat.rollback()
    return did


def _news(
    told: Told, state: SourceStatus, mailed: dict[str, Any]
) -> Iterator[tuple[str, Letter | None]]:
    """Yield the news to mail; note in ``mailed`` that they are."""
    if state.value == Health.OFF:
        return
    failing = (Health.FAILING, Health.HICCUP)
    if state.last_outcome == RunOutcome.FAILED or state.value in failing:
        if FAILED not in mailed:
            # Why the run failed that the source's health is about.
            run = runs.runs_by_id([str(state.judged_id)])[str(state.judged_id)]
            finished = texts.moment(run["finished"])
            at = finished.isoformat(timespec="seconds") if finished else ""
            mailed[FAILED] = {"job_id": run["id"], "at": at}
            yield FAILED, mails.compose_failure(told, state, run)
    elif state.value in _MISSING:
        if mailed.get(MISSING, {}).get("health") != state.value:
            mailed[MISSING] = {"health": state.value}
            yield _MISSING[state.value], mails.compose_missing(told, state)
    elif FAILED in mailed and _has_recovered(state, mailed[FAILED]):
        yield RECOVERED, _recovery(told, state, mailed.pop(FAILED))
    if state.value in (Health.HEALTHY, Health.ERRORS, Health.NEW):
        mailed.pop(MISSING, None)
    yield from _decisions(told, state, mailed)


def _decisions(
    told: Told, state: SourceStatus, mailed: dict[str, Any]
) -> Iterator[tuple[str, Letter | None]]:
    """Yield what waits for a decision; note in ``mailed`` that it is mailed."""
    since = told.waits_since.get(PendingKind.IDENTIFIER) if state.renamed else None
    if since and mailed.get(RENAMED, {}).get("since") != since:
        mailed[RENAMED] = {"since": since}
        yield HELD, mails.compose_renamed(told, state)
    elif not state.renamed:
        mailed.pop(RENAMED, None)
    since = told.waits_since.get(PendingKind.DELETION) if state.held else None
    before = mailed.get(HELD) or {}
    # Three thousand pending deletions are news even after ten.
    if since and (before.get("since") != since or state.held >= 2 * before["number"]):
        mailed[HELD] = {"since": since, "number": state.held}
        yield HELD, mails.compose_pending(told, state)
    elif not state.held:
        mailed.pop(HELD, None)


# Recipients of failures also learn of a source without records: an empty list proves nothing, so no
# deletion will be offered for approval.
_MISSING: Mapping[str, str] = {Health.EMPTY: FAILED, Health.SHRUNK: HELD}


def _has_recovered(state: SourceStatus, failed: dict[str, Any]) -> bool:
    """Tell whether a failed source works again; a stopped run proves nothing."""
    began = texts.moment(failed.get("at"))
    good = texts.moment(state.good_ended)
    return bool(good and (began is None or good > began))


def _recovery(told: Told, state: SourceStatus, first: dict[str, Any]) -> Letter:
    # A pruned job is older than all that exist.
    job_id = str(first.get("job_id"))
    created = sa.select(HarvestJob.created).where(HarvestJob.id == job_id).scalar_subquery()
    failures = (
        Session.query(HarvestJob.id)
        .join(JobReport, JobReport.job_id == HarvestJob.id)
        .filter(JobReport.source_id == told.id, JobReport.outcome == RunOutcome.FAILED)
        .filter(HarvestJob.created >= sa.func.coalesce(created, sa.text("'-infinity'::timestamp")))
    )
    good = str(state.good_id)
    run = runs.runs_by_id([good]).get(good, {})
    return mails.compose_recovery(told, max(failures.count(), 1), first.get("at"), run)
