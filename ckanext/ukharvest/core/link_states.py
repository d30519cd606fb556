"""Links: the result of a check, why a link failed, and what its checks together say.

It works, is not reachable, away or dead: the definition is in docs/decisions/0013-links.md.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import NamedTuple

from ckanext.ukharvest.core.values.text import StrEnum

# The host of a URL, for Python and PostgreSQL alike, whatever else is wrong with the URL.
HOST = r"^[^:]+://(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)"
_HOST = re.compile(HOST)


class LinkState(StrEnum):
    """What the checks of a link say; stored."""

    UNCHECKED = ""
    WORKS = "works"
    FAILING = "failing"
    AWAY = "away"
    DEAD = "dead"


NOT_CHECKED = "unchecked"  # what actions and commands call UNCHECKED
STATE_NAMES = tuple(str(state) or NOT_CHECKED for state in LinkState)


class LinkFault(StrEnum):
    """Why the last check of a link failed; stored."""

    NONE = ""
    NOT_FOUND = "not-found"
    GONE = "gone"
    UNKNOWN_NAME = "unknown-name"
    REFUSED = "refused"
    BLOCKED = "blocked"
    LOGIN = "login"
    BOT_FILTER = "bot-filter"
    FORBIDDEN = "access-refused"
    TOO_MANY = "too-many-requests"
    CLIENT_ERROR = "client-error"
    SERVER_ERROR = "server-error"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    CERTIFICATE = "certificate"
    REDIRECT = "redirect"
    # Not asked: its server did not answer for others. Not stored: an error of this portal.
    NOT_ASKED = "not-asked"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer, feature type, coverage, collection or feed entry: its name and its title."""

    name: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class LinkResult:
    """The result of one link check. Texts are on one line and safe for a database.

    Attributes:
        url: as given.
        format: CKAN's label, as ``core.values.formats`` gives it; "" when unknown, and when a web
            page came although the URL or the metadata promise something else.
        version: of the service's protocol ("1.3.0").
        layers: at most 500.
        base_url: for further requests (GetMap): without service, request and version parameters.
        media_type: as the server sent it, without parameters.
        title: the service's own title.
        why: when ``format`` is "": a sentence or two for the publisher: what was requested, what
            came, what was expected, and what to do.
        is_lasting: False for a fault that may pass (time-out, 5xx), so that a retry is worth it.
        fault: why there is nothing to be had at the URL; NONE if something came, known or not.
        status: of the answer that decides, 0 if none came.
        size: bytes of a file, None if the server does not say.
        checksum: SHA-256 of a file that was read whole, in hexadecimal; else "".
    """

    url: str
    format: str = ""
    version: str = ""
    layers: tuple[Layer, ...] = ()
    base_url: str = ""
    media_type: str = ""
    title: str = ""
    why: str = ""
    is_lasting: bool = True
    fault: LinkFault = LinkFault.NONE
    status: int = 0
    size: int | None = None
    checksum: str = ""


class Evidence(NamedTuple):
    """What is at a URL.

    Attributes:
        format: CKAN's label, "" if not known.
        dead: "" unless the link is dead; else since which day, and why: "2026-11-01 not-found".
    """

    format: str = ""
    dead: str = ""


NOTHING = Evidence()


def dead_text(since: dt.datetime, fault: str) -> str:
    """Return ``Evidence.dead``, which is stored as the detail of stars."""
    return f"{since:%Y-%m-%d} {fault}"


def parse_dead(text: str) -> tuple[dt.date | None, str]:
    """Return day and fault of ``Evidence.dead``, (None, "") if it is something else."""
    day, _blank, fault = text.partition(" ")
    try:
        return dt.date.fromisoformat(day), fault
    except ValueError:
        return None, ""


# Answers that say that there is nothing at the URL; the others may pass, or mean something else.
DEFINITE = frozenset(
    (
        LinkFault.NOT_FOUND,
        LinkFault.GONE,
        LinkFault.UNKNOWN_NAME,
        LinkFault.REFUSED,
        LinkFault.BLOCKED,
    )
)
# Faults of a server rather than of one URL.
OF_SERVER = frozenset(
    (
        LinkFault.REFUSED,
        LinkFault.SERVER_ERROR,
        LinkFault.TIMEOUT,
        LinkFault.CONNECTION,
        LinkFault.NOT_ASKED,
    )
)
_BY_STATUS = {
    401: LinkFault.LOGIN,
    403: LinkFault.FORBIDDEN,
    404: LinkFault.NOT_FOUND,
    407: LinkFault.LOGIN,
    410: LinkFault.GONE,
    429: LinkFault.TOO_MANY,
    511: LinkFault.LOGIN,
}
_BY_REFUSAL = {
    "needs-login": LinkFault.LOGIN,
    "bot-filter": LinkFault.BOT_FILTER,
    "access-refused": LinkFault.FORBIDDEN,
}


