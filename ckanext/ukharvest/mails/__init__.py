"""Mails about harvest sources: the first failure, that it works again, deletions that wait.

At each tick it is asked how every source with recipients is, and what has not been told of that is:
so a mail is sent once, whatever ended the run and however often a tick breaks off.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestGatherError, HarvestJob
from flask_babel import force_locale

from ckanext.ukharvest import compat
from ckanext.ukharvest.core.moments import iso
from ckanext.ukharvest.mails import letters, post, weekly
from ckanext.ukharvest.mails.letters import Failure, Letter
from ckanext.ukharvest.model import JobReport, health, locks, mail, run_figures, utcnow
from ckanext.ukharvest.model.health import SourceHealth
from ckanext.ukharvest.model.mail import FAILED, HELD, RECOVERED, Recipient, Told
from ckanext.ukharvest.words import times

log = logging.getLogger(__name__)
Session = model.Session

MAX_TRIES = 12  # ticks: two hours of a mail server that is away


def tell() -> list[str]:
    """Send all mails that are due, and return what was sent in words; raises nothing.

    Of two at the same time the second does nothing: a mail server that never answers keeps one
    tick, and no more.
    """
    try:
        with locks.alone(locks.MAILS) as is_alone:
            return _tell() if is_alone else []
    except Exception:  # noqa: BLE001 - what could not be told is told at the next tick
        log.exception("Mails about harvest sources could not be sent")
        compat.rollback()
        return []


def _tell() -> list[str]:
    told = mail.sources()
    if not told:
        return []
    states = health.of([each.id for each in told])
    recipients = mail.recipients(told)
    known = [each for each in told if each.id in states]
    did = []
    with force_locale(post.language()):
        for each in known:
            did += _tell_of(each, states[each.id], recipients[each.id])
        did += weekly.tell([(each, states[each.id], recipients[each.id]) for each in known])
    for words in did:
        log.info("Mails: %s", words)
    return did


def _send_test(told: Told, recipients: Sequence[Recipient]) -> list[str]:
    """Send the test message that somebody asked for, once, and note what came of it; commits."""
    asked = mail.waiting_test(told.mailed)
    if not asked:
        return []
    letter = letters.test(told)
    sent = sum(post.send(letter, each, told.id, told.title) for each in recipients)
    failed = len(recipients) - sent
    mail.note_test(told.id, {**asked, "at": iso(utcnow()), "sent": sent, "failed": failed})
    Session.commit()
    return [f"sent a test message about {told.name} to {sent} of {len(recipients)}"]


def _tell_of(told: Told, state: SourceHealth, recipients: Sequence[Recipient]) -> list[str]:
    """Tell what is new of one source, and keep what was told; one source's fault is its own."""
    mailed, done = dict(told.mailed), dict(told.mailed)
    did = []
    try:
        did += _send_test(told, recipients)
        for event, letter in _news(told, state, mailed):
            if letter and event in told.settings.events and recipients:
                sent = [post.send(letter, each, told.id, told.title) for each in recipients]
                tries = int(mailed.pop("tries", 0)) + 1
                if not any(sent) and tries < MAX_TRIES:
                    mailed = {**done, "tries": tries}
                    break
                did.append(f"told {sum(sent)} of {len(sent)} that {told.name} has {event}")
            done = dict(mailed)
        if mailed != told.mailed:
            mail.note(told.id, mailed)
        Session.commit()
    except Exception:  # noqa: BLE001 - the others' mails have to go on
        log.exception("Mails about the source %s could not be written", told.name)
        compat.rollback()
    return did


def _news(
    told: Told, state: SourceHealth, mailed: dict[str, Any]
) -> Iterator[tuple[str, Letter | None]]:
    """Yield what has to be told; notes in ``mailed`` that it is."""
    if state.value == "off":
        return
    if _is_failing(state):
        if FAILED not in mailed:
            failure = _failure(told.id, state)
            mailed[FAILED] = {"job_id": failure.job_id, "at": _text(failure.finished)}
            yield FAILED, letters.failed(told, state, failure)
    elif FAILED in mailed and _has_recovered(state, mailed[FAILED]):
        first = mailed.pop(FAILED)
        yield RECOVERED, _recovery(told, state, first)
    since = told.held.get("since") if state.held else None
    before = mailed.get(HELD) or {}
    # Three thousand that wait are other news than ten.
    if since and (before.get("since") != since or state.held >= 2 * before["number"]):
        mailed[HELD] = {"since": since, "number": state.held}
        yield HELD, letters.held(told, state)
    elif not state.held:
        mailed.pop(HELD, None)


def _is_failing(state: SourceHealth) -> bool:
    is_last = bool(state.last_run and state.last_run["outcome"] == "failed")
    return is_last or state.value in ("failing", "hiccup")


def _has_recovered(state: SourceHealth, failed: dict[str, Any]) -> bool:
    """A run that was stopped says nothing."""
    began = times.moment(failed.get("at"))
    good = times.moment(state.last_good_run and state.last_good_run["finished"])
    return bool(good and (began is None or good > began))


def _text(moment: dt.datetime | None) -> str:
    return moment.isoformat(timespec="seconds") if moment else ""


def _failure(source_id: str, state: SourceHealth) -> Failure:
    """Return why the last run that failed did."""
    errors = (
        Session.query(HarvestJob, HarvestGatherError.message, JobReport.error)
        .outerjoin(HarvestGatherError, HarvestGatherError.harvest_job_id == HarvestJob.id)
        .outerjoin(JobReport, JobReport.job_id == HarvestJob.id)
        .filter(HarvestJob.source_id == source_id, HarvestJob.status == "Finished")
        .filter(sa.or_(HarvestGatherError.id.isnot(None), JobReport.outcome == "failed"))
        .order_by(HarvestJob.created.desc(), HarvestGatherError.created)
    )
    found = errors.first()
    if found is None:
        run = state.last_run or {}
        return Failure(str(run.get("id") or ""), times.moment(run.get("finished")), "", "")
    job, message, error = found
    error = error or {}
    text = error.get("message") or message or ""
    # ckanext-harvest has just set it, in this session, as a text.
    finished = times.moment(job.finished or job.created)
    return Failure(job.id, finished, error.get("code") or "", text)


def _recovery(told: Told, state: SourceHealth, first: dict[str, Any]) -> Letter:
    failures = (
        Session.query(HarvestJob.id)
        .join(HarvestGatherError, HarvestGatherError.harvest_job_id == HarvestJob.id)
        .filter(HarvestJob.source_id == told.id)
        .filter(HarvestJob.created >= _made(first.get("job_id")))
        .distinct()
    )
    job = HarvestJob.get(str((state.last_good_run or {}).get("id")))
    counts = run_figures.of([job])[0]["counts"] if job else {}
    return letters.recovered(told, max(failures.count(), 1), first.get("at"), counts)


def _made(job_id: Any) -> Any:
    """When a job was made; one that was pruned is older than all that are there."""
    made = sa.select(HarvestJob.created).where(HarvestJob.id == str(job_id)).scalar_subquery()
    return sa.func.coalesce(made, sa.text("'-infinity'::timestamp"))
