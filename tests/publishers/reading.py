"""Read a source as a gather does, and plan its deletions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ckanext.ukharvest.core import deletions, options
from ckanext.ukharvest.core.errors import (
    FetchError,
    RecordError,
    SkipRecord,
    SourceError,
    UkharvestError,
)
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.records import Ending, Source
from ckanext.ukharvest.reading.record_classifier import RecordClassifier
from ckanext.ukharvest.reading.records import SourceRead
from ckanext.ukharvest.source_types.source_type import COMMON_OPTIONS, SourceType


@dataclass
class ReadResult:
    """The result of one read.

    Attributes:
        stopped: why the read stopped; None if it came to its end.
        ending: how it ended; None if it stopped.
        lost: errors of records.
        guids: identities of the records that were read without an error.
        plan: of the deletions, for datasets that the run before this one saw.
    """

    stopped: SourceError | None = None
    ending: Ending | None = None
    lost: list[UkharvestError] = field(default_factory=list)
    guids: set[str] = field(default_factory=set)
    plan: deletions.DeletionPlan = deletions.DeletionPlan()

    @property
    def messages(self) -> list[str]:
        """Return all that people are told."""
        found = [each.message for each in (self.stopped, *self.lost) if each]
        if self.ending is not None:
            found += [self.ending.reason, *(each.message for each in self.ending.problems)]
        return [message for message in found if message]


def read(
    kind: SourceType,
    url: str,
    http: HttpClient,
    known: set[str],
    chosen: Mapping[str, Any] | None = None,
) -> ReadResult:
    """Read a source to its end, and each record's content; then plan as ``harvest.gather`` does."""
    given = options.validate(chosen or {}, (*kind.options, *COMMON_OPTIONS))
    source = Source(url, given, http)
    classifier = RecordClassifier()
    loop = SourceRead(kind, source, classifier)
    result = ReadResult()
    try:
        for record in loop:
            raw = record.raw
            try:
                if raw.error:
                    raise raw.error
                if raw.content is None:
                    raw = kind.reader.fetch(source, raw)
                kind.parse(raw, given)
                result.guids.add(raw.guid)
            except (RecordError, FetchError, SkipRecord) as exc:
                result.lost.append(exc)
        result.ending = loop.ended()
    except SourceError as exc:
        result.stopped = exc
    complete = result.ending is not None and result.ending.complete
    result.plan = deletions.plan(
        {guid: deletions.KnownRecord(missed=0, active=True) for guid in known},
        classifier.listing.seen,
        complete=complete and not classifier.listing.has_nameless,
    )
    return result
