"""Loop over a source's records, each classified: used by runs, previews and the check."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ckanext.ukharvest.core.errors import DuplicateGuid, SourceError, UkharvestError
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source
from ckanext.ukharvest.core.values.text import one_line, shorten
from ckanext.ukharvest.readers.paging import unique
from ckanext.ukharvest.reading.record_classifier import Classified, RecordClassifier
from ckanext.ukharvest.source_types import SourceType

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


def _no_title(_guid: str) -> str:
    return ""


@dataclass
class SourceRead:
    """One read of one source; iterate over it once for its records, each classified.

    Args:
        taken: guids of records that an interrupted read handled before; not yielded.
        title_of_first: returns the title of a record that was yielded before, by its guid, "" if
            it is not known: for the error of a second record with this guid.

    Attributes:
        ending: how the read ended; None before the end.
    """

    kind: SourceType
    source: Source
    classifier: RecordClassifier
    taken: Collection[str] = ()
    title_of_first: Callable[[str], str] = _no_title
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
        return replace(raw, error=raw.error.with_titles(title, self.title_of_first(raw.guid)))

    def ended(self) -> Ending:
        """Return how the read ended.

        Raises:
            SourceError: the read has not ended.
        """
        if self.ending is None:
            url = self.source.url
            raise SourceError(f"{url}: the read broke off without a reason", url=url)
        return self.ending
