"""Recipients of mails about a source, and the news mailed last.

Stored in ``SourceState.mail``: {"people": [user id, …], "addresses": [text, …], "events": [of
EVENTS, …], "weekly": of WEEKLY, "not_weekly_to": [user id or address, …], "organization": whose
editors chose them}; and in ``SourceState.mailed`` the mailed news that are still true: {"failed":
{"job_id", "at"}, "held": {"since", "number"}, "renamed": {"since"}, "missing": {"health": "empty"
or "shrunk"}, "test": {"asked", "at", "sent", "failed", "reason"}, "tries": failed attempts to
send}.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import sqlalchemy as sa
from ckan import model
from ckanext.harvest.model import HarvestJob

from ckanext.ukharvest.harvest.database import ensure_source_state, group_pairs
from ckanext.ukharvest.harvest.model import JobReport, SourceState
from ckanext.ukharvest.harvest.records import pending

Session = model.Session

FAILED, RECOVERED, HELD = EVENTS = ("failed", "recovered", "held")
MISSING = "missing"  # mailed to recipients of FAILED or HELD
RENAMED = "renamed"  # mailed to recipients of HELD
NEVER, NEEDED = WEEKLY = ("never", "needed")
UNREACHABLE, REFUSED = "unreachable", "refused"  # what the mail server did
ROLES = ("admin", "editor")  # roles in the organisation that may see runs and errors


@dataclass(frozen=True, slots=True)
class Settings:
    """Recipients of a source's mails.

    Attributes:
        people: ids of users.
        addresses: further recipients.
        events: kinds of news that they are mailed at once.
        weekly: when they get the weekly summary.
        not_weekly_to: recipients without weekly summaries: ids of users, addresses in lower case.
        organization: id of the organisation whose editors chose these settings.
    """

    people: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    events: tuple[str, ...] = EVENTS
    weekly: str = NEVER
    not_weekly_to: tuple[str, ...] = ()
    organization: str | None = None

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any] | None) -> Settings:
        """Parse the stored settings; unreadable parts are left out."""
        if not isinstance(stored, Mapping):
            return cls()
        weekly = stored.get("weekly")
        return cls(
            people=tuple(map(str, stored.get("people") or ())),
            addresses=tuple(map(str, stored.get("addresses") or ())),
            events=tuple(event for event in EVENTS if event in (stored.get("events") or ())),
            weekly=weekly if weekly in WEEKLY else NEVER,
            not_weekly_to=tuple(map(str, stored.get("not_weekly_to") or ())),
            organization=stored.get("organization"),
        )

    def within(self, organization_id: str | None) -> Settings:
        """Return the settings if they are of this organisation, else empty ones."""
        return self if organization_id == self.organization else replace(self, addresses=())

    def having(self, keys: Collection[str]) -> tuple[str, ...]:
        """Return the recipients with any of these keys, as stored."""
        return tuple(user for user in self.people if user in keys) + tuple(
            address for address in self.addresses if address.casefold() in keys
        )

    def without(self, keys: Collection[str]) -> Settings:
        """Return the settings without the recipients with any of these keys."""
        gone = self.having(keys)
        return replace(
            self,
            people=tuple(user for user in self.people if user not in gone),
            addresses=tuple(address for address in self.addresses if address not in gone),
        )

    def not_weekly(self, keys: Collection[str]) -> Settings:
        """Return the settings without weekly summaries for the recipient with these keys."""
        return replace(self, not_weekly_to=tuple({*self.not_weekly_to, *keys}))

    def wants_weekly(self, recipient: Recipient) -> bool:
        """Tell whether a recipient gets weekly summaries at all."""
        keys = {recipient.key, recipient.address.casefold()}
        return self.weekly != NEVER and not keys & set(self.not_weekly_to)

    def stored(self) -> dict[str, Any] | None:
        """Return the value to store; None without recipients."""
        if not (self.people or self.addresses):
            return None
        return {**asdict(self), "not_weekly_to": sorted(self.not_weekly_to)}


class Recipient(NamedTuple):
    """A recipient of mails; ``key`` is the user's id, or the address."""

    key: str
    name: str
    address: str


class Told(NamedTuple):
    """A source with recipients.

    Attributes:
        waits_since: ``PendingKind`` → since when something waits, ISO 8601.
    """

    id: str
    name: str
    title: str
    organization_id: str | None
    settings: Settings
    mailed: dict[str, Any]
    waits_since: Mapping[str, str]


def sources(
    source_ids: Collection[str] | None = None, *, with_recipients: bool = True
) -> list[Told]:
    """Return the active sources with recipients, of these or of all, by title.

    Args:
        with_recipients: False for those without any too.
    """
    query = (
        Session.query(
            model.Package.id,
            model.Package.name,
            model.Package.title,
            model.Package.owner_org,
            SourceState.mail,
            SourceState.mailed,
        )
        .outerjoin(SourceState, SourceState.source_id == model.Package.id)
        .filter(model.Package.state == "active")
        .order_by(model.Package.title, model.Package.id)
    )
    if with_recipients:
        # None is stored as JSON's null, and by SQL as none at all.
        query = query.filter(sa.func.jsonb_typeof(SourceState.mail) == "object")
    if source_ids is not None:
        query = query.filter(model.Package.id.in_(source_ids))
    rows = query.all()
    since = pending.load_since([row[0] for row in rows])
    return [
        Told(
            id_,
            name,
            title or name,
            group,
            Settings.from_stored(mail).within(group),
            mailed or {},
            since.get(id_, {}),
        )
        for id_, name, title, group, mail, mailed in rows
    ]


