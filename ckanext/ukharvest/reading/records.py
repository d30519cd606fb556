"""Read a source's records as they would be imported, without CKAN, for ``ukharvest check``.

The only module that reads local files. It uses the readers and parsers of real runs, so that its
result is what a run would import.
"""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from ckanext.ukharvest.core import options as declared
from ckanext.ukharvest.core.errors import (
    BadStatus,
    ConfigError,
    DuplicateGuid,
    FetchError,
    NotValid,
    RecordError,
    SkipRecord,
    SourceError,
    UkharvestError,
    is_full_disk,
)
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.http.request import HttpLimits, Reply
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.record_filter import Unwanted
from ckanext.ukharvest.core.records import (
    EMPTY_LIST,
    DatasetRecord,
    Ending,
    RawRecord,
    Reading,
    Source,
)
from ckanext.ukharvest.core.values.text import counted, one_line, shorten
from ckanext.ukharvest.readers.numbered_pages import unique
from ckanext.ukharvest.reading.preview_result import ErrorEntry
from ckanext.ukharvest.reading.record_classifier import Classified, RecordClassifier
from ckanext.ukharvest.source_types.source_type import SourceType

LONGEST_TITLE = 200  # characters of a title in a message


def title_of(kind: SourceType, raw: RawRecord, options: Mapping[str, Any]) -> str:
    """Return the title in a record's content, "" if it cannot be read."""
    if not raw.content:
        return ""
    try:
        title = kind.parser.parse(replace(raw, error=None), options).title
    except UkharvestError as exc:
        title = getattr(exc, "title", "")
    return shorten(one_line(title), LONGEST_TITLE)


@dataclass
class SourceRead:
    """One read of one source; iterate over it once for its records, each classified.

    Args:
        taken: guids of records that an interrupted read handled before; not yielded.
        titles: guid → title of records that were yielded before, for the error of a second record
            with this guid; the caller adds them.

    Attributes:
        ending: how the read ended; None before the end.
    """

    kind: SourceType
    source: Source
    classifier: RecordClassifier
    taken: Collection[str] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    ending: Ending | None = None

    def __iter__(self) -> Iterator[Classified]:
        """Yield the records in the source's order.

        Raises:
            SourceError, ConfigError: the source cannot be read any further.
        """
        reading = Reading(unique(self.kind.reader.records(self.source)))
        for raw in reading:
            if raw.guid not in self.taken:
                yield self.classifier.classify(self._with_titles(raw))
        self.ending = reading.ending

    def _with_titles(self, raw: RawRecord) -> RawRecord:
        if not isinstance(raw.error, DuplicateGuid):
            return raw
        title = title_of(self.kind, raw, self.source.options)
        return replace(raw, error=raw.error.with_titles(title, self.titles.get(raw.guid, "")))

    def ended(self) -> Ending:
        """Return how the read ended.

        Raises:
            SourceError: the read has not ended.
        """
        if self.ending is None:
            url = self.source.url
            raise SourceError(
                Message("{url}: the read broke off without a reason", url=url), url=url
            )
        return self.ending


FINE, SOME_LOST, UNUSABLE = 0, 1, 2

Entry = dict[str, Any]


class TextClient:
    """Stands in for an HTTP client where a source's text was sent: it has this for any URL.

    Args:
        name: of the text, in messages.
        content: the text's bytes.
    """

    def __init__(self, name: str, content: bytes = b"") -> None:
        self.limits = HttpLimits()
        self.guard = Guard()
        self._name = name
        self._content = content
        self._is_read = False

    def get(self, url: str, **_: object) -> Reply:
        """Return the text, whatever the URL; raise BadStatus at further requests."""
        if self._is_read:
            message = Message(
                "{url} is not in the {name}, which is all there is to read",
                url=url,
                name=self._name,
            )
            raise BadStatus(message, status=404, url=url)
        self._is_read = True
        return Reply(url=url, requested_url=url, status=200, headers={}, body=self._open())

    def post(self, url: str, **more: object) -> Reply:
        """Return the text, whatever the URL."""
        return self.get(url, **more)

    def _open(self) -> IO[bytes]:
        return io.BytesIO(self._content)


