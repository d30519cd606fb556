"""Faults that are looked for in the records of every format, and the portal's limits for them.

A record is cut to the limits after it was parsed. Each kind of cut is one problem of the record
that says how much there was, and which setting cut it if the portal has one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date, timedelta
from typing import Any, TypeVar

from ckanext.ukharvest.core.messages import Message
from ckanext.ukharvest.core.records import DatasetRecord, Problem, RecordLimits, ResourceRecord
from ckanext.ukharvest.core.values.dates import parse_date
from ckanext.ukharvest.core.values.geometries import Box, bbox_polygon, bounds, is_within
from ckanext.ukharvest.core.values.places import AROUND_UK
from ckanext.ukharvest.parsers.reporting import ignore, parse_value


@dataclass(frozen=True, slots=True)
class FieldNames:
    """A format's own names of the fields that are checked, for messages."""

    resources: str = "resources"
    tags: str = "tags"
    spatial: str = "spatial"
    issued: str = "issued"
    modified: str = "modified"
    created: str = "created"
    metadata_modified: str = "metadata_modified"


def field_names_in(mapping: Iterable[Any], **own: str) -> FieldNames:
    """Return the names in a parser's table: the first one of the first row for each field.

    Args:
        own: names of fields that the table has no good name for.
    """
    names: dict[str, str] = {}
    for row in mapping:
        for word in re.findall(r"\w+", row.target):
            names.setdefault(word, row.source[0])
    checked = [field.name for field in fields(FieldNames)]
    return FieldNames(**{name: names[name] for name in checked if name in names} | own)


def check(record: DatasetRecord, names: FieldNames, today: date) -> tuple[Problem, ...]:
    """Return the problems of a record that its parser did not report."""
    return (
        *_without_resources(record, names.resources),
        *_swapped(record, names.spatial),
        *_future(record, names, today),
    )


_LINK_FIELD = re.compile(
    r"distribution|resources|linkage|(?:download|access|endpoint)url|page$|references"
    r"|dictionary|describedby|webservice|dump$|sparqlendpoint",
    re.IGNORECASE,
)
# Access levels of Project Open Data, and access rights of the EU's list.
_NOT_PUBLIC = re.compile(
    r"(?:.*/)?(?:non[-_ ]?public|private|restricted(?: public)?|confidential)", re.IGNORECASE
)


def _without_resources(record: DatasetRecord, field: str) -> Iterator[Problem]:
    # A link that was reported is the reason why there are no resources.
    if record.resources or _is_meant_without(record) or any(map(_is_of_link, record.problems)):
        return
    message = Message(
        "{field}: the dataset has no files and no links; expected the URL of a file, a"
        " service or a page",
        field=field,
    )
    yield Problem("no-resources", field, message)


def _is_of_link(problem: Problem) -> bool:
    is_refused = problem.code in {"bad-url", "wrong-type"} and _LINK_FIELD.search(problem.field)
    return problem.code in {"missing-url", "gemini-o19-needed"} or bool(is_refused)


def _is_meant_without(record: DatasetRecord) -> bool:
    """Tell whether a dataset is not published, not public, or a collection of others."""
    extras = record.extras
    if extras.get("unpublished") == "true" or extras.get("has_part"):
        return True
    levels = (extras.get("access_level", ""), extras.get("access_rights", ""))
    return any(map(_NOT_PUBLIC.fullmatch, levels))


_AROUND_UK_SWAPPED: Box = (AROUND_UK[1], AROUND_UK[0], AROUND_UK[3], AROUND_UK[2])
# Data about the sea off Somalia, where swapped coordinates of the United Kingdom lie.
_ABOUT_INDIAN_OCEAN = re.compile(
    r"indian ocean|seychell|somali|amirant|mascaren|madagas|arabian sea|kenya|africa|carlsberg",
    re.IGNORECASE,
)


def is_about_indian_ocean(record: DatasetRecord) -> bool:
    """Tell whether a place in the Indian Ocean is meant."""
    texts = (record.title, record.notes, record.spatial_text, *record.tags)
    return any(map(_ABOUT_INDIAN_OCEAN.search, texts))


def _swapped(record: DatasetRecord, field: str) -> Iterator[Problem]:
    if not record.spatial:
        return
    west, south, east, north = bounds(dict(record.spatial))
    if not is_within((west, south, east, north), _AROUND_UK_SWAPPED):
        return
    if is_about_indian_ocean(record):
        return
    message = Message(
        "{field}: the area with west {west:g}, south {south:g}, east {east:g} and north"
        " {north:g} lies in the Indian Ocean; with latitude and longitude swapped it lies"
        " in or near the United Kingdom; expected longitudes as west and east, latitudes"
        " as south and north",
        field=field,
        west=west,
        south=south,
        east=east,
        north=north,
    )
    yield Problem("swapped-coordinates", field, message)