def people(organization_ids: Iterable[str | None]) -> dict[str, list[model.User]]:
    """Return organisation id → its active editors and administrators with an address, by name."""
    query = (
        Session.query(model.Member.group_id, model.User)
        .join(model.User, model.User.id == model.Member.table_id)
        .filter(
            model.Member.table_name == "user",
            model.Member.state == "active",
            model.Member.capacity.in_(ROLES),
            model.Member.group_id.in_([id_ for id_ in organization_ids if id_]),
            *_can_get_mail(),
        )
        .order_by(model.User.fullname, model.User.name)
    )
    return group_pairs(map(tuple, query))


def sysadmins(user_ids: Iterable[str] | None = None) -> list[model.User]:
    """Return the sysadmins who have an address, of these users or of all."""
    query = Session.query(model.User).filter(model.User.sysadmin.is_(True), *_can_get_mail())
    if user_ids is not None:
        query = query.filter(model.User.id.in_(list(user_ids)))
    return list(query.order_by(model.User.fullname, model.User.name))


def _can_get_mail() -> tuple[Any, ...]:
    return model.User.state == "active", sa.func.coalesce(model.User.email, "") != ""


def recipients(mailed_sources: Iterable[Told]) -> dict[str, list[Recipient]]:
    """Return source id → recipients, each address once; two statements for any number.

    Users who are neither editors of the organisation any more nor sysadmins are left out.
    """
    listed = list(mailed_sources)
    members = people({source.organization_id for source in listed})
    everywhere = sysadmins({user for source in listed for user in source.settings.people})
    allowed = {
        source.id: (*members.get(source.organization_id or "", ()), *everywhere)
        for source in listed
    }
    return {source.id: _recipients(source.settings, allowed[source.id]) for source in listed}


def _recipients(settings: Settings, allowed: Iterable[model.User]) -> list[Recipient]:
    chosen = {user.id: user for user in allowed if user.id in settings.people}
    everybody = [Recipient(user.id, user.display_name, user.email) for user in chosen.values()]
    everybody += [Recipient(address, "", address) for address in settings.addresses]
    return list(
        {recipient.address.casefold(): recipient for recipient in reversed(everybody)}.values()
    )[::-1]


def told_of_failure(source_id: str) -> frozenset[str]:
    """Return the addresses that are mailed about the source's last run, if it failed."""
    last = (
        Session.query(JobReport.outcome, HarvestJob.id)
        .join(HarvestJob, HarvestJob.id == JobReport.job_id)
        .filter(HarvestJob.source_id == source_id)
        .order_by(HarvestJob.created.desc())
        .first()
    )
    if last is None or last[0] != FAILED:
        return frozenset()
    failing = [
        source
        for source in sources([source_id])
        # Ours reports the first of several failures; later ones only ckanext-harvest's mail.
        if FAILED in source.settings.events
        and source.mailed.get(FAILED, {}).get("job_id", last[1]) == last[1]
    ]
    addressed = [recipient for group in recipients(failing).values() for recipient in group]
    return frozenset(recipient.address.casefold() for recipient in addressed)


def save_mailed(source_id: str, mailed: Mapping[str, Any]) -> None:
    """Save the news mailed about a source, except its ``test``; the caller commits."""
    state = ensure_source_state(source_id, lock=True)
    # A test may have been requested while the mails were sent.
    state.mailed = {**mailed, "test": (state.mailed or {}).get("test")}


def note_test(source_id: str, test: Mapping[str, Any]) -> None:
    """Save the request for a test message, or its result; the caller commits."""
    state = ensure_source_state(source_id, lock=True)
    state.mailed = {**(state.mailed or {}), "test": dict(test)}


def waiting_test(mailed: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the test message that waits to be sent."""
    test = mailed.get("test")
    return test if test and not test["at"] else None


def save(source_id: str, settings: Settings) -> None:
    """Save the mail settings of a source; commits."""
    ensure_source_state(source_id, lock=True).mail = settings.stored()
    Session.commit()


def leave(key: str, source_id: str) -> None:
    """Remove a recipient from a source's list, or with "" from all weekly summaries; commits.

    Recipients are matched by address: one person may be chosen by name for one source and entered
    as an address for another.
    """
    user = model.User.get(key)
    address = ((user and user.email) or key).casefold()
    users = Session.query(model.User.id).filter(sa.func.lower(model.User.email) == address)
    keys = frozenset({key, address, *(row[0] for row in users)})
    query = Session.query(SourceState).filter(sa.func.jsonb_typeof(SourceState.mail) == "object")
    query = query.order_by(SourceState.source_id)
    if source_id:
        query = query.filter_by(source_id=source_id)
    having = [
        id_
        for id_, stored in query.with_entities(SourceState.source_id, SourceState.mail)
        if Settings.from_stored(stored).having(keys)
    ]
    locked = query.filter(SourceState.source_id.in_(having)).with_for_update()
    for state in locked.populate_existing():
        settings = Settings.from_stored(state.mail)
        state.mail = (settings.without(keys) if source_id else settings.not_weekly(keys)).stored()
    Session.commit()
