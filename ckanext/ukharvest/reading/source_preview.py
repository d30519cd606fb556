"""Source preview: read a source's first records as they would be imported, and save nothing.

It uses the readers and parsers of real runs, within a budget.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import NamedTuple, cast

from ckanext.ukharvest.core.errors import (
    ConfigError,
    FetchError,
    RecordError,
    SourceError,
    UkharvestError,
)
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.messages import wording_of
from ckanext.ukharvest.core.record_filter import FilterFields
from ckanext.ukharvest.core.records import Ending, RawRecord, Source
from ckanext.ukharvest.reading.adoption_changes import DatasetChanges
from ckanext.ukharvest.reading.budget import Over, Watched
from ckanext.ukharvest.reading.held_values import CommonValues, HeldValues
from ckanext.ukharvest.reading.preview_result import (
    NOTHING,
    ErrorEntry,
    HeldField,
    PreviewResult,
    ProblemGroups,
    Sample,
    StoredError,
    sample_of,
)
from ckanext.ukharvest.reading.record_classifier import (
    Classified,
    RecordClass,
    RecordClassifier,
)
from ckanext.ukharvest.reading.records import (
    Entry,
    SourceRead,
    as_entry,
    error_entry,
    fate_of,
    parse_entry,
)
from ckanext.ukharvest.reading.refusals import ReadRecord, Refusals, Trial, Tried
from ckanext.ukharvest.reading.type_detection import (
    OUT_OF_REACH,
    PROBE_SECONDS,
    better_address,
    first_bytes,
    source_type,
)
from ckanext.ukharvest.source_types.source_type import SourceType

SAMPLES = 20  # records that are shown
EXCERPT = 500  # characters of an answer
IMPORT_SECONDS = 0.1  # that writing a dataset takes, measured: for the estimate
# Records in answers that are here already, and seconds of the preview: values are counted so far.
MOST_COUNTED = 2000
COUNTING_ENDS = 20.0

ARRIVING = ("fine", "problems")  # fates of records that are imported
TRIED_AT_ONCE = 50  # records in a transaction of the trial

# Stage ("listing", "reading" or "comparing") and number of records; False ends the preview.
Tell = Callable[[str, int], bool]


class _Read(NamedTuple):
    """A record that was read: as it would be imported, its class in a run, and for the trial."""

    entry: Entry
    change: str
    record: ReadRecord


@dataclass
class SourcePreview:
    """One preview of one source; ``run`` it once.

    Args:
        kind: the source type.
        source: URL and options; its ``http`` is replaced.
        http: the HTTP client with the budget.
        classifier: classifies the records; without rules their changes are unknown.
        counts_values: whether the values are counted that records have, for filters; the server may
            get some more requests.
        tell: called with stage and number of records read; returns False to end the preview.
        trial: tries the records that would be imported on this portal; None: nobody knows what it
            would refuse.
    """

    kind: SourceType
    source: Source
    http: Watched
    classifier: RecordClassifier = field(default_factory=RecordClassifier)
    tell: Tell = lambda _stage, _done: True
    counts_values: bool = False
    total: int = 0
    listed: int = 0
    read: int = 0
    first_after: float = 0.0
    over: str = ""
    ending: Ending | None = None
    error: ErrorEntry | None = None
    fates: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    groups: ProblemGroups = field(default_factory=ProblemGroups)
    samples: list[Sample] = field(default_factory=list)
    common: CommonValues = field(default_factory=CommonValues)
    values: HeldValues = field(default_factory=HeldValues)
    held: list[HeldField] = field(default_factory=list)
    trial: Trial | None = None
    refusals: Refusals = field(default_factory=Refusals)
    dataset_changes: DatasetChanges = field(default_factory=DatasetChanges)
    _untried: list[_Read] = field(default_factory=list)
    _titles: dict[str, str] = field(default_factory=dict)

    def run(self) -> PreviewResult:
        """Read the source within the budget and return the result."""
        self.http.on_answer = self._on_answer
        self.source = replace(
            self.source, http=cast(HttpClient, self.http), tell_total=self._note_total
        )
        try:
            self._records()
        except Over as exc:
            self.over = exc.why
        except (ConfigError, SourceError) as exc:
            self.error = error_entry(exc)
        if not self.error and self.over in ("", "enough"):
            if self.counts_values:
                self.held = self.values.fields(self._fields_of_server(), self.source.options)
            self.tell("comparing", self.read)
        self._try()
        return self._result()

    def _fields_of_server(self) -> FilterFields:
        if self.kind.filter_fields is None:
            return FilterFields()
        self.http.left = None
        try:
            return self.kind.filter_fields(self.source)
        except (Over, ConfigError, SourceError):
            return FilterFields()  # the records have values as well

    def _note_total(self, total: int) -> None:
        self.total = max(self.total, total)

    def _on_answer(self) -> None:
        if not self.tell("reading" if self.read else "listing", self.read):
            raise Over("stopped")

    def _records(self) -> None:
        read = SourceRead(self.kind, self.source, self.classifier, titles=self._titles)
        most = self.http.budget.records
        for record in read:
            self.listed += 1
            if most and self.read >= most:
                self._count_on(record.raw)
                continue
            self.first_after = self.first_after or self.http.seconds
            self._take(record)
            self.read += 1
            if not self.tell("reading", self.read):
                raise Over("stopped")
            self.http.check()
        self.ending = read.ending
        problems = self.ending.problems if self.ending else ()
        self.groups.add(map(asdict, problems), {"title": "", "guid": ""})

    def _count_on(self, raw: RawRecord) -> None:
        """Count records beyond the budget, and their values if they are here already.

        One more request is allowed, to see if there are more, unless the source says how many.
        """
        if self.http.left is None:
            self.http.left = 0 if self.total else 1
        is_here = self.counts_values and raw.content is not None and raw.error is None
        if self.total and not is_here:
            raise Over("enough")
        is_wanted = self.values.records < MOST_COUNTED and self.http.seconds < COUNTING_ENDS
        if is_here and is_wanted:
            self._count_values(as_entry(self.kind, self.source, raw))
        if self.listed % 1000 == 0:
            self.http.check()

    def _take(self, record: Classified) -> None:
        change, raw = self._with_content(record)
        if change == RecordClass.UNCHANGED:
            self.changes[change] += 1
            return
        entry, parsed = parse_entry(self.kind, self.source, raw)
        self._look_at(entry)
        self._count_values(entry)
        self._titles.setdefault(entry["guid"], entry["title"])
        read = _Read(entry, change, ReadRecord(raw, record.known, parsed))
        if self.trial is None:
            self._count(read)
            return
        self._untried.append(read)
        if len(self._untried) >= TRIED_AT_ONCE:
            self._try()

    def _try(self) -> None:
        """Try the records that are read and not counted yet, and count them."""
        untried, self._untried = self._untried, []
        if self.trial is None or not untried:
            return
        arriving = [read for read in untried if fate_of(read.entry) in ARRIVING]
        tried = self.trial([read.record for read in arriving])
        results = {id(read): result for read, result in zip(arriving, tried, strict=True)}
        for read in untried:
            self._count(self._as_tried(read, results.get(id(read))))

    def _as_tried(self, read: _Read, tried: Tried | None) -> _Read:
        """Return a record with what the trial says of it."""
        if tried is None:
            return read
        self.refusals.add(read.entry["guid"], read.entry["title"], tried.refused)
        if tried.name:
            self.dataset_changes.add(tried.name, tried.changed, tried.files)
        entry = dict(read.entry)
        if tried.error:
            entry["error"] = tried.error
        elif tried.skipped is not None:
            entry["skipped"] = tried.skipped
        return read._replace(entry=entry, change=tried.change)

    def _count(self, read: _Read) -> None:
        entry, change = read.entry, read.change
        if change == RecordClass.UNCHANGED:
            self.changes[change] += 1
            return
        fate = fate_of(entry)
        self.fates[fate] += 1
        arrives = fate in ARRIVING
        if change and arrives:
            self.changes[change] += 1
        if arrives:
            self.common.add(entry)
        self.groups.add_record(entry)
        if len(self.samples) < SAMPLES:
            self.samples.append(sample_of(entry, fate, change if arrives else ""))

    def _count_values(self, entry: Entry) -> None:
        if "error" not in entry and entry["title"]:
            self.values.add(entry)

    def _look_at(self, entry: Entry) -> None:
        """Do nothing: for subclasses, which get each record as it would be imported."""

    def _with_content(self, record: Classified) -> tuple[str, RawRecord]:
        """Return the record's class in a run, "" if unknown, and the record with its content."""
        raw, record_class = record.raw, record.record_class
        is_compared = self.classifier.rules is not None
        if record_class in (RecordClass.LOST, RecordClass.DELETED) or not (
            is_compared or self.trial
        ):
            return "", raw
        change = str(record_class) if is_compared else ""
        if change == RecordClass.UNCHANGED or raw.content is not None:
            return change, raw
        try:
            raw = self.kind.reader.fetch(self.source, raw)
        except (FetchError, RecordError) as exc:
            lost = RecordError(exc.message, code=exc.code, url=exc.url, line=exc.line)
            return "", replace(raw, error=lost)
        if record.known and self.classifier.is_unchanged(raw, record.known):
            change = RecordClass.UNCHANGED
        return change, raw

    def _result(self) -> PreviewResult:
        seconds = self.http.seconds
        detected = suggested = ""
        if self.error or not self.read:
            detected = source_type(self.http.head)
            detected = "" if detected == self.kind.name else detected
            suggested = "" if detected else self._better_address()
        return {
            **NOTHING,
            "verdict": self._verdict(),
            "over": self.over,
            "count": max(self.total, self.listed) if self._is_counted else self.listed,
            "count_is_exact": self._is_counted,
            "read": self.read,
            "complete": None if self.ending is None else self.ending.complete,
            "reason": self.ending.reason if self.ending else "",
            "seconds": round(seconds, 1),
            "estimate_seconds": self._estimate(),
            "fates": dict(self.fates),
            "changes": dict(self.changes),
            "sample": self.samples,
            "problems": self.groups.results(),
            "error": self.error and _stored_error(self.error),
            "detected_type": detected,
            "suggested_url": suggested,
            "asked": self.http.asked,
            "requests": self.http.number,
            "excerpt": _as_text(self.http.head) if self.error or not self.read else "",
            "is_inside": self.http.http.guard.led_inside,
            "proposals": self.common.proposals(),
            "held": self.held,
            "refused": self.refusals.result() if self.trial else None,
        }

    @property
    def _is_counted(self) -> bool:
        return self.ending is not None or self.total >= self.listed > 0

    def _verdict(self) -> str:
        if self.error:
            return "no"
        if not self.read:
            return "unfinished" if self.over else "no"
        if self.over == "stopped":
            return "unfinished"
        if self.fates["lost"] == self.read:
            return "no"
        is_partial = self.ending is not None and not self.ending.complete
        return "problems" if self.groups.has_problems or is_partial else "yes"

    def _estimate(self) -> float | None:
        """Return the estimated seconds of a first run; None if unknown."""
        if self.error or not self.read or not self._is_counted:
            return None
        seconds = max(self.http.seconds - self.first_after, 0) / self.read + IMPORT_SECONDS
        return round(self.first_after + seconds * max(self.total, self.listed), 1)

    def _better_address(self) -> str:
        left = self.http.budget.seconds - self.http.seconds
        if left < PROBE_SECONDS or (self.error and self.error["code"] in OUT_OF_REACH):
            return ""
        return better_address(self.kind.name, self.source.url, self._first_bytes)

    def _first_bytes(self, url: str) -> bytes:
        try:
            return first_bytes(self.http.http, url)
        except FetchError:
            return b""


def failed(error: UkharvestError | None, *, over: str = "") -> PreviewResult:
    """Return the result of a preview that read nothing.

    Args:
        error: what is wrong with the source's options; None: the portal itself failed.
        over: "worker" (the jobs worker died) or "fault".
    """
    verdict = "no" if error else "unfinished"
    return {
        **NOTHING,
        "verdict": verdict,
        "over": over,
        "error": _stored_error(error_entry(error)) if error else None,
    }


def _stored_error(error: ErrorEntry) -> StoredError:
    """Return why a source cannot be read, with what its message is made of."""
    return {**error, "wording": wording_of(error["message"])}


def _as_text(head: bytes) -> str:
    """Return the beginning of a response as printable text."""
    text = head.decode("utf-8", "replace")
    return "".join(sign if sign.isprintable() or sign == "\n" else " " for sign in text)[:EXCERPT]