_DAYS_AHEAD = 366  # a publication that is announced


def _future(record: DatasetRecord, names: FieldNames, today: date) -> Iterator[Problem]:
    latest = (today + timedelta(days=_DAYS_AHEAD)).isoformat()
    reported = {problem.code for problem in record.problems}
    seen: set[tuple[str, str]] = set()
    # Dates that are in the past by their nature.
    dates = (
        (names.issued, record.issued, "of publication"),
        (names.modified, record.modified, "of the last change"),
        *((names.created, text, "of creation") for text in _creation_dates(record)),
        (names.metadata_modified, record.metadata_modified, "of the record's last change"),
    )
    for name, value, expected in dates:
        # Text of any precision compares as the first day that it can mean.
        is_reported = name == "gmd:dateStamp" and "gemini-o30-future" in reported
        if value <= latest or (name, value) in seen or is_reported:
            continue
        seen.add((name, value))
        message = Message(
            "{name}: {value} is more than a year ahead; expected the day {expected}",
            name=name,
            value=value,
            expected=expected,
        )
        yield Problem("future-date", name, message)


def _creation_dates(record: DatasetRecord) -> Iterator[str]:
    """Yield creation dates; GEMINI's are in a list together with others."""
    texts = [record.extras.get("created", "")]
    try:
        dates = json.loads(record.extras.get("dataset-reference-date") or "[]")
        texts += [entry["value"] for entry in dates if entry["type"] == "creation"]
    except (ValueError, TypeError, KeyError):
        pass  # another portal's text of the same name
    texts = [text for text in texts if isinstance(text, str)]
    return filter(None, (parse_value(text, parse_date, ignore, "") for text in texts))


# The limits that a portal can change.
_SETTINGS = ("resources", "tags", "text")

# Attribute → the limit of its text, a field of RecordLimits. Other attributes hold lists or records
# of their own, or values that our parsers choose from a list.
_DATASET = {
    "title": "line",
    "notes": "text",
    "url": "url",
    "version": "line",
    "rights": "text",
    "frequency": "line",
    "spatial_text": "text",
    "name": "line",
}
_RESOURCE = {
    "url": "url",
    "id": "url",
    "name": "line",
    "description": "text",
    "format": "line",
    "mimetype": "line",
    "schema_url": "url",
}
_TRANSLATION = {"title": "line", "notes": "text"}
_RESOURCE_TRANSLATION = {"name": "line", "description": "text"}
_AGENT = {"name": "line", "email": "line", "url": "url", "role": "line"}
_GROUP = {"id": "line", "name": "line", "title": "line"}
_LICENCE = {"id": "line", "title": "text", "url": "url"}
_PARTS = {
    "publisher": _AGENT,
    "contact": _AGENT,
    "author": _AGENT,
    "licence": _LICENCE,
    "organisation": _GROUP,
}
_LISTS = ("themes", "language", "schema_urls", "coupled")

Part = TypeVar("Part")


