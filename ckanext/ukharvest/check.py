"""``ukharvest check``: how a source's records would arrive, for publishers; needs no CKAN.

The only place that reads local files. Reading and parsing are the harvest's own, so what is
shown is what would be imported.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO, cast

from ckanext.ukharvest import __version__, check_table
from ckanext.ukharvest.core import options as declared
from ckanext.ukharvest.core.errors import (
    BadStatus,
    Blocked,
    ConfigError,
    FetchError,
    RecordError,
    SkipRecord,
    SourceError,
    UkharvestError,
)
from ckanext.ukharvest.core.guard import Guard
from ckanext.ukharvest.core.http import HttpClient, Reply
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord, Reading, Source
from ckanext.ukharvest.readers.paging import unique
from ckanext.ukharvest.types import TYPES, SourceType, find

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
                entry = self._entry(raw)
                self.lost += "error" in entry
                yield entry
        except SourceError as exc:
            self.errors.append(_error(exc))
            return
        if reading.ending is not None:
            self.complete, self.reason = reading.ending.complete, reading.ending.reason
            self.problems = [dataclasses.asdict(each) for each in reading.ending.problems]

    def _entry(self, raw: RawRecord) -> Entry:
        """One record as it would arrive, with ``error`` if it would be lost."""
        if raw.deleted:
            return {**_empty(raw), "deleted": True}
        if raw.error is not None:
            return {**self._as_far_as_read(raw), "guid": raw.guid, "error": _error(raw.error)}
        try:
            if raw.content is None:
                raw = self.kind.reader.fetch(self._source, raw)
            return self._parsed(raw)
        except SkipRecord as exc:
            return {**_empty(raw), "skipped": exc.message}
        except FetchError as exc:
            is_listing = not is_url(self.location)
            return _empty(raw) if is_listing else {**_empty(raw), "error": _error(exc)}
        except RecordError as exc:
            return {**_empty(raw), "error": _error(exc)}

    def _as_far_as_read(self, raw: RawRecord) -> Entry:
        """What a lost record holds, so that its publisher knows it again."""
        if raw.content is None:
            return _empty(raw)
        try:
            return self._parsed(dataclasses.replace(raw, guid=raw.guid or raw.position))
        except UkharvestError:
            return _empty(raw)

    def _parsed(self, raw: RawRecord) -> Entry:
        record = self.kind.parser.parse(raw, self._source.options)
        return {**_of(record), "position": raw.position}

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


def _of(record: DatasetRecord) -> Entry:
    entry = dataclasses.asdict(record)
    entry["licence_id"] = record.licence.id if record.licence else ""
    return entry


def _empty(raw: RawRecord) -> Entry:
    place = {"guid": raw.guid, "title": "", "url": raw.url, "position": raw.position}
    return {**place, "resources": (), "problems": ()}


def _error(error: UkharvestError) -> Entry:
    return {
        "code": error.code,
        "message": error.message,
        "url": error.url,
        "line": error.line,
    }


def run(
    name: str,
    location: str,
    options: Sequence[str] = (),
    *,
    limit: int = 0,
    as_json: bool = False,
    allow_private: bool = False,
    out: TextIO | None = None,
    err: TextIO | None = None,
) -> int:
    """Check a source and print the result; return the exit code. Raises nothing."""
    out, err = out or sys.stdout, err or sys.stderr
    guard = Guard(("0.0.0.0/0", "::/0") if allow_private else ())
    with HttpClient(guard, user_agent=f"ckanext-ukharvest/{__version__} (check)") as http:
        try:
            check = Check(_kind(name), location, _pairs(options), limit=limit, http=http)
        except ConfigError as exc:
            refused = {"type": name, "location": location, "complete": False, "reason": ""}
            refused |= {"records": [], "problems": [], "errors": [_error(exc)]}
            if as_json:
                _dump(refused, out)
            print(f"ukharvest check: {exc.message}", file=err)
            return UNUSABLE
        if as_json:
            _dump(check.as_dict(list(check)), out)
        else:
            check_table.write(check, out)
    for error in check.errors:
        print(f"ukharvest check: {error['message']}", file=err)
        if error["code"] == Blocked.code and not allow_private:
            print("ukharvest check: here --allow-private allows private addresses", file=err)
    return check.exit_code


def _dump(result: Entry, out: TextIO) -> None:
    json.dump(result, out, ensure_ascii=False, indent=2)
    out.write("\n")


def _kind(name: str) -> SourceType:
    kind = find(name)
    if kind is None:
        expected = ", ".join(TYPES)
        raise ConfigError(f"there is no source type '{name}'; expected one of: {expected}")
    return kind


def _pairs(options: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise ConfigError(f"--option {option}: expected key=value", field=name)
        pairs[name.strip()] = value.strip()
    return pairs


def main(arguments: Sequence[str] | None = None) -> int:
    """The console command ``ukharvest``."""
    given = _arguments().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        # A terminal without Unicode must not stop the report.
        cast(Any, stream).reconfigure(errors="replace")
    try:
        if given.command == "types":
            check_table.write_types(TYPES.values(), sys.stdout)
            return FINE
        return run(
            given.type,
            given.location,
            given.option,
            limit=given.limit,
            as_json=given.format == "json",
            allow_private=given.allow_private,
        )
    except BrokenPipeError:  # the reader of our output, such as head, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except Exception as exc:  # noqa: BLE001 - a publisher must not meet a traceback
        print(f"ukharvest check: internal error: {type(exc).__name__}: {exc}", file=sys.stderr)
        return UNUSABLE


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ukharvest", description=__doc__.partition("\n")[0])
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("types", help="list the source types and their options")
    check = commands.add_parser(
        "check",
        help="show how a source's records would arrive, and what is wrong with them",
        epilog="Exit code: 0 all records would arrive, 1 some would be lost, 2 unusable.",
    )
    check.add_argument("type", metavar="TYPE", help="a source type; see: ukharvest types")
    check.add_argument("location", metavar="LOCATION", help="a web address or a saved file")
    check.add_argument("--option", action="append", default=[], metavar="KEY=VALUE")
    check.add_argument("--limit", type=_number, default=0, metavar="N", help="records to read")
    check.add_argument("--format", choices=("table", "json"), default="table")
    check.add_argument(
        "--allow-private",
        action="store_true",
        help="read addresses of this machine and of private networks too",
    )
    return parser


def _number(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number
