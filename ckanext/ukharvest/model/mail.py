"""Who is told what about a source by mail, and what was told.

Stored in ``SourceState.mail``: {"people": [user id, …], "addresses": [text, …], "events": [of
EVENTS, …], "weekly": of WEEKLY, "not_weekly_to": [user id or address, …], "organization": whose
editors chose them}; and in ``SourceState.mailed`` what has been told and is still so: {"failed":
{"job_id", "at"}, "held": {"since", "number"}, "test": {"asked", "at", "sent", "failed"}, "tries":
of what no mailer took}.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.model import JobReport, SourceState, locks

Session = model.Session

FAILED, RECOVERED, HELD = EVENTS = ("failed", "recovered", "held")
NEVER, NEEDED, ALWAYS = WEEKLY = ("never", "needed", "always")
ROLES = ("admin", "editor")  # in the organisation: those who may read of runs and errors


@dataclass(frozen=True, slots=True)
class Settings:
    """Whom a source's mails go to.

    Attributes:
        people: ids of users.
        addresses: further recipients.
        events: what they are told at once.
        weekly: when they get the weekly summary.
        not_weekly_to: of recipients who want none, ids of users and addresses in small letters.
        organization: id of the one whose editors chose all that.
    """

    people: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    events: tuple[str, ...] = EVENTS
    weekly: str = NEVER
    not_weekly_to: tuple[str, ...] = ()
    organization: str | None = None

    @classmethod
    def of(cls, stored: Mapping[str, Any] | None) -> Settings:
        """Read what is stored; what nobody can read is left out."""
        if not isinstance(stored, Mapping):
            return cls()
        weekly = stored.get("weekly")
        return cls(
            people=tuple(map(str, stored.get("people") or ())),
            addresses=tuple(map(str, stored.get("addresses") or ())),
            events=tuple(each for each in EVENTS if each in (stored.get("events") or ())),
            weekly=weekly if weekly in WEEKLY else NEVER,
            not_weekly_to=tuple(map(str, stored.get("not_weekly_to") or ())),
            organization=stored.get("organization"),
        )

    def within(self, organization_id: str | None) -> Settings:
        """The same for the organisation that has the source now: another's addresses are not."""
        return self if organization_id == self.organization else replace(self, addresses=())

    def having(self, keys: Collection[str]) -> tuple[str, ...]:
        """Return the recipients that are meant by any of the keys, as they were chosen."""
        return tuple(each for each in self.people if each in keys) + tuple(
            each for each in self.addresses if each.casefold() in keys
        )

    def without(self, keys: Collection[str]) -> Settings:
        """The same without the recipients that are meant by any of the keys."""
        gone = self.having(keys)
        return replace(
            self,
            people=tuple(each for each in self.people if each not in gone),
            addresses=tuple(each for each in self.addresses if each not in gone),
        )

    def not_weekly(self, keys: Collection[str]) -> Settings:
        """The same without weekly summaries for a recipient of these keys."""
        return replace(self, not_weekly_to=tuple({*self.not_weekly_to, *keys}))

    def wants_weekly(self, recipient: Recipient) -> bool:
        """Tell whether a recipient gets weekly summaries at all."""
        keys = {recipient.key, recipient.address.casefold()}
        return self.weekly != NEVER and not keys & set(self.not_weekly_to)

    def stored(self) -> dict[str, Any] | None:
        """What is kept of it; None if nobody is told anything."""
        if not (self.people or self.addresses):
            return None
        return {**asdict(self), "not_weekly_to": sorted(self.not_weekly_to)}


class Recipient(NamedTuple):
    """Somebody who gets mails; ``key`` is the user's id, or the address."""

    key: str
    name: str
    address: str


class Told(NamedTuple):
    """A source that somebody wants to be told about."""

    id: str
    name: str
    title: str
    organization_id: str | None
    settings: Settings
    mailed: dict[str, Any]
    held: dict[str, Any]


def sources(source_ids: Collection[str] | None = None) -> list[Told]:
    """Return the active sources with recipients, of these or of all, by title."""
    query = (
        Session.query(
            model.Package.id,
            model.Package.name,
            model.Package.title,
            model.Package.owner_org,
            SourceState.mail,
            SourceState.mailed,
            SourceState.held,
        )
        .join(SourceState, SourceState.source_id == model.Package.id)
        .filter(model.Package.state == "active")
        # None is stored as JSON's null, and by SQL as none at all.
        .filter(sa.func.jsonb_typeof(SourceState.mail) == "object")
        .order_by(model.Package.title, model.Package.id)
    )
    if source_ids is not None:
        query = query.filter(model.Package.id.in_(source_ids))
    return [
        Told(
            id_,
            name,
            title or name,
            group,
            Settings.of(mail).within(group),
            mailed or {},
            held or {},
        )
        for id_, name, title, group, mail, mailed, held in query
    ]


