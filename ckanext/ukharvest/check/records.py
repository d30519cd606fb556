"""A source's records as they would arrive, one by one, without CKAN; what the check prints.

The only place that reads local files. Reading and parsing are the harvest's own, so what is
shown is what would be imported.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from ckanext.ukharvest.core import options as declared
from ckanext.ukharvest.core.errors import (
    BadStatus,
    FetchError,
    NotValid,
    RecordError,
    SkipRecord,
    SourceError,
    UkharvestError,
)
from ckanext.ukharvest.core.http import HttpClient, Reply
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord, Reading, Source
from ckanext.ukharvest.readers.paging import unique
from ckanext.ukharvest.types import SourceType

FINE, SOME_LOST, UNUSABLE = 0, 1, 2

Entry = dict[str, Any]


class FileClient:
    """Answers the first request with a saved file, and every further one with 404."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._asked = False

    def get(self, url: str, **_: object) -> Reply:
        """As HttpClient.get."""
        if self._asked:
            message = f"{url} is not in the file {self._path.name}, which is all there is to read"
            raise BadStatus(message, status=404, url=url)
        self._asked = True
        try:
            body = self._path.open("rb")
        except OSError as exc:
            message = f"the file {self._path} cannot be read: {exc.strerror}"
            raise FetchError(message, url=str(self._path)) from exc
        return Reply(url=url, requested_url=url, status=200, headers={}, body=body)

    def post(self, url: str, **more: object) -> Reply:
        """As HttpClient.post."""
        return self.get(url, **more)


class Check:
    """One check of one source; iterate over it for the records, then ask how it went.

    Args:
        kind: the source type.
        location: a web address, or the path of a saved answer.
        options: the source's options, still as text.
        limit: stop after so many records; 0 reads all.
        http: reads the addresses; not used for a file.

    Raises:
        ConfigError: from the constructor, for an option.
    """

    def __init__(
        self,
        kind: SourceType,
        location: str,
        options: Mapping[str, Any],
        *,
        http: HttpClient,
        limit: int = 0,
    ) -> None:
        self.kind = kind
        self.location = location
        self.complete = False
        self.reason = ""
        self.problems: list[Entry] = []
        self.errors: list[Entry] = []
        self.lost = 0
        self._limit = limit
        client = http if is_url(location) else cast(HttpClient, FileClient(Path(location)))
        self._source = Source(location, declared.validate(options, kind.options), client)

    @property
    def exit_code(self) -> int:
        if self.errors:
            return UNUSABLE
        return SOME_LOST if self.lost else FINE

    def __iter__(self) -> Iterator[Entry]:
        reading = Reading(unique(self.kind.reader.records(self._source)))
        try:
            for number, raw in enumerate(reading):
                if self._limit and number == self._limit:
                    self.reason = f"stopped after {self._limit} records, as asked"
                    return
                entry = as_entry(self.kind, self._source, raw)
                self.lost += "error" in entry
                yield entry
        except SourceError as exc:
            self.errors.append(error_entry(exc))
            return
        if reading.ending is not None:
            self.complete, self.reason = reading.ending.complete, reading.ending.reason
            self.problems = [dataclasses.asdict(each) for each in reading.ending.problems]

    def as_dict(self, records: Sequence[Entry]) -> Entry:
        """The whole result, for ``--format json``."""
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
    """Return one record as it would arrive, with ``error`` if it would be lost."""
    if raw.deleted:
        return {**_empty(raw), "deleted": True}
    if raw.error is not None:
        lost = _as_far_as_read(kind, source, raw)
        return {**lost, "guid": raw.guid, "error": error_entry(raw.error)}
    try:
        if raw.content is None:
            raw = kind.reader.fetch(source, raw)
        return _parsed(kind, source, raw)
    except SkipRecord as exc:
        return {**_empty(raw), "skipped": exc.message}
    except FetchError as exc:
        # A saved listing has no more to give.
        return {**_empty(raw), "error": error_entry(exc)} if is_url(source.url) else _empty(raw)
    except NotValid as exc:
        problems = [dataclasses.asdict(each) for each in exc.problems]
        return {**_empty(raw), "problems": problems, "error": error_entry(exc)}
    except RecordError as exc:
        return {**_empty(raw), "error": error_entry(exc)}


def _as_far_as_read(kind: SourceType, source: Source, raw: RawRecord) -> Entry:
    """What a lost record holds, so that its publisher knows it again."""
    if raw.content is None:
        return _empty(raw)
    try:
        return _parsed(kind, source, dataclasses.replace(raw, guid=raw.guid or raw.position))
    except UkharvestError:
        return _empty(raw)


def _parsed(kind: SourceType, source: Source, raw: RawRecord) -> Entry:
    record = kind.parser.parse(raw, source.options)
    return {**_of(record), "position": raw.position}


def _of(record: DatasetRecord) -> Entry:
    entry = dataclasses.asdict(record)
    entry["licence_id"] = record.licence.id if record.licence else ""
    return entry


def _empty(raw: RawRecord) -> Entry:
    place = {"guid": raw.guid, "title": "", "url": raw.url, "position": raw.position}
    return {**place, "resources": (), "problems": ()}


def error_entry(error: UkharvestError) -> Entry:
    return {
        "code": error.code,
        "message": error.message,
        "url": error.url,
        "line": error.line,
    }
