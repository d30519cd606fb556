"""Mails about the approval of sources: answers to their people, and a reminder for sysadmins."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

import sqlalchemy as sa
from ckan import model

from ckanext.ukharvest.core.outcomes import DecisionKind
from ckanext.ukharvest.harvest import database
from ckanext.ukharvest.harvest.model import Decision, utcnow
from ckanext.ukharvest.harvest.records import pending
from ckanext.ukharvest.notifications import mails
from ckanext.ukharvest.notifications import model as notification_model
from ckanext.ukharvest.notifications.model import Recipient, Told

Session = model.Session

# Keys in system_info: the last decision that was mailed, and the last week of a reminder.
ANSWERED, REMINDED = "ukharvest.approval.answered", "ukharvest.approval.reminded"
ANSWERS = (DecisionKind.SOURCE_ACCEPTED, DecisionKind.SOURCE_REFUSED)
TRIED_FOR = dt.timedelta(hours=2)  # without a mail server


def send_answers() -> list[str]:
    """Mail each new decision to who asked for it and to the source's recipients; commit."""
    query = sa.select(Decision).where(
        Decision.id > int(database.load_note(ANSWERED) or 0), Decision.kind.in_(ANSWERS)
    )
    did = []
    for decision in Session.scalars(query.order_by(Decision.id)).all():
        number, is_young = decision.id, utcnow() - decision.created < TRIED_FOR
        told = notification_model.sources([decision.source_id], with_recipients=False)
        people = list(_people(told[0], decision)) if told else []
        letter = mails.compose_answer(told[0], decision) if people else None
        sent = sum(mails.send(letter, person, can_stop=False) for person in people if letter)
        if people and not sent and is_young:
            break
        database.set_note(ANSWERED, str(number))
        if letter:
            did.append(f"sent to {sent} of {len(people)}: {letter.subject}")
    return did


def _people(told: Told, decision: Decision) -> Iterator[Recipient]:
    """Yield who asked, if they may still edit the source, and its recipients, each once."""
    editors = notification_model.people([told.organization_id]).get(told.organization_id or "", [])
    asked_by = (decision.options or {}).get("asked_by")
    asked = [_recipient(user) for user in editors if user.name == asked_by]
    everybody = [*asked, *notification_model.recipients([told])[told.id]]
    yield from {person.address.casefold(): person for person in everybody}.values()


def _recipient(user: model.User) -> Recipient:
    return Recipient(user.id, user.display_name, user.email)


def send_reminder(week: str) -> list[str]:
    """Mail all sysadmins at the first tick of a week what waits for them; commit."""
    last = database.load_note(REMINDED)
    if last == week:
        return []
    # Saved first: losing one is better than sending one at each tick.
    database.set_note(REMINDED, week)
    urls = pending.load_requested_urls() if last else {}
    told = notification_model.sources(list(urls), with_recipients=False) if urls else []
    if not told:
        return []
    letter = mails.compose_reminder([(source, urls[source.id]) for source in told])
    people = [_recipient(user) for user in notification_model.sysadmins()]
    sent = sum(mails.send(letter, person, can_stop=False) for person in people)
    return [f"reminded {sent} sysadmins of sources that wait"]