@dataclass
class _Cutter:
    """Cuts the values of one record and collects what it cut.

    Attributes:
        cuts: name and limit of a field → the lengths of its texts that were cut, over all
            resources.
    """

    limits: RecordLimits
    cuts: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def text(self, value: str, limit: str, name: str) -> str:
        """Return a text within the limit; "" where a part of it would be of no use."""
        most = int(getattr(self.limits, limit))
        if len(value) <= most:
            return value
        self.cuts.setdefault((name, limit), []).append(len(value))
        is_whole_only = limit == "url" or value[:1] in ("{", "[")  # a URL, an identifier, JSON
        return "" if is_whole_only else value[:most].rstrip()

    def part(self, value: Part, rules: Mapping[str, str], name: str) -> Part:
        """Return a record of texts within the limits."""
        changed = {}
        for attribute, limit in rules.items():
            text = getattr(value, attribute)
            short = self.text(text, limit, f"{name}{attribute}")
            if short is not text:
                changed[attribute] = short
        return replace(value, **changed) if changed else value  # type: ignore[type-var]

    def items(self, values: tuple[Part, ...], limit: str, name: str, code: str) -> tuple[Part, ...]:
        """Return the first values of a list."""
        most = int(getattr(self.limits, limit))
        if len(values) <= most:
            return values
        message = Message(
            "{name}: {count:,} of them; the first {most:,} are imported",
            name=name,
            count=len(values),
            most=most,
        )
        self.problems.append(
            Problem(
                code, name, Message("{message}{setting}", message=message, setting=_setting(limit))
            )
        )
        return values[:most]

    def texts(self, values: tuple[str, ...], name: str) -> tuple[str, ...]:
        """Return the first values of a list of texts, without those that are too long."""
        some = self.items(values, "values", name, "too-many-values")
        if all(len(value) <= self.limits.url for value in some):
            return some
        return tuple(filter(None, (self.text(value, "url", name) for value in some)))

    def extras(self, values: Mapping[str, str], name: str) -> Mapping[str, str]:
        most = self.limits.line
        pairs = self.items(tuple(values.items()), "values", name, "too-many-values")
        # Half of a name is another name.
        named = [pair for pair in pairs if len(pair[0]) <= most]
        if len(named) < len(pairs):
            message = Message(
                "{name}: {count:,} of them left out, because their names are too long; expected at"
                " most {most:,} characters",
                name=name,
                count=len(pairs) - len(named),
                most=most,
            )
            self.problems.append(Problem("long-text", name, message))
        return {key: self.text(text, "text", f"{name}.{key}") for key, text in named}

    def translations(
        self, values: Mapping[str, Part], rules: Mapping[str, str], name: str
    ) -> Mapping[str, Part]:
        """Return the texts of the first languages."""
        some = self.items(tuple(values.items()), "values", name, "too-many-values")
        return {code: self.part(texts, rules, f"{name}.") for code, texts in some}

    def extent(self, record: DatasetRecord, name: str) -> Mapping[str, Any] | None:
        points = sum(1 for _ in _points(record.spatial or {}))
        if not record.spatial or points <= self.limits.points:
            return record.spatial
        message = Message(
            "{name}: the outline has {points:,} points, and its box is used instead;"
            " expected at most {most:,}",
            name=name,
            points=points,
            most=self.limits.points,
        )
        self.problems.append(Problem("large-spatial", name, message))
        return bbox_polygon(*bounds(dict(record.spatial)))

    def resource(self, resource: ResourceRecord) -> ResourceRecord:
        cut = self.part(resource, _RESOURCE, "resources.")
        licence = resource.licence
        return replace(
            cut,
            licence=licence and self.part(licence, _LICENCE, "resources.licence."),
            extras=self.extras(resource.extras, "resources.extras"),
            translations=self.translations(
                resource.translations, _RESOURCE_TRANSLATION, "resources.translations"
            ),
        )

    def all_problems(self) -> Iterator[Problem]:
        yield from self.problems
        for (name, limit), lengths in self.cuts.items():
            was = (
                Message("a text")
                if len(lengths) == 1
                else Message("{count:,} texts", count=len(lengths))
            )
            message = Message(
                "{name}: {was} of up to {longest:,} characters cut or left out; expected"
                " at most {most:,}{setting}",
                name=name,
                was=was,
                longest=max(lengths),
                most=getattr(self.limits, limit),
                setting=_setting(limit),
            )
            yield Problem("long-text", name, message)


def _setting(limit: str) -> str:
    """Return which setting of the portal changes a limit, "" for none."""
    return (
        Message(" (the portal's setting ckanext.ukharvest.limits.{limit})", limit=limit)
        if limit in _SETTINGS
        else ""
    )


def limit_record(record: DatasetRecord, limits: RecordLimits, names: FieldNames) -> DatasetRecord:
    """Return a record within the limits, with a problem for each kind of cut."""
    cutter = _Cutter(limits)
    cut = cutter.part(record, _DATASET, "")
    files = cutter.items(record.resources, "resources", names.resources, "too-many-resources")
    limited = tuple(map(cutter.resource, files))
    lists = {name: cutter.texts(getattr(record, name), name) for name in _LISTS}
    parts = {
        name: cutter.part(value, rules, f"{name}.")
        for name, rules in _PARTS.items()
        if (value := getattr(record, name)) is not None
    }
    texts = cutter.translations(record.translations, _TRANSLATION, "translations")
    groups = cutter.items(record.groups, "values", "groups", "too-many-values")
    changed: dict[str, Any] = {**lists, **parts}
    cut = replace(
        cut,
        **changed,
        tags=cutter.items(record.tags, "tags", names.tags, "too-many-tags"),
        translations={
            code: replace(words, tags=cutter.items(words.tags, "tags", names.tags, "too-many-tags"))
            for code, words in texts.items()
        },
        groups=tuple(cutter.part(group, _GROUP, "groups.") for group in groups),
        spatial=cutter.extent(record, names.spatial),
        resources=tuple(
            new for new, old in zip(limited, files, strict=True) if new.url or not old.url
        ),
        extras=cutter.extras(record.extras, "extras"),
    )
    problems = tuple(cutter.all_problems())
    return replace(cut, problems=(*record.problems, *problems)) if problems else record


def _points(geometry: Mapping[str, Any]) -> Iterator[object]:
    """Yield the positions of a geometry or of a collection of them."""
    waiting: list[Any] = [geometry]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            waiting += item.get("geometries", ()) or [item.get("coordinates")]
        elif isinstance(item, (list, tuple)) and item:
            if all(isinstance(number, (int, float)) for number in item):
                yield item
            else:
                waiting += item
