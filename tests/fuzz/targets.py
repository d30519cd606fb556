"""What is fuzzed: every parser, every reader. Each checks one case, and raises what is wrong."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from ckanext.ukharvest.core import options
from ckanext.ukharvest.core.errors import (
    ConfigError,
    FetchError,
    RecordError,
    SkipRecord,
    SourceError,
    UkharvestError,
)
from ckanext.ukharvest.core.fingerprint import fingerprint
from ckanext.ukharvest.core.records import DatasetRecord, RawRecord
from ckanext.ukharvest.core.values.geometries import MAX_BYTES
from ckanext.ukharvest.mapping.package_mapper import Defaults, to_package_dict
from ckanext.ukharvest.reading.record_classifier import RecordClassifier
from ckanext.ukharvest.reading.records import SourceRead
from ckanext.ukharvest.source_types import COMMON_OPTIONS, TYPES, SourceType
from tests.fuzz import seeds, shapes

GUIDS = {"dcat_rdf": "https://a.example/d"}
MEDIA_TYPES = (
    *("", "application/json", "text/html; charset=iso-8859-1", "application/xml; charset=utf-16"),
    *("text/turtle", "application/rdf+xml", "application/ld+json", "text/plain; charset=klingon"),
)


class Wrong(AssertionError):
    """A result that must not be."""


@dataclass(frozen=True)
class Target:
    """Cases, and what to do with one: returns whether anything was read from it."""

    cases: Callable[[], st.SearchStrategy[Any]]
    check: Callable[[Any], bool]


def _parser(kind: SourceType) -> Target:
    name = kind.parser.__name__
    chosen = st.sampled_from(_choices(kind))

    def check(case: tuple[bytes, dict[str, Any]]) -> bool:
        body, given = case
        try:
            content = body.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            content = body.decode("utf-8", "replace")
        return parse(kind, RawRecord(GUIDS.get(kind.name, "a"), content), given)

    return Target(lambda: st.tuples(shapes.contents(name, kind.parser.FORM), chosen), check)


def _choices(kind: SourceType) -> list[dict[str, Any]]:
    """Return the options: the usual ones, and each choice of each option."""
    declared = (*kind.options, *COMMON_OPTIONS)
    others = [{each.name: choice} for each in kind.options for choice in each.choices]
    others += [{each.name: True} for each in kind.options if each.kind == "boolean"]
    found = [{}]
    for each in others:
        try:
            options.validate(each, declared)
        except UkharvestError:
            continue
        found.append(each)
    return found


def parse(kind: SourceType, raw: RawRecord, chosen: dict[str, Any]) -> bool:
    """Parse and map a record twice; return False where it is refused with an error of ours."""
    given = options.validate(chosen, (*kind.options, *COMMON_OPTIONS))
    with contextlib.suppress(UkharvestError):
        fingerprint(raw.content or "", kind.parser.FORM, ())
    try:
        record = kind.parse(raw, given)
    except (RecordError, SkipRecord) as exc:
        if not exc.message:
            raise Wrong("an error without a message") from exc
        return False
    if kind.parse(raw, given) != record:
        raise Wrong("parsed again, the record is another")
    check_record(record)
    return True


def check_record(record: DatasetRecord) -> None:
    """Raise Wrong for a record that PostgreSQL, Solr or CKAN would refuse."""
    package = to_package_dict(record, None, None, (), Defaults("org")).package
    for text in _texts([package, [each.message for each in record.problems]]):
        if "\x00" in text:
            raise Wrong(f"a zero character in {text[:80]!r}")
        text.encode("utf-8")  # a lone surrogate raises UnicodeEncodeError
    for resource in package["resources"]:
        size = resource.get("size", 0)
        if not isinstance(size, int) or abs(size) >= 2**63:
            raise Wrong(f"no bigint: {size}")
    if record.spatial and len(json.dumps(record.spatial, separators=(",", ":"))) > MAX_BYTES:
        raise Wrong("an extent that the search index refuses")
    if any(not 2 <= len(tag) <= 100 for tag in record.tags):
        raise Wrong(f"a tag that CKAN refuses: {record.tags}")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from _texts(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _texts(each)


def _sparql_reader(kind: SourceType) -> Target:
    """Each of a SPARQL source's queries has an answer of its own form; one of them is changed."""

    def check(case: tuple[bytes, str, str]) -> bool:
        return read(kind, seeds.SparqlAnswers(*case))

    def cases() -> st.SearchStrategy[Any]:
        words = {"count.xml": b"", "list.xml": b"", "descriptions.ttl": b"dcat:"}
        changed = [
            st.tuples(
                shapes.documents(kind.name, with_text=word),
                st.just(seeds.SPARQL_TYPES[answer]) | st.sampled_from(MEDIA_TYPES),
                st.just(answer),
            )
            for answer, word in words.items()
        ]
        return st.one_of(*changed, *changed[2:] * 4)  # few changed descriptions are still Turtle

    return Target(cases, check)


def _reader(kind: SourceType) -> Target:
    if kind.name == "sparql":
        return _sparql_reader(kind)

    def check(case: tuple[bytes, str, bytes | None, bool]) -> bool:
        body, media_type, further, is_everywhere = case
        further = body if is_everywhere else further
        return read(kind, seeds.OneDocument(body, media_type, further))

    def cases() -> st.SearchStrategy[Any]:
        first, further = shapes.documents(kind.name), shapes.documents(kind.name)
        if kind.name == "gemini-waf":  # a page, and files behind it
            first = shapes.documents(kind.name, with_text=b"href=")
            further = shapes.documents(kind.name, with_text=b"<gmd:")
            return st.tuples(first, st.sampled_from(MEDIA_TYPES), further, st.just(False))
        return st.tuples(first, st.sampled_from(MEDIA_TYPES), st.none() | further, st.booleans())

    return Target(cases, check)


def read(kind: SourceType, http: Any) -> bool:
    """Read a source as a gather does; return whether it had a record."""
    source = seeds.source_of(kind, http)
    loop = SourceRead(kind, source, RecordClassifier())
    found = False
    try:
        for record in loop:
            raw = record.raw
            if raw.error or raw.deleted:
                continue
            try:
                if raw.content is None:
                    raw = kind.reader.fetch(source, raw)
                fingerprint(raw.content or "", kind.parser.FORM, ())
                check_record(kind.parse(raw, source.options))
                found = True
            except (RecordError, FetchError, SkipRecord):
                continue
        loop.ended()
    except (ConfigError, SourceError) as exc:
        if not exc.message:
            raise Wrong("an error without a message") from exc
    return found


_PARSERS = {kind.parser.__name__: kind for kind in reversed(TYPES.ours.values())}

TARGETS: dict[str, Target] = {
    **{f"parser-{name.split('.')[-2]}": _parser(kind) for name, kind in _PARSERS.items()},
    **{f"reader-{name}": _reader(kind) for name, kind in TYPES.items()},
}
