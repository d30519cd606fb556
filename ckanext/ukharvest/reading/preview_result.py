"""The result of a source preview: stored as JSON, shown on pages and returned by the API.

The problems that a preview finds are grouped by code and field.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from ckanext.ukharvest.core.problems.texts import (
    ENTRY_NUMBERS,
    NOTE,
    PROBLEM,
    SEVERITIES,
)
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini.rules import severity_of

EXAMPLES = 3  # records per group
MOST = 60  # groups in the result
LONGEST = 300  # characters of a message

Problem = Mapping[str, Any]


class ProblemGroups:
    """Problems grouped by code and field; call ``add`` for each record, then ``results``."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str], ProblemGroup] = {}

    def add(
        self, problems: Iterable[Problem], record: Mapping[str, Any], consequence: str = PROBLEM
    ) -> None:
        """Add the problems of a record; for those of the source as a whole the record is empty.

        Args:
            record: its "title" and "guid".
            consequence: LOST if the problem is why the record failed.
        """
        seen: set[tuple[str, str]] = set()
        for problem in problems:
            severity = severity_of(problem["code"], consequence=consequence)
            code, name = kind = (problem["code"], ENTRY_NUMBERS.sub("", problem.get("field", "")))
            new: ProblemGroup = {
                "code": code,
                "field": name,
                "severity": severity,
                "records": 0,
                "occurrences": 0,
                "examples": [],
            }
            group = self._groups.setdefault(kind, new)
            group["severity"] = min(group["severity"], severity, key=SEVERITIES.index)
            group["occurrences"] += 1
            if kind not in seen and len(group["examples"]) < EXAMPLES:
                group["examples"].append(
                    {
                        "title": shorten(record["title"], 200),
                        "guid": record["guid"],
                        "message": shorten(problem["message"], LONGEST),
                        "line": problem.get("line"),
                    }
                )
            group["records"] += kind not in seen
            seen.add(kind)

    @property
    def has_problems(self) -> bool:
        """Tell whether any group is more severe than a note."""
        return any(group["severity"] != NOTE for group in self._groups.values())

    def results(self) -> list[ProblemGroup]:
        """Return the worst and most frequent groups, for the result."""
        return sorted(
            self._groups.values(),
            key=lambda group: (SEVERITIES.index(group["severity"]), -group["records"]),
        )[:MOST]


class ErrorEntry(TypedDict):
    """Why a source or a record cannot be read; ``line``: in the document, None if unknown."""

    code: str
    message: str
    url: str
    line: int | None


class ProblemExample(TypedDict):
    """A record that has a problem."""

    title: str
    guid: str
    message: str
    line: int | None


class ProblemGroup(TypedDict):
    """The problems of one code and field: numbers of records and occurrences, some examples.

    ``field``: without numbers of entries.
    """

    code: str
    field: str
    severity: str
    records: int
    occurrences: int
    examples: list[ProblemExample]


class Sample(TypedDict):
    """A record as it would be imported, shortened for storage and pages.

    ``fate``: "fine", "problems", "lost" or "skipped". ``change``: its ``RecordClass`` in a run, ""
    if unknown. ``why``: reason why the record is skipped. ``fields``: [[name, value], …], values
    as text.
    """

    title: str
    guid: str
    url: str
    position: str
    fate: str
    change: str
    formats: list[str]
    licence: str
    problems: list[dict[str, object]]
    problems_count: int
    why: str
    fields: list[list[str]]
    resources: list[dict[str, str]]
    resources_count: int


class Asked(TypedDict):
    """One request and its response; ``to``: the URL after redirects, "" without redirects."""

    method: str
    url: str
    status: int
    media_type: str
    seconds: float
    size: int
    to: str


class Proposal(TypedDict):
    """A value for the form of a source, that ``records`` of the first ``of`` records have."""

    value: str
    records: int
    of: int


class Lookup(TypedDict):
    """The source that an address led to: see ``address_lookup.Found``.

    ``site_title``: title of the site's first page, "" if it has none.
    """

    source_type: str
    url: str
    how: str
    site_title: str


class HeldValue(TypedDict):
    """A value that records of the source have: see ``filter_values.FilterValue``.

    choice: "only" or "without" if the options name it so, else "".
    """

    value: str
    title: str
    records: int | None
    choice: str


class HeldField(TypedDict):
    """A field to filter by: see ``filter_values.FilterField``. of: number of records counted."""

    name: str
    include: str
    exclude: str
    prefix: str
    of: int | None
    values: list[HeldValue]


class MoveResult(TypedDict):
    """Which of a source's records are at its new URL.

    datasets: number of the source's datasets. same, moved: those whose record is there with the
    same guid, and with the base URL replaced. added: records there that are not known. missing:
    row ids of the others. records: [[old base URL, new one, row ids of the records], …] of those
    to replace. resources: [[old base URL, new one], …], the one to try first first. from_url,
    from_type: of the source when it was compared. config: its options for the new type. dropped:
    names of options that the new type does not have.
    """

    datasets: int
    same: int
    moved: int
    added: int
    missing: list[int]
    records: list[list[Any]]
    resources: list[list[str]]
    from_url: str
    from_type: str
    config: str
    dropped: list[str]


class PreviewResult(TypedDict):
    """The result of a source preview.

    verdict: "yes", "problems", "no" or "unfinished". over: why the preview ended before the source
    did: "time", "size", "large" (of a check), "enough", "stopped", "worker" or "queue" (no jobs
    worker ran it), "fault"; else "". count: number of the source's records, exact or as far as
    listed. read: number of records read. complete: None if the read did not end. seconds: taken by
    the preview; estimate_seconds: for a first run. fates, changes: fate or ``RecordClass`` → number
    of records. datasets: number of the source's datasets here. takes_over: number of datasets that
    a first run would adopt. asked: the first
    requests; requests: number of all. excerpt: of the last response, if nothing was read.
    is_inside: a response came from the portal's own network. report: of data with a schema, as
    ``DataReport.as_dict`` returns it; None for sources. lookup: of an address whose type was not
    given. proposals: "publisher", "contact" and "licence" → the value that most records have.
    held: the values that its records have, for filters. move: of the dry run of a move, else None.
    """

    verdict: str
    over: str
    count: int
    count_is_exact: bool
    read: int
    complete: bool | None
    reason: str
    seconds: float
    estimate_seconds: float | None
    fates: dict[str, int]
    changes: dict[str, int]
    sample: list[Sample]
    problems: list[ProblemGroup]
    error: ErrorEntry | None
    detected_type: str
    suggested_url: str
    asked: list[Asked]
    requests: int
    excerpt: str
    is_inside: bool
    datasets: int
    takes_over: int
    report: dict[str, Any] | None
    lookup: Lookup | None
    proposals: dict[str, Proposal]
    held: list[HeldField]
    move: MoveResult | None


NOTHING: PreviewResult = {
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
    "datasets": 0,
    "takes_over": 0,
    "report": None,
    "lookup": None,
    "proposals": {},
    "held": [],
    "move": None,
}
