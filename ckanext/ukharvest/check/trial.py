"""A look at a source that changes nothing: the first records as they would arrive, and why not.

Reading and parsing are the harvest's own, as in the check; a budget ends it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ckanext.ukharvest.check.groups import Groups
from ckanext.ukharvest.check.likeness import better_address, source_type
from ckanext.ukharvest.check.records import Entry, as_entry, error_entry
from ckanext.ukharvest.check.shown import sample_of
from ckanext.ukharvest.check.watch import Over, Watched
from ckanext.ukharvest.core.errors import FetchError, RecordError, SourceError, UkharvestError
from ckanext.ukharvest.core.problem_words import LOST
from ckanext.ukharvest.core.records import Ending, RawRecord, Reading, Source
from ckanext.ukharvest.readers.paging import unique
from ckanext.ukharvest.types import SourceType

SAMPLES = 20  # records that are shown
EXCERPT = 500  # characters of an answer
IMPORT_SECONDS = 0.1  # that writing a dataset takes, measured: for the estimate
PROBE_SECONDS = 5.0

_NOTHING: dict[str, Any] = {
    "verdict": "unfinished",
    "over": "",
    "count": 0,
    "count_is_exact": False,
    "read": 0,
    "complete": None,
    "reason": "",
    "seconds": 0.0,
    "estimate_seconds": None,
    "fates": {},
    "changes": {},
    "sample": [],
    "problems": [],
    "error": None,
    "detected_type": "",
    "suggested_url": "",
    "asked": [],
    "requests": 0,
    "excerpt": "",
    "is_inside": False,
    "takes_over": 0,
}

# What a run would make of a record: "added", "updated", "unchanged" or "" if nobody can tell.
Judge = Callable[[RawRecord], str]
# Stage ("listing" or "reading") and number of records; False ends the trial.
Tell = Callable[[str, int], bool]


def _go_on(_stage: str, _done: int) -> bool:
    return True


def _cannot_tell(_raw: RawRecord) -> str:
    return ""


@dataclass
class Trial:
    """One trial of one source; ``run`` it once.

    Args:
        kind: the source type.
        source: address and options; ``http`` is replaced by the watched one.
        http: the door, with the budget.
        judge: what a run would make of a record.
        tell: is told how far it is.

    Attributes:
        seen: guids that were listed, "" for records without one; those said to be deleted not.
    """

    kind: SourceType
    source: Source
    http: Watched
    judge: Judge = _cannot_tell
    tell: Tell = _go_on
    total: int = 0
    listed: int = 0
    read: int = 0
    first_after: float = 0.0
    over: str = ""
    ending: Ending | None = None
    error: Entry | None = None
    fates: Counter[str] = field(default_factory=Counter)
    changes: Counter[str] = field(default_factory=Counter)
    groups: Groups = field(default_factory=Groups)
    samples: list[Entry] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def run(self) -> dict[str, Any]:
        """Look, and return what ``ukharvest_trial_show`` documents as ``result``."""
        door: Any = self.http
        self.http.on_answer = self._on_answer
        self.source = replace(self.source, http=door, tell_total=self._note_total)
        try:
            self._records()
        except Over as exc:
            self.over = exc.why
        except SourceError as exc:
            self.error = error_entry(exc)
        return self._result()

    def _note_total(self, total: int) -> None:
        self.total = max(self.total, total)

    def _on_answer(self) -> None:
        if not self.tell("reading" if self.read else "listing", self.read):
            raise Over("stopped")

    def _records(self) -> None:
        reading = Reading(unique(self.kind.reader.records(self.source)))
        most = self.http.budget.records
        for raw in reading:
            self.listed += 1
            if most and self.read >= most:
                self._count_on()
                continue
            self.first_after = self.first_after or self.http.seconds
            self._take(raw)
            self.read += 1
            if not self.tell("reading", self.read):
                raise Over("stopped")
            self.http.check()
        self.ending = reading.ending
        problems = self.ending.problems if self.ending else ()
        self.groups.note(map(asdict, problems), {"title": "", "guid": ""})

    def _count_on(self) -> None:
        """Count what is listed already, with one look at whether there is more."""
        if self.total:
            raise Over("enough")
        if self.http.left is None:
            self.http.left = 1
        if self.listed % 1000 == 0:
            self.http.check()

    def _take(self, raw: RawRecord) -> None:
        if not raw.deleted:
            self.seen.add(raw.guid)
        change, raw = self._judged(raw)
        if change == "unchanged":
            self.changes[change] += 1
            return
        entry = as_entry(self.kind, self.source, raw)
        fate = _fate(entry)
        self.fates[fate] += 1
        if change and fate in ("fine", "problems"):
            self.changes[change] += 1
        self.groups.note(entry["problems"], entry)
        if "error" in entry:
            self.groups.note([entry["error"]], entry, consequence=LOST)
        if len(self.samples) < SAMPLES:
            arrives = fate in ("fine", "problems")
            self.samples.append(sample_of(entry, fate, change if arrives else ""))

    def _judged(self, raw: RawRecord) -> tuple[str, RawRecord]:
        """What a run would make of a record, and the record with its content."""
        if raw.error is not None or raw.deleted:
            return "", raw
        change = self.judge(raw)
        if change in ("", "unchanged") or raw.content is not None:
            return change, raw
        try:
            raw = self.kind.reader.fetch(self.source, raw)
        except (FetchError, RecordError) as exc:
            lost = RecordError(exc.message, code=exc.code, url=exc.url, line=exc.line)
            return "", replace(raw, error=lost)
        return self.judge(raw), raw

    def _result(self) -> dict[str, Any]:
        seconds = self.http.seconds
        detected = suggested = ""
        if self.error or not self.read:
            detected = source_type(self.http.head)
            detected = "" if detected == self.kind.name else detected
            suggested = "" if detected else self._better_address()
        return {
            **_NOTHING,
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
            "problems": list(self.groups.told()),
            "error": self.error,
            "detected_type": detected,
            "suggested_url": suggested,
            "asked": self.http.told(),
            "requests": self.http.number,
            "excerpt": _as_text(self.http.head) if self.error or not self.read else "",
            "is_inside": self.http.http.guard.led_inside,
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
        return "problems" if self.groups.has_any_to_mend or is_partial else "yes"

    def _estimate(self) -> float | None:
        """Seconds of a first run; None if it cannot be told."""
        if self.error or not self.read or not self._is_counted:
            return None
        each = max(self.http.seconds - self.first_after, 0) / self.read + IMPORT_SECONDS
        return round(self.first_after + each * max(self.total, self.listed), 1)

    def _better_address(self) -> str:
        left = self.http.budget.seconds - self.http.seconds
        if left < PROBE_SECONDS or (self.error or {}).get("code") in ("blocked", "unreachable"):
            return ""
        return better_address(self.kind.name, self.source.url, self._first_bytes)

    def _first_bytes(self, url: str) -> bytes:
        http = self.http.http
        http.limits = replace(http.limits, total=PROBE_SECONDS, read=PROBE_SECONDS)
        try:
            with http.get(url, first=4096) as reply:
                return reply.content
        except FetchError:
            return b""


def failed(error: UkharvestError | None, *, over: str = "") -> dict[str, Any]:
    """Return the result of a trial that did not come to reading anything.

    Args:
        error: what is wrong with the source's options; None: the fault is the portal's.
        over: "worker" (it went away) or "fault".
    """
    verdict = "no" if error else "unfinished"
    return {**_NOTHING, "verdict": verdict, "over": over, "error": error and error_entry(error)}


def _fate(entry: Entry) -> str:
    if "error" in entry:
        return "lost"
    if "skipped" in entry or entry.get("deleted"):
        return "skipped"
    return "problems" if entry["problems"] else "fine"


def _as_text(head: bytes) -> str:
    """The beginning of an answer as text: nothing of it is shown as anything else."""
    text = head.decode("utf-8", "replace")
    return "".join(each if each.isprintable() or each == "\n" else " " for each in text)[:EXCERPT]
