"""Errors, classified by consequence: what is lost decides the class, not what went wrong.

Every message is one sentence for a publisher: it names the field or the URL and what was
expected. ``code`` is stable; documentation and pages explain it.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from ckanext.ukharvest.core.messages import Message

# No room for a temporary file: the disk, the user's share of it, or the process's limit.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def is_full_disk(exc: BaseException) -> bool:
    """Tell whether an error says that a file has no room."""
    return isinstance(exc, OSError) and exc.errno in _NO_ROOM


if TYPE_CHECKING:
    from ckanext.ukharvest.core.records import Problem


class UkharvestError(Exception):
    """Base of all errors with a message for people.

    Args:
        message: one sentence without traceback or response body; ours are a ``Message``.
        code: stable identifier in kebab case; the class's own by default.
        url: the address that the error is about, "" if none.
        line: line in the document, if known.
    """

    code = "error"
    retryable = False

    def __init__(
        self, message: str, *, code: str = "", url: str = "", line: int | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.url = url
        self.line = line


class ConfigError(UkharvestError):
    """The source's options or URL cannot work; shown as an error of the form's field.

    ``field`` is the form's field: ``url`` or the option's name.
    """

    code = "config"

    def __init__(self, message: str, *, field: str = "", code: str = "", url: str = "") -> None:
        super().__init__(message, code=code, url=url)
        self.field = field


class SourceError(UkharvestError):
    """The run stops; nothing is imported, nothing is deleted."""

    code = "source"


class FetchError(SourceError):
    """No usable answer from the network. In the fetch stage it costs one record only."""

    code = "fetch"


class Blocked(FetchError):
    """The guard does not allow this address or scheme."""

    code = "blocked"


class TooLarge(FetchError):
    """More decompressed bytes than allowed."""

    code = "too-large"


class Unreachable(FetchError):
    """Name look-up, connection or TLS failed, or a time limit was reached.

    ``kind`` says which: "unknown-name", "refused", "timeout", "certificate" or "connection".
    """

    code = "unreachable"
    retryable = True
    kind = "connection"


class Aborted(Exception):  # noqa: N818 - no fault of a server, and nothing may catch it as one
    """Work under way was broken off, because something else has to run now."""


class BadStatus(FetchError):
    """An HTTP status that is not a success; ``status`` holds it."""

    code = "bad-status"

    def __init__(self, message: str, *, status: int, url: str = "", code: str = "") -> None:
        super().__init__(message, code=code, url=url)
        self.status = status
        self.retryable = status == 429 or status >= 500


class ProtocolError(SourceError):
    """An answer that breaks the protocol: wrong document, repeated page, wrong count."""

    code = "protocol"


class RecordError(UkharvestError):
    """This record failed; the run goes on.

    ``title`` is the record's title, "" if it is not known.
    """

    code = "record"
    title = ""


class ParseError(RecordError):
    """Unreadable, or without identity or title."""

    code = "parse"


class NotValid(RecordError):
    """The record breaks rules of its standard, and its source is set to reject such records.

    ``problems`` are all problems of the record.
    """

    code = "not-valid"

    def __init__(
        self, message: str, *, problems: tuple[Problem, ...] = (), title: str = ""
    ) -> None:
        super().__init__(message)
        self.problems = problems
        self.title = title


class DuplicateGuid(RecordError):
    """A second record with the same identity in one run; the first counts.

    Args:
        guid: their identity.
        place, first_place: where the second and the first record stand in the source.
        title, first_title: of the records, as far as they are known.
    """

    code = "duplicate-guid"

    def __init__(
        self,
        guid: str,
        place: str,
        first_place: str,
        *,
        url: str = "",
        title: str = "",
        first_title: str = "",
    ) -> None:
        second, first = _named(title, place), _named(first_title, first_place)
        super().__init__(
            Message(
                "{second} has the same identifier as {first}: '{guid}'. Only {first_place} is"
                " imported.",
                second=second,
                first=first,
                guid=guid,
                first_place=first_place,
            ),
            url=url,
        )
        self.guid = guid
        self.places = (place, first_place)
        self.title = title

    def with_titles(self, title: str, first_title: str) -> DuplicateGuid:
        """Return the same error, which also names the records by their titles."""
        return DuplicateGuid(
            self.guid, *self.places, url=self.url, title=title, first_title=first_title
        )


def _named(title: str, place: str) -> str:
    return Message("“{title}” ({place})", title=title, place=place) if title else place


class RejectedByCkan(RecordError):
    """package_create or package_update refused the record; the message names the fields.

    ``fields`` has the words of the portal's form by field, {} if something else refused it.
    """

    code = "rejected"
    fields: Mapping[str, str] = MappingProxyType({})


class HookFailed(RecordError):
    """A plugin of the portal failed before the dataset was saved; the message names it."""

    code = "hook-failed"


class ServiceFailed(RecordError):
    """A service of the portal failed at every attempt to import this record."""

    code = "service-failed"


class SkipRecord(UkharvestError):
    """Nothing is wrong, but this record is not imported (a harvest source, a private dataset)."""

    code = "skipped"
