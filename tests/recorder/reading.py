"""Record how documents are read, and compare the recordings of two versions of the code.

    python -m tests.recorder.reading record OUT.jsonl --samples ../shared/samples [--each-option]
    python -m tests.recorder.reading compare BEFORE.jsonl AFTER.jsonl [--all]

Of every document of ``--samples``, of ``tests/conformance/documents``, of every recorded publisher
in ``tests/sources`` and of a small catalogue by each service of ``tests.publishing``, a recording
has each record's canonical content hash, fingerprint, package dict and problems, and the source's
ending, errors and requests. It needs no CKAN, network or services, but the port ``PORT``.
``compare`` prints what differs, grouped by kind, and exits with 1 if anything does. Recordings are
not committed.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ckanext.ukharvest.core import options as declared
from ckanext.ukharvest.core.errors import UkharvestError
from ckanext.ukharvest.core.fingerprint import fingerprint
from ckanext.ukharvest.core.http.client import HttpClient
from ckanext.ukharvest.core.http.guard import Guard
from ckanext.ukharvest.core.records import RawRecord, Source
from ckanext.ukharvest.mapping import package_mapper
from ckanext.ukharvest.reading.record_classifier import RecordClassifier
from ckanext.ukharvest.reading.records import FileClient, SourceRead, as_entry
from ckanext.ukharvest.reading.type_detection import source_type
from ckanext.ukharvest.source_types import TYPES, SourceType
from ckanext.ukharvest.testing.fixtures import LOOPBACK, FakeTime
from tests.conformance.expectations import TYPE_OF
from tests.publisher import PLACE, SOURCES, Publisher, recorded
from tests.publishing import SERVICES
from tests.publishing.listing import Listing
from tests.publishing.records import OGL, File, Record
from tests.recorder import command

OWN = SOURCES.parent / "conformance" / "documents"
HEAD = 1 << 16  # bytes that show a type
PORT = 48763  # always the same one: it is in the hashes of blank nodes that name a URL
FILES = (
    File("https://data.example/weirs.csv", "Weirs", "CSV", "https://data.example/schema.json"),
    File("https://data.example/map?service=WMS&request=GetCapabilities", "Map", "WMS"),
    File("https://data.example/about.pdf", "About", "PDF"),
)
CATALOGUE = (
    Record(1, "Weirs", "All weirs.", tags=("weirs", "water"), publisher="Anytown Council",
           email="data@anytown.example", licence=OGL, modified="2026-03-04",
           box=(-1.5, 51.0, 0.5, 52.0), period=("2020-01-01", "2021-12-31"), service="14",
           details=True, relation="https://data.example/locks", page="https://anytown.example/w",
           files=FILES),
    Record(2, "Locks", "All locks."),
    Record(3, "", "No title."),
    Record(4, "Fords", "No identifier.", nameless=True),
)  # fmt: skip

Line = dict[str, Any]


def record(samples: Path | None, *, each_option: bool) -> Iterator[Line]:
    """Yield the lines of a recording: one a source, and one a record."""
    for folder in filter(None, (OWN, samples)):
        for path in sorted(each for each in folder.rglob("*") if each.is_file()):
            head = path.read_bytes()[:HEAD]
            kinds = {TYPE_OF.get(path.parent.name, ""), source_type(head)} & set(TYPES)
            for name in sorted(kinds):
                place = f"{folder.name}/{path.relative_to(folder)}"
                for text, options in _choices(TYPES[name], {}, each_option=each_option):
                    source = f"{place} as {name}{text}"
                    yield from _read(source, TYPES[name], str(path), options, FileClient(path))
    with patch.dict(Publisher.__init__.__kwdefaults__ or {}, port=PORT):
        yield from _served_cases(each_option=each_option)


def _served_cases(*, each_option: bool) -> Iterator[Line]:
    for case in sorted(folder.parent.name for folder in SOURCES.glob("*/source.json")):
        entry = json.loads((SOURCES / case / "source.json").read_text(encoding="utf-8"))
        kind = TYPES[entry["type"]]
        for text, options in _choices(kind, entry["options"], each_option=each_option):
            publisher = recorded(case)
            yield from _served(f"sources/{case}{text}", kind, publisher, entry["path"], options)
    for name, service in sorted(SERVICES.items()):
        for text, options in _choices(TYPES[name], service.options or {}, each_option=each_option):
            publisher = Publisher()
            path = service.serve(publisher, Listing.of(CATALOGUE, 3 if service.is_paged else 0))
            yield from _served(f"publishing/{name}{text}", TYPES[name], publisher, path, options)


def _choices(
    kind: SourceType, options: Mapping[str, Any], *, each_option: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a text and the options: as they are, then each option at each of its choices."""
    yield "", dict(options)
    for option in kind.options if each_option else ():
        choices = (True, False) if option.kind == "boolean" else option.choices
        for value in choices:
            if value != options.get(option.name, option.default):
                yield f" {option.name}={value}", {**options, option.name: value}


def _served(
    name: str, kind: SourceType, publisher: Publisher, path: str, options: Mapping[str, Any]
) -> Iterator[Line]:
    time = FakeTime()
    with publisher, HttpClient(Guard(LOOPBACK), sleep=time.sleep, clock=time.clock) as http:
        for line in _read(name, kind, publisher.url(path), options, http, publisher.base):
            if line["key"] == "":  # the source itself, the last line
                sent = (f"{each.method} {each.path} {each.body!r}" for each in publisher.requests)
                line["requests"] = sorted(sent)  # a folder's documents are read at the same time
            yield line


