"""The result of a source preview: stored as JSON, shown on pages and returned by the API.

The problems that a preview finds are grouped by code and field. The main facts of a record are
texts; ``ukharvest check`` prints them too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypedDict, cast

from ckanext.ukharvest.core.errors import NotValid
from ckanext.ukharvest.core.messages import wording_of
from ckanext.ukharvest.core.problems.texts import (
    ENTRY_NUMBERS,
    LOST,
    NOTE,
    PROBLEM,
    SEVERITIES,
)
from ckanext.ukharvest.core.values.geometries import bounds
from ckanext.ukharvest.core.values.text import shorten
from ckanext.ukharvest.parsers.gemini.rules import severity_of

if TYPE_CHECKING:
    from ckanext.ukharvest.reading.adoption_changes import AdoptionChanges
    from ckanext.ukharvest.reading.refusals import Refused

EXAMPLES = 3  # records per group
MOST_GROUPS = 60  # in the result
MOST_FIELDS = 40  # of a record; also resources
MOST_PROBLEMS = 10  # of a record
LONGEST = 300  # characters of a message, or of a value
LONGEST_JSON = 2000

Problem = Mapping[str, Any]
Entry = Mapping[str, Any]


class ProblemGroups:
    """Problems grouped by code and field; call ``add_record`` for each, then ``results``."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str], ProblemGroup] = {}

    def add_record(self, entry: Entry) -> None:
        """Add why a record fails, or else its problems; nothing of one that is skipped."""
        if "error" in entry:
            # Its other problems are not why it fails, unless it breaks rules.
            reasons = entry["problems"] if entry["error"]["code"] == NotValid.code else ()
            self.add([entry["error"], *reasons], entry, consequence=LOST)
        elif "skipped" not in entry:
            self.add(entry.get("problems", ()), entry)

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
                example = {**stored_message(problem["message"]), "line": problem.get("line")}
                example |= {"title": shorten(record["title"], 200), "guid": record["guid"]}
                group["examples"].append(cast(ProblemExample, example))
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
        )[:MOST_GROUPS]


def stored_message(message: str) -> dict[str, Any]:
    """Return a message as it is stored: shortened, or with what it is made of."""
    wording = wording_of(message) if len(message) <= LONGEST else None
    return {"message": shorten(message, LONGEST), "wording": wording}


class ErrorEntry(TypedDict):
    """Why a source or a record cannot be read; ``line``: in the document, None if unknown."""

    code: str
    message: str
    url: str
    line: int | None


class StoredError(ErrorEntry):
    """The same with what its message is made of."""

    wording: Any


class ProblemExample(TypedDict):
    """A record that has a problem."""

    title: str
    guid: str
    message: str
    wording: Any
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
    """The source that an address led to: see ``type_detection.Found``.

    ``site_title``: title of the site's first page, "" if it has none. ``why_not``: if another URL
    of the site answers, why the one that was entered is no source; "" for a page.
    """

    source_type: str
    url: str
    how: str
    site_title: str
    why_not: str


class HeldValue(TypedDict):
    """A value that records of the source have: see ``record_filter.FilterValue``.

    choice: "only" or "without" if the options name it so, else "".
    """

    value: str
    title: str
    records: int | None
    choice: str


class HeldField(TypedDict):
    """A field to filter by: see ``record_filter.FilterField``. of: number of records counted."""

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
    to replace. resources: [[old base URL, new one], …], the one to try first first. config: its
    options for the new type. dropped: names of options that the new type does not have.
    """

    datasets: int
    same: int
    moved: int
    added: int
    missing: list[int]
    records: list[list[Any]]
    resources: list[list[str]]
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
    refused: what the portal's form refuses, as ``refusals.Refused``; None if no record was tried.
    adopted: what a first run would change in the datasets that it adopts, else None.
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
    error: StoredError | None
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
    refused: Refused | None
    adopted: AdoptionChanges | None


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
    "refused": None,
    "adopted": None,
}


def sample_of(entry: Entry, fate: str, change: str) -> Sample:
    """Return a record's sample.

    Args:
        entry: the record as ``records.as_entry`` returns it.
        fate, change: see ``Sample``.
    """
    problems = [
        {**{key: problem[key] for key in ("code", "line")}, **stored_message(problem["message"])}
        for problem in [*([entry["error"]] if "error" in entry else ()), *entry["problems"]]
    ]
    resources = entry["resources"]
    fields = [*facts(entry), *(entry.get("extras") or {}).items()]
    return {
        "title": shorten(entry["title"], 200),
        "guid": shorten(entry["guid"], 200),
        "url": entry.get("url", ""),
        "position": entry.get("position", ""),
        "fate": fate,
        "change": change,
        "formats": sorted({file["format"] or file["kind"] for file in resources} - {""}),
        "licence": _licence(entry),
        "problems": problems[:MOST_PROBLEMS],
        "problems_count": len(problems),
        "why": entry.get("skipped", ""),
        "fields": [[name, _cut(value)] for name, value in fields if _cut(value)][:MOST_FIELDS],
        "resources": [_resource(file) for file in resources[:MOST_FIELDS]],
        "resources_count": len(resources),
    }


def _cut(value: str) -> str:
    """Shorten a text; return "" for a JSON text that is too long, because half of it is useless."""
    if value[:1] in ("[", "{"):
        return value if len(value) <= LONGEST_JSON else ""
    return shorten(value, LONGEST)


def _licence(entry: Entry) -> str:
    licence = entry.get("licence") or {}
    return shorten(licence.get("title") or licence.get("id") or licence.get("url") or "", 100)


def _resource(resource: Entry) -> dict[str, str]:
    return {
        "name": shorten(resource["name"], 200),
        "url": shorten(resource["url"], LONGEST),
        "format": resource["format"],
        "kind": resource["kind"],
    }


def facts(entry: Entry) -> Iterator[tuple[str, str]]:
    """Yield names and values of a record's own fields, without extras; "" for one that it lacks."""
    yield "title", entry["title"]
    yield "notes", entry.get("notes", "")
    yield "guid", entry["guid"]
    yield "url", entry.get("url", "")
    for key in ("publisher", "contact", "author"):
        agent = entry.get(key) or {}
        yield key, " · ".join(filter(None, (agent.get("name"), agent.get("email"))))
    yield "licence", _licence(entry)
    yield "rights", entry.get("rights", "")
    for key in ("tags", "themes", "language", "translations", "schema_urls"):
        yield key, ", ".join(entry.get(key, ()))
    for key in ("frequency", "issued", "modified", "metadata_modified", "version"):
        yield key, entry.get(key, "")
    period = entry.get("temporal")
    yield "temporal", f"{period['start'] or '…'} – {period['end'] or '…'}" if period else ""
    yield "spatial", " · ".join(filter(None, (entry.get("spatial_text"), _box(entry))))


def _box(entry: Entry) -> str:
    geometry = entry.get("spatial")
    return ", ".join(f"{side:g}" for side in bounds(geometry)) if geometry else ""
