"""Checks of /harvest/check in the job of source previews: of sources, and of data with a schema.

A check reads a URL, or the text or file that it was given, which is deleted when it ends.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import IO, Any, cast

from ckanext.ukharvest import config, source_types
from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import SourceError
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.request import HttpLimits
from ckanext.ukharvest.core.records import Source
from ckanext.ukharvest.engine import data_results
from ckanext.ukharvest.engine.http_client import open_client
from ckanext.ukharvest.engine.jobs import data_check
from ckanext.ukharvest.model import SourcePreview as Row
from ckanext.ukharvest.model import source_previews
from ckanext.ukharvest.reading.budget import HEAD, MIB, Budget, Watched
from ckanext.ukharvest.reading.preview_result import NOTHING, PreviewResult
from ckanext.ukharvest.reading.records import TextClient
from ckanext.ukharvest.reading.source_preview import SourcePreview, Tell
from ckanext.ukharvest.reading.type_detection import DATA, detect, unrecognised
from ckanext.ukharvest.schema_check.check import check_data
from ckanext.ukharvest.schema_check.files import read_schema
from ckanext.ukharvest.schema_check.report import Verdict

# A server that sends nothing costs half a minute.
REQUEST = HttpLimits(connect=10, read=20, total=30, retries=0)
_VERDICTS = {Verdict.VALID: "yes", Verdict.INVALID: "problems", Verdict.UNCHECKED: "no"}


class Check:
    """One check.

    Args:
        row: its row.
        tell: called with the progress.
    """

    def __init__(self, row: Row, tell: Tell) -> None:
        self._type, self._tell, self._given = row.source_type, tell, dict(row.given)
        self._url = row.url or self._given["name"]
        self._content, self._schema = source_previews.load_content(row.id)
        self._most = config.CHECK_MEGABYTES * MIB

    def result(self) -> tuple[PreviewResult, str]:
        """Read the given text, file or URL; return the result and its type.

        That is ``DATA`` for data with a schema.

        Raises:
            UkharvestError: it cannot be read, or shows no type.
        """
        self._type = self._type or self._found_type()
        return (self._of_data() if self._type == DATA else self._of_source()), self._type

    @contextmanager
    def _client(self, most: int = 0) -> Iterator[HttpClient]:
        """Open a client for what the person who asks may read."""
        guard = None if self._given["may_enter"] else config.public_guard()
        limits = replace(REQUEST, max_bytes=most) if most else REQUEST
        with open_client(limits=limits, guard=guard) as http:
            yield http

    def _found_type(self) -> str:
        """Return the type that the first bytes show.

        Raises:
            SourceError: they cannot be read, or show no type.
        """
        head, media_type = self._content, ""
        if head is None:
            with self._client() as http, http.get(self._url, first=HEAD) as reply:
                head, media_type = reply.content, reply.media_type
        if name := detect(head[:HEAD]):
            return name
        raise unrecognised(self._url, head[:HEAD], media_type)

    def _of_source(self) -> PreviewResult:
        kind = source_types.find(self._type)
        if kind is None:
            message = f"there is no source type '{self._type}'"
            raise SourceError(message, code="unknown-source-type")
        chosen = options.validate({}, (*kind.options, *source_types.COMMON_OPTIONS))
        budget = Budget(megabytes=config.CHECK_MEGABYTES)
        with self._client() as own:
            is_sent = self._content is not None
            client = TextClient(self._url, self._content or b"") if is_sent else own
            http = cast(HttpClient, client)
            source = Source(self._url, chosen, http, limits=config.record_limits())
            result = SourcePreview(kind, source, Watched(http, budget), tell=self._tell).run()
        if result["over"] == "size":
            result["over"] = "large"
        # No run follows, and requests for a sent text are none.
        none: dict[str, Any] = {"asked": [], "requests": 0, "suggested_url": ""}
        return cast(
            PreviewResult, {**result, "estimate_seconds": None, **(none if is_sent else {})}
        )

    def _of_data(self) -> PreviewResult:
        """Check a file of data against its schema."""
        own = data_check.limits()
        limits = replace(own, data_bytes=self._most, tree_bytes=min(self._most, own.tree_bytes))
        schema = self._schema
        if schema is None and self._given["schema"]:
            with self._client(limits.schema_bytes + 1) as http:
                schema = read_schema(self._given["schema"], http, limits).content
        with self._data() as data:
            self._tell("reading", 0)
            report = check_data(data, schema, limits)
        stored = data_results.storable(report.as_dict())
        return {**NOTHING, "verdict": _VERDICTS[report.verdict], "report": stored}

    @contextmanager
    def _data(self) -> Iterator[IO[bytes]]:
        if self._content is not None:
            yield io.BytesIO(self._content)
            return
        most = self._most + 1
        with self._client(most) as http, http.get(self._url, first=most) as reply:
            yield reply.body