def fault_of_status(status: int, refusal: str = "") -> LinkFault:
    """Return the fault that an HTTP status is, NONE for a success.

    Args:
        refusal: the answer's code of ``core.http.error_answers.refusal_code``.
    """
    if status < HTTPStatus.BAD_REQUEST:
        return LinkFault.NONE
    if refusal in _BY_REFUSAL:
        return _BY_REFUSAL[refusal]
    is_server = status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return _BY_STATUS.get(status, LinkFault.SERVER_ERROR if is_server else LinkFault.CLIENT_ERROR)


def host_of(url: str) -> str:
    """Return the host of a URL in lower case, without port and login; "" if there is none."""
    match = _HOST.match(url)
    return match[1].lower() if match else ""


@dataclass(frozen=True, slots=True)
class LinkHistory:
    """What is remembered of the checks of a link; times are naive UTC.

    Attributes:
        state, fault: after the last check.
        faults: failed checks in a row.
        tried: the last check that asked the server.
        worked: the last check that succeeded.
        failed_since: the first failed check of those in a row.
        absent: failed checks in a row with a definite answer; others between them do not count.
        absent_since: the first of these; a dead link is dead since then.
    """

    state: LinkState = LinkState.UNCHECKED
    fault: LinkFault = LinkFault.NONE
    faults: int = 0
    tried: dt.datetime | None = None
    worked: dt.datetime | None = None
    failed_since: dt.datetime | None = None
    absent: int = 0
    absent_since: dt.datetime | None = None

    @property
    def dead_since(self) -> dt.datetime | None:
        return self.absent_since if self.state is LinkState.DEAD else None


@dataclass(frozen=True, slots=True)
class HostRecord:
    """What the other links of a host say: last success, and checks of the last days.

    Attributes:
        worked: when one of them last worked.
        tried: how many were checked in the last days.
        failed: how many of these failed by a fault of the server.
    """

    worked: dt.datetime | None = None
    tried: int = 0
    failed: int = 0


# When a link counts as dead: so many checks with a definite answer, over so many days.
DEAD_CHECKS, DEAD_DAYS = 3, 7
# A link that has never worked is likely mistyped, and dead sooner.
NEVER_WORKED_CHECKS, NEVER_WORKED_DAYS = 2, 1
_MISTYPED = frozenset((LinkFault.NOT_FOUND, LinkFault.GONE, LinkFault.UNKNOWN_NAME))


def after_check(
    before: LinkHistory, fault: LinkFault, now: dt.datetime, host: HostRecord
) -> LinkHistory:
    """Return a link's history after a check.

    Args:
        fault: NONE if it worked; NOT_ASKED if its server was left alone.
    """
    if fault is LinkFault.NONE:
        return LinkHistory(LinkState.WORKS, tried=now, worked=now)
    failed_since = before.failed_since or now
    is_away = fault in OF_SERVER and _is_away(failed_since, host)
    after = replace(
        before,
        fault=fault,
        faults=before.faults + 1,
        tried=before.tried if fault is LinkFault.NOT_ASKED else now,
        failed_since=failed_since,
    )
    if fault in DEFINITE and not is_away:
        # That a server refused says nothing about a URL that is then found to be mistyped.
        is_first = _may_be_mistyped(after) and before.fault in DEFINITE - _MISTYPED
        absent, since = (0, None) if is_first else (before.absent, before.absent_since)
        after = replace(after, absent=absent + 1, absent_since=since or now)
    if before.state is LinkState.DEAD or _is_dead(after, now):
        return replace(after, state=LinkState.DEAD)
    is_away = is_away or fault is LinkFault.NOT_ASKED
    return replace(after, state=LinkState.AWAY if is_away else LinkState.FAILING)


def _is_away(failed_since: dt.datetime, host: HostRecord) -> bool:
    """Tell whether a whole host fails: nothing of it worked since, or most of it failed lately."""
    if host.worked is None or host.worked < failed_since:
        return True
    return (host.failed + 1) * 2 > host.tried + 1


def _may_be_mistyped(after: LinkHistory) -> bool:
    return after.worked is None and after.fault in _MISTYPED


def _is_dead(after: LinkHistory, now: dt.datetime) -> bool:
    # Only a definite answer makes it dead, not the fault that came after enough of them.
    if after.fault not in DEFINITE or after.absent_since is None:
        return False
    checks, days = DEAD_CHECKS, DEAD_DAYS
    if _may_be_mistyped(after):
        checks, days = NEVER_WORKED_CHECKS, NEVER_WORKED_DAYS
    return after.absent >= checks and now - after.absent_since >= dt.timedelta(days=days)


def next_check(after: LinkHistory, days: int) -> dt.timedelta:
    """Return the time until the next check: after failures a day, then two, four and so on.

    Args:
        days: until the next check of a link that works, or is dead.
    """
    if after.state in (LinkState.WORKS, LinkState.DEAD):
        return dt.timedelta(days=days)
    return growing_pause(after.faults, days)


def growing_pause(faults: int, days: int) -> dt.timedelta:
    """Return the time until the next request: a day, doubled with each further failure.

    Args:
        faults: failed requests in a row.
        days: the longest pause.
    """
    return dt.timedelta(days=min(days, 2 ** min(max(faults, 1) - 1, 30)))
