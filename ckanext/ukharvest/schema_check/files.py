"""Read data and schemas for a check, from URLs and files."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ckanext.ukharvest.core.errors import FetchError, SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Validators
from ckanext.ukharvest.schema_check.report import Limits
from ckanext.ukharvest.schema_check.schema_file import too_large


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """A schema as it was read; keep it to read it again without a download.

    Attributes:
        location: its URL or path.
        content: its bytes.
        validators: its ETag and date of change; empty for a file.
    """

    location: str
    content: bytes
    validators: Validators = Validators()


def read_schema(
    location: str, http: HttpClient, limits: Limits, kept: SchemaFile | None = None
) -> SchemaFile:
    """Read a schema.

    Args:
        location: a URL, or the path of a file.
        kept: what an earlier read returned; returned again if the schema has not changed.

    Raises:
        SourceError: it cannot be read or is too large; the message is a sentence.
    """
    most = limits.schema_bytes
    if not _is_url(location):
        with _open(location) as file:
            content = file.read(most + 1)
        validators = Validators()
    else:
        ask = kept.validators if kept else None
        # No more than that is read of a larger one.
        with http.get(location, validators=ask, first=most + 1) as reply:
            if reply.not_modified and kept:
                return kept
            content, validators = reply.content, reply.validators
    if len(content) > most:
        raise FetchError(too_large(most), code="too-large", url=location)
    return SchemaFile(location, content, validators)


def open_data(location: str, http: HttpClient) -> IO[bytes]:
    """Open data, seekable; the caller closes them.

    Args:
        location: a URL, or the path of a file; "-" reads standard input.

    Raises:
        SourceError: they cannot be read; the message is a sentence.
    """
    if _is_url(location):
        return http.get(location).body
    file: IO[bytes] = sys.stdin.buffer if location == "-" else _open(location)
    if file.seekable():
        return file
    with file:
        copy = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
        while piece := file.read(1 << 20):
            copy.write(piece)
    copy.seek(0)
    return copy


def _is_url(location: str) -> bool:
    return "://" in location


def _open(location: str) -> io.BufferedReader:
    try:
        return Path(location).open("rb")
    except (OSError, ValueError) as exc:
        why = os.strerror(exc.errno) if isinstance(exc, OSError) and exc.errno else "not a file"
        raise SourceError(f"{location}: {why}", code="unreadable", url=location) from exc