def _read(
    name: str,
    kind: SourceType,
    url: str,
    options: Mapping[str, Any],
    http: Any,
    base: str = "",
) -> Iterator[Line]:
    """Yield a line for each record of a source, and one for the source with key ""."""
    base = base or str(Path(url).parent)

    def neutral(value: Any) -> Any:
        """Return a JSON value without the server's port and the documents' folder."""
        return json.loads(json.dumps(value).replace(base, PLACE))

    line: Line = {"source": name, "key": "", "error": None, "ending": None}
    counts: dict[str, int] = defaultdict(int)
    try:
        source = Source(url, declared.validate(options, kind.options), http)
        read = SourceRead(kind, source, RecordClassifier())
        for each in read:
            guid = each.raw.guid or each.raw.position
            counts[guid] += 1
            key = f"{guid} ({counts[guid]})" if counts[guid] > 1 else guid
            yield neutral({"source": name, "key": key, **_record(kind, source, each.raw, base)})
        line["ending"] = asdict(read.ended())
    except UkharvestError as exc:
        line["error"] = [exc.code, exc.message, exc.line]
    yield neutral(line)


def _record(kind: SourceType, source: Source, raw: RawRecord, base: str) -> Line:
    line: Line = {"resume": raw.resume, "modified": raw.modified, "hash": None, "package": None}
    try:
        if raw.content is None and not raw.error and not raw.deleted:
            raw = kind.reader.fetch(source, raw)
        content = kind.volatile.sub("", raw.content or "") if kind.volatile else raw.content or ""
        if content:
            content = content.replace(base, PLACE)
            rules = (kind.parser.VERSION, package_mapper.VERSION, "{}")
            line["hash"] = fingerprint(content, kind.parser.FORM, ())
            line["fingerprint"] = fingerprint(content, kind.parser.FORM, rules)
        if not raw.error and not raw.deleted:
            parsed = kind.parse(raw, source.options, source.limits)
            defaults = package_mapper.Defaults(owner_org="org")
            mapped = package_mapper.to_package_dict(parsed, None, None, (), defaults)
            line["package"] = mapped.package
    except UkharvestError:
        pass  # as_entry says why
    entry = as_entry(kind, source, raw)
    line["error"] = entry.get("error")
    line["deleted"], line["skipped"] = entry.get("deleted"), entry.get("skipped")
    line["problems"] = [[p["code"], p["field"], p["message"], p["line"]] for p in entry["problems"]]
    return line


def compare(before: Path, after: Path, *, show_all: bool) -> bool:
    """Print what differs, grouped by kind; tell whether anything does."""
    first, second = (_load(each) for each in (before, after))
    kinds: dict[str, list[tuple[str, Any, Any]]] = defaultdict(list)
    for place in sorted(first.keys() | second.keys()):
        old, new = first.get(place, {}), second.get(place, {})
        what = "record" if place[1] else "source"
        if not old or not new:
            kinds[f"{what} {'gone' if old else 'added'}"].append((" | ".join(place), old, new))
            continue
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                kind = f"{what}: {re.sub('resource [0-9]+ ', 'resource ', name)}"
                kinds[kind].append((" | ".join(place), old.get(name), new.get(name)))
    for kind, differences in sorted(kinds.items(), key=lambda each: -len(each[1])):
        print(f"\n{kind}: {len(differences)}")
        for place, old, new in differences if show_all else differences[:5]:
            print(f"  {place}\n    - {_short(old, show_all)}\n    + {_short(new, show_all)}")
    print(f"\n{len(first)} lines and {len(second)}; {sum(map(len, kinds.values()))} differences")
    return bool(kinds)


def _short(value: Any, show_all: bool) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if show_all or len(text) <= 400 else f"{text[:400]}…"


def _load(path: Path) -> dict[tuple[str, str], Line]:
    """Return the lines by source and record, with a field for each field of a package dict."""
    found = {}
    for text in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        place = (line.pop("source"), line.pop("key"))
        package = line.pop("package", None) or {}
        for extra in package.pop("extras", ()):
            line[f"package extra {extra['key']}"] = extra["value"]
        for number, resource in enumerate(package.pop("resources", ())):
            line.update((f"package resource {number} {k}", v) for k, v in resource.items())
        line.update((f"package {name}", value) for name, value in package.items())
        for code in {each[0] for each in line.get("problems", ())}:
            line[f"problem {code}"] = [each for each in line["problems"] if each[0] == code]
        line.pop("problems", None)
        found[place] = line
    return found


def main() -> int:
    """Run the command and return its exit code."""
    parser, recording = command.parsers("tests.recorder.reading", __doc__)
    recording.add_argument("--samples", type=Path, help="a folder of real documents")
    recording.add_argument("--each-option", action="store_true", help="also each choice of each")
    given = parser.parse_args()
    if given.command == "compare":
        return int(compare(given.before, given.after, show_all=given.all))
    command.write(given.out, record(given.samples, each_option=given.each_option))
    return 0


if __name__ == "__main__":
    sys.exit(main())