class FileClient(TextClient):
    """The same for a saved file, which is opened when it is read."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"file {path.name}")
        self._path = path

    def _open(self) -> IO[bytes]:
        try:
            return self._path.open("rb")
        except OSError as exc:
            message = Message(
                "the file {path} cannot be read: {reason}", path=self._path, reason=exc.strerror
            )
            raise FetchError(message, url=str(self._path)) from exc


class Check:
    """One check of one source; iterate over its records, then read its attributes.

    Args:
        kind: the source type.
        location: a URL, or the path of a saved response.
        options: the source's options, not yet validated.
        limit: number of records to read; 0: all.
        http: used for URLs, not for files.
        content: instead of the file: its bytes; ``location`` is then a name for messages.

    Raises:
        ConfigError: from the constructor, for an invalid option.
    """

    def __init__(
        self,
        kind: SourceType,
        location: str,
        options: Mapping[str, Any],
        *,
        http: HttpClient,
        limit: int = 0,
        content: bytes | None = None,
    ) -> None:
        self.kind = kind
        self.location = location
        self.complete = False
        self.reason = ""
        self.problems: list[Entry] = []
        self.errors: list[ErrorEntry] = []
        self.lost = 0
        self._limit = limit
        client: Any = http
        if content is not None:
            client = TextClient(location, content)
        elif not is_url(location):
            client = FileClient(Path(location))
        self._source = Source(location, declared.validate(options, kind.options), client)

    @property
    def exit_code(self) -> int:
        if self.errors:
            return UNUSABLE
        return SOME_LOST if self.lost else FINE

    def __iter__(self) -> Iterator[Entry]:
        titles: dict[str, str] = {}
        read = SourceRead(self.kind, self._source, RecordClassifier(), titles=titles)
        number = elsewhere = 0
        try:
            for number, record in enumerate(read, start=1):
                if self._limit and number > self._limit:
                    self.reason = f"stopped after {counted(self._limit, 'record')}, as --limit says"
                    return
                entry = as_entry(self.kind, self._source, record.raw)
                elsewhere += "elsewhere" in entry
                self.lost += "error" in entry or "elsewhere" in entry
                titles.setdefault(entry["guid"], entry["title"])
                yield entry
        except (ConfigError, SourceError) as exc:
            self.errors.append(error_entry(exc))
            return
        if not number:
            reason = read.ending.reason if read.ending else ""
            empty = Message("{location}: the source lists no records", location=self.location)
            message = reason if reason and EMPTY_LIST not in reason else empty
            self.errors.append(
                error_entry(SourceError(message, code="no-records", url=self.location))
            )
        if read.ending is not None:
            self.complete, self.reason = read.ending.complete, read.ending.reason
            self.problems = [dataclasses.asdict(problem) for problem in read.ending.problems]
        if elsewhere:
            named = counted(elsewhere, "record")
            content = "its content is" if elsewhere == 1 else "their content is"
            words = f"the file only names {named}; {content} elsewhere"
            reasons = (words, "give the source's URL instead of a saved file", self.reason)
            self.complete, self.reason = False, "; ".join(filter(None, reasons))

    def as_dict(self, records: Sequence[Entry]) -> Entry:
        """Return the whole result, for ``--format json``."""
        return {
            "type": self.kind.name,
            "location": self.location,
            "complete": self.complete,
            "reason": self.reason,
            "records": records,
            "problems": self.problems,
            "errors": self.errors,
        }


def is_url(location: str) -> bool:
    return "://" in location


def as_entry(kind: SourceType, source: Source, raw: RawRecord) -> Entry:
    """Return one record as it would be imported, with ``error`` if it would fail.

    With ``elsewhere`` it is only named by a saved file, so that nobody can tell.
    """
    return parse_entry(kind, source, raw)[0]


def parse_entry(
    kind: SourceType, source: Source, raw: RawRecord
) -> tuple[Entry, DatasetRecord | None]:
    """Return one record as ``as_entry`` does, and as it was parsed; None if it cannot be."""
    if raw.deleted:
        return {**_empty(raw), "deleted": True}, None
    if raw.error is not None:
        lost = _as_far_as_read(kind, source, raw)
        return {**lost, "guid": raw.guid, "error": error_entry(raw.error)}, None
    try:
        record = _read(kind, source, raw)
    except SkipRecord as exc:
        entry = _of(exc.record) if isinstance(exc, Unwanted) else _empty(raw)
        entry |= {"position": raw.position, "skipped": exc.message}
    except FetchError as exc:
        # A saved listing has no more to give: that is no fault of the record, nor was it read.
        reason = {"error": error_entry(exc)} if is_url(source.url) else {"elsewhere": True}
        entry = {**_empty(raw), **reason}
    except NotValid as exc:
        problems = [dataclasses.asdict(problem) for problem in exc.problems]
        entry = {**_empty(raw), "problems": problems, "error": error_entry(exc)}
    except RecordError as exc:
        entry = {**_empty(raw), "error": error_entry(exc)}
    else:
        return {**_of(record), "position": raw.position}, record
    return entry, None


def _read(kind: SourceType, source: Source, raw: RawRecord) -> DatasetRecord:
    """Fetch and parse a record; a bug in a parser must not hide the other records."""
    try:
        if raw.content is None:
            raw = kind.reader.fetch(source, raw)
        return kind.parse(raw, source.options, source.limits)
    except UkharvestError:
        raise
    except Exception as exc:
        raise _bug(exc, raw) from exc


def _bug(exc: Exception, raw: RawRecord) -> RecordError:
    """Return the error of a record for a bug in its parser; a full disk ends the check."""
    if is_full_disk(exc):
        raise exc
    message = Message(
        "{record}: internal error ({error}: {reason}); this is a fault of ukharvest, please report"
        " it",
        record=raw.display_name,
        error=type(exc).__name__,
        reason=exc,
    )
    return RecordError(message)


def fate_of(entry: Entry) -> str:
    """Return "fine", "problems" (imported with problems), "lost" (failed) or "skipped".

    Or "elsewhere", of a record that a saved file only names.
    """
    if "error" in entry:
        return "lost"
    if "elsewhere" in entry:
        return "elsewhere"
    if "skipped" in entry or entry.get("deleted"):
        return "skipped"
    return "problems" if entry["problems"] else "fine"


def _as_far_as_read(kind: SourceType, source: Source, raw: RawRecord) -> Entry:
    """Return the fields of a failed record, so that its publisher can recognise it."""
    if raw.content is None:
        return _empty(raw)
    try:
        raw = dataclasses.replace(raw, guid=raw.guid or raw.position)
        record = kind.parse(raw, source.options, source.limits)
    except Exception:  # noqa: BLE001 - the record has failed anyway
        return _empty(raw)
    return {**_of(record), "position": raw.position}


def _of(record: DatasetRecord) -> Entry:
    entry = dataclasses.asdict(record)
    entry["licence_id"] = record.licence.id if record.licence else ""
    return entry


def _empty(raw: RawRecord) -> Entry:
    place = {"guid": raw.guid, "title": "", "url": raw.url, "position": raw.position}
    return {**place, "resources": (), "problems": ()}


def error_entry(error: UkharvestError) -> ErrorEntry:
    return {
        "code": error.code,
        "message": error.message,
        "url": error.url,
        "line": error.line,
    }