def people(organization_ids: Iterable[str | None]) -> dict[str, list[model.User]]:
    """Return organisation id → its active editors and administrators with an address, by name."""
    found: dict[str, list[model.User]] = {}
    query = (
        Session.query(model.Member.group_id, model.User)
        .join(model.User, model.User.id == model.Member.table_id)
        .filter(
            model.Member.table_name == "user",
            model.Member.state == "active",
            model.Member.capacity.in_(ROLES),
            model.Member.group_id.in_([each for each in organization_ids if each]),
            *_can_get_mail(),
        )
        .order_by(model.User.fullname, model.User.name)
    )
    for group_id, user in query:
        found.setdefault(group_id, []).append(user)
    return found


def sysadmins(user_ids: Iterable[str]) -> list[model.User]:
    """Return those of the users who are sysadmins and have an address."""
    query = Session.query(model.User).filter(
        model.User.id.in_(list(user_ids)), model.User.sysadmin.is_(True), *_can_get_mail()
    )
    return list(query.order_by(model.User.fullname, model.User.name))


def _can_get_mail() -> tuple[Any, ...]:
    return model.User.state == "active", sa.func.coalesce(model.User.email, "") != ""


def recipients(told: Iterable[Told]) -> dict[str, list[Recipient]]:
    """Return source id → who gets its mails, each address once; two statements for any number.

    Who is no longer an editor of the organisation, and no sysadmin, is left out.
    """
    told = list(told)
    members = people({each.organization_id for each in told})
    everywhere = sysadmins({user for each in told for user in each.settings.people})
    allowed = {
        each.id: (*members.get(each.organization_id or "", ()), *everywhere) for each in told
    }
    return {each.id: _recipients(each.settings, allowed[each.id]) for each in told}


def _recipients(settings: Settings, allowed: Iterable[model.User]) -> list[Recipient]:
    chosen = {user.id: user for user in allowed if user.id in settings.people}
    found = [Recipient(user.id, user.display_name, user.email) for user in chosen.values()]
    found += [Recipient(address, "", address) for address in settings.addresses]
    return list({each.address.casefold(): each for each in reversed(found)}.values())[::-1]


def told_of_failure(source_id: str) -> frozenset[str]:
    """Return the addresses that we tell of the source's last run, if it failed."""
    last = (
        Session.query(JobReport.outcome, HarvestJob.id)
        .join(HarvestJob, HarvestJob.id == JobReport.job_id)
        .filter(HarvestJob.source_id == source_id)
        .order_by(HarvestJob.created.desc())
        .first()
    )
    if last is None or last[0] != FAILED:
        return frozenset()
    told = [
        each
        for each in sources([source_id])
        # We tell of the first of several failures; of a later one only the other mail does.
        if FAILED in each.settings.events
        and each.mailed.get(FAILED, {}).get("job_id", last[1]) == last[1]
    ]
    found = [each for group in recipients(told).values() for each in group]
    return frozenset(each.address.casefold() for each in found)


def note(source_id: str, mailed: Mapping[str, Any]) -> None:
    """Keep what was told about a source, less its ``test``; the caller commits."""
    state = _locked(source_id)
    # Asked for while the mails were sent, perhaps.
    test = (state.mailed or {}).get("test")
    state.mailed = {**mailed, "test": test}


def note_test(source_id: str, test: Mapping[str, Any]) -> None:
    """Keep that a test message is asked for, or what came of it; the caller commits."""
    state = _locked(source_id)
    state.mailed = {**(state.mailed or {}), "test": dict(test)}


def waiting_test(mailed: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what is noted of a test message that is to be sent."""
    test = mailed.get("test")
    return test if test and not test["at"] else None


def save(source_id: str, settings: Settings) -> None:
    """Keep whom a source's mails go to; commits."""
    _locked(source_id).mail = settings.stored()
    Session.commit()


def leave(key: str, source_id: str) -> None:
    """Take a recipient off a source's list, or with "" off all weekly summaries; commits.

    Whom the key means is told by the address: one person may be chosen by name for one source and
    written as an address for another.
    """
    keys = _keys_of(key)
    query = Session.query(SourceState).filter(sa.func.jsonb_typeof(SourceState.mail) == "object")
    query = query.order_by(SourceState.source_id)
    if source_id:
        query = query.filter_by(source_id=source_id)
    having = [
        id_
        for id_, stored in query.with_entities(SourceState.source_id, SourceState.mail)
        if Settings.of(stored).having(keys)
    ]
    locked = query.filter(SourceState.source_id.in_(having)).with_for_update()
    for state in locked.populate_existing():
        settings = Settings.of(state.mail)
        state.mail = (settings.without(keys) if source_id else settings.not_weekly(keys)).stored()
    Session.commit()


def _keys_of(key: str) -> frozenset[str]:
    """All that stands for the address of a recipient: itself, and the users who have it."""
    user = model.User.get(key)
    address = ((user and user.email) or key).casefold()
    users = Session.query(model.User.id).filter(sa.func.lower(model.User.email) == address)
    return frozenset({key, address, *(row[0] for row in users)})


def _locked(source_id: str) -> SourceState:
    state = locks.source_state(source_id)
    if state is None:
        state = SourceState(source_id=source_id)
        Session.add(state)
    return state
