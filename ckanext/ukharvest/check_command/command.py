"""``ukharvest check``: how a source's records would arrive, or whether data follow their schema.

For publishers; needs no CKAN.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO, cast

from ckanext.ukharvest import __version__
from ckanext.ukharvest.check_command import data_check, output
from ckanext.ukharvest.core.errors import Blocked, ConfigError, SourceError, is_full_disk
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.values.web_addresses import is_web_url
from ckanext.ukharvest.reading.budget import HEAD, Over
from ckanext.ukharvest.reading.preview_result import ErrorEntry
from ckanext.ukharvest.reading.records import FINE, UNUSABLE, Check, error_entry
from ckanext.ukharvest.reading.type_detection import (
    PAGE,
    Found,
    Probe,
    describe_unknown,
    look_up,
    nothing_found,
)
from ckanext.ukharvest.source_types import TYPES, find
from ckanext.ukharvest.source_types.source_type import SourceType

STANDARD_INPUT = "-"


def run(
    name: str,
    location: str,
    options: Sequence[str] = (),
    *,
    limit: int = 0,
    as_json: bool = False,
    with_records: bool = False,
    allow_private: bool = False,
    out: TextIO | None = None,
    err: TextIO | None = None,
) -> int:
    """Check a source and print the result; return the exit code. Raises nothing.

    Args:
        name: the source type; "" for what the portal's test finds: by the first bytes, or at the
            usual URLs of a URL's site.
        location: a URL, a saved file, a named pipe, or ``STANDARD_INPUT``.
    """
    out, err = out or sys.stdout, err or sys.stderr
    guard = Guard(("0.0.0.0/0", "::/0") if allow_private else ())
    content = _read_pipe(location)
    location = "standard input" if content is not None else location
    with HttpClient(guard, user_agent=f"ckanext-ukharvest/{__version__} (check)") as http:
        try:
            place = None if name else _look_up(location, content, http)
            kind = _find_type(place.source_type if place else name)
            if place and content is None and place.url:
                location = place.url
            chosen = _split_options(options)
            check = Check(kind, location, chosen, limit=limit, http=http, content=content)
        except (ConfigError, SourceError) as exc:
            refused = {"type": name, "location": location, "complete": False, "reason": ""}
            refused |= {"records": [], "problems": [], "errors": [error_entry(exc)]}
            if as_json:
                output.write_json(refused, out)
            _print_error(error_entry(exc), location, allow_private=allow_private, err=err)
            return UNUSABLE
        if as_json:
            output.write_json(check.as_dict(list(check)), out)
        else:
            output.write(check, out, with_records=with_records)
    for error in check.errors:
        _print_error(error, location, allow_private=allow_private, err=err)
    return check.exit_code


def _print_error(error: ErrorEntry, location: str, *, allow_private: bool, err: TextIO) -> None:
    print(f"ukharvest check: {error['message']}", file=err)
    if error["code"] == Blocked.code and is_web_url(location) and not allow_private:
        print("ukharvest check: here --allow-private allows private addresses", file=err)


def _find_type(name: str) -> SourceType:
    kind = find(name)
    if kind is None:
        expected = ", ".join(TYPES)
        raise ConfigError(
            Message(
                "there is no source type '{name}'; expected one of: {expected}",
                name=name,
                expected=expected,
            )
        )
    return kind


def _read_pipe(location: str) -> bytes | None:
    """Return what a pipe holds, None for another location: readers go back to the beginning."""
    if location == STANDARD_INPUT:
        return sys.stdin.buffer.read()
    path = Path(location)
    return path.read_bytes() if path.is_fifo() else None


def _look_up(location: str, content: bytes | None, http: HttpClient) -> Found:
    """Return the source that a URL leads to, or what standard input or a file is.

    Raises:
        ConfigError: standard input or the file shows no type, or cannot be read.
        SourceError: the URL cannot be read, or leads to none.
    """
    if content is None and is_web_url(location):
        probe = Probe(http)
        try:
            place = look_up(location, probe)
        except Over:
            place = None
        if place is None:
            raise nothing_found(location, probe)
        return place
    if content is None:
        try:
            with Path(location).open("rb") as file:
                content = file.read(PAGE)
        except OSError as exc:
            raise ConfigError(
                Message(
                    "the file {location} cannot be read: {reason}",
                    location=location,
                    reason=exc.strerror,
                )
            ) from exc
        name: str = Message("a source type")
    else:
        name = "--type"
    start = content
    if place := look_up("", lambda url, most=HEAD: b"" if url else start[:most]):
        return place
    raise ConfigError(
        Message(
            "{location} has no known format: {what}. To choose a format give {name} or --schema",
            location=location,
            what=describe_unknown(content[:HEAD]),
            name=name,
        )
    )


def _split_options(options: Sequence[str]) -> dict[str, str]:
    pairs = {}
    for option in options:
        name, equals, value = option.partition("=")
        if not equals:
            raise ConfigError(
                Message("--option {option}: expected key=value", option=option), field=name
            )
        pairs[name.strip()] = value.strip()
    return pairs


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the console command ``ukharvest`` and return its exit code."""
    parser = _arguments()
    parsed = parser.parse_args(arguments)
    if parsed.command == "check" and (wrong := _misuse(parsed)):
        parser.error(wrong)
    for stream in (sys.stdout, sys.stderr):
        # A terminal without Unicode must not stop the report.
        cast(Any, stream).reconfigure(errors="replace")
    try:
        if parsed.command == "types":
            output.write_types(TYPES.values(), sys.stdout)
            return FINE
        if parsed.schema:
            return data_check.run(
                parsed.type,
                parsed.schema,
                limit=parsed.limit,
                errors_file=parsed.errors,
                as_json=parsed.format == "json",
                allow_private=parsed.allow_private,
            )
        has_no_type = parsed.type == STANDARD_INPUT or not parsed.location
        return run(
            parsed.as_type if has_no_type else parsed.type,
            parsed.type if has_no_type else parsed.location,
            parsed.option,
            limit=parsed.limit,
            as_json=parsed.format == "json",
            with_records=parsed.records,
            allow_private=parsed.allow_private,
        )
    except BrokenPipeError:  # the reader of our output, such as head, has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except Exception as exc:  # noqa: BLE001 - publishers get no traceback
        fault = f"internal error: {type(exc).__name__}: {exc}"
        if is_full_disk(exc):
            folder = f"{tempfile.gettempdir()}, the folder for temporary files"
            todo = "free some, or set TMPDIR to another folder"
            fault = f"there is no space left in {folder}; {todo}"
        print(f"ukharvest check: {fault}", file=sys.stderr)
        return UNUSABLE


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ukharvest", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("types", help="list the source types and their options")
    check = commands.add_parser(
        "check",
        help="show how a source's records would arrive, and what is wrong with them",
        usage="ukharvest check [options] TYPE LOCATION\n"
        "       ukharvest check [options] FILE_OR_URL\n"
        "       ukharvest check [options] FILE_OR_URL --schema FILE_OR_URL\n"
        "       ukharvest check [options] - [--type TYPE | --schema FILE_OR_URL]",
        epilog="Exit code: 0 all records would be imported, 1 some would fail or are only named, "
        "2 unusable: the source cannot be read, or lists no records. With --schema: 0 valid, "
        "1 errors, 2 not checked.",
    )
    check.add_argument(
        "type",
        metavar="TYPE",
        help="a source type; see: ukharvest types; - alone reads standard input; a URL or a file "
        "alone is a location, whose type is found as on the portal",
    )
    check.add_argument(
        "location", metavar="LOCATION", nargs="?", help="a web address or a saved file"
    )
    check.add_argument(
        "--type",
        dest="as_type",
        metavar="TYPE",
        default="",
        help="source type of standard input; without it, its first bytes show the type",
    )
    check.add_argument(
        "--schema",
        metavar="FILE_OR_URL",
        default="",
        help="check a file of data against this schema, not a source; none for GeoJSON",
    )
    check.add_argument(
        "--errors", metavar="FILE", default="", help="with --schema: save all errors as CSV"
    )
    check.add_argument("--option", action="append", default=[], metavar="KEY=VALUE")
    check.add_argument(
        "--limit", type=_number, default=0, metavar="N", help="records or rows to read"
    )
    check.add_argument("--records", action="store_true", help="print each record as well")
    check.add_argument("--format", choices=("table", "json"), default="table")
    check.add_argument(
        "--allow-private",
        action="store_true",
        help="read addresses of this machine and of private networks too",
    )
    return parser


def _misuse(given: argparse.Namespace) -> str:
    """Return what is wrong with arguments together, "" if nothing is."""
    is_piped = given.type == STANDARD_INPUT
    if given.as_type and (given.schema or not is_piped):
        return "--type is for standard input: ukharvest check - --type TYPE"
    if not given.schema:
        if given.errors:
            return "--errors needs --schema"
        if is_piped:
            return "- takes no LOCATION" if given.location else ""
        is_enough = given.location or is_web_url(given.type) or Path(given.type).exists()
        return "" if is_enough else "the following arguments are required: LOCATION"
    if given.location:
        return "--schema checks one file: ukharvest check FILE_OR_URL --schema FILE_OR_URL"
    return "--schema takes neither --option nor --records" if given.option or given.records else ""


def _number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return int(text)
