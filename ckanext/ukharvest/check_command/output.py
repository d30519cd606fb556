"""Print the result of ``ukharvest check`` in a terminal: wrapped, without what it would obey."""

from __future__ import annotations

import json
import shutil
import tempfile
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TextIO, cast

from ckanext.ukharvest.core.problems.texts import LOST, NOTE, PROBLEM, STOP
from ckanext.ukharvest.core.values.text import name_unseen, shorten
from ckanext.ukharvest.reading.preview_result import ProblemGroups, facts
from ckanext.ukharvest.reading.records import fate_of
from ckanext.ukharvest.rendering.problem_texts import ProblemTexts, describe_problem

if TYPE_CHECKING:
    from ckanext.ukharvest.reading.records import Check
    from ckanext.ukharvest.source_types.source_type import SourceType

Entry = Mapping[str, Any]

_LABEL = 13  # columns of a label
# What a field is called there, if not by its name.
_LABELS = {
    "metadata_modified": "record of",
    "schema_urls": "schema",
    "spatial": "place",
    "temporal": "period",
    "translations": "texts in",
}
_LONGEST = 300  # characters of a value; problems and errors are printed in full
_IN_MEMORY = 10_000_000  # bytes of printed records; the rest waits in a file
# The words of the pages, said of what has not happened yet.
_HEADINGS: dict[str, str] = {
    STOP: "The run would stop",
    LOST: "Would fail: not imported",
    PROBLEM: "Would be imported with a problem",
    NOTE: "For information",
}


def write_indented(text: str, out: TextIO, spaces: int = 0) -> None:
    """Print a text, wrapped and indented by some spaces."""
    indent = " " * spaces
    out.write(
        textwrap.fill(
            one_line(text),
            columns(),
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        + "\n"
    )


def write_json(result: Mapping[str, Any], out: TextIO) -> None:
    """Print a result as JSON."""
    json.dump(result, out, ensure_ascii=False, indent=2)
    out.write("\n")


def one_line(text: str) -> str:
    """Return a text without line ends, and without what a terminal would obey."""
    return name_unseen(" ".join(text.expandtabs(1).splitlines()))


def columns() -> int:
    """Return the width of the terminal, at least 40."""
    return max(40, shutil.get_terminal_size((100, 24)).columns)


def write(check: Check, out: TextIO, *, with_records: bool = False) -> None:
    """Print a summary and the problems by kind; then the records, if they are asked for."""
    groups = ProblemGroups()
    counts: Counter[str] = Counter()
    # The summary comes first, and is known last.
    with tempfile.SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8") as records:
        for number, entry in enumerate(check, start=1):
            counts[fate_of(entry)] += 1
            groups.add_record(entry)
            if with_records:
                _print(_block(number, entry), cast(TextIO, records))
        groups.add(check.problems, {"title": "", "guid": ""})
        if counts or check.complete or check.reason or not check.errors:
            _print(_summary(check, counts), out)
        _write_groups(groups, out)
        if with_records:
            out.write("\n")
            records.seek(0)
            shutil.copyfileobj(records, out)
        elif counts:
            _print([("", ""), ("", "--records prints each record as it would be imported.")], out)


def _write_groups(groups: ProblemGroups, out: TextIO) -> None:
    """Print the kinds of problems under headings by severity, with what to do."""
    heading: str = ""
    for group in groups.results():
        if group["severity"] != heading:
            heading = group["severity"]
            out.write(f"\n{_HEADINGS[heading]}\n")
        texts = _texts(group["code"], heading, group["field"])
        count = group["records"]
        write_indented(f"{texts.title}: {count:,} record{'' if count == 1 else 's'}", out, 2)
        for text in filter(None, (texts.wanted, texts.fix and f"How to fix it: {texts.fix}")):
            write_indented(text, out, 4)
        for example in group["examples"]:
            name = example["title"] or example["guid"]
            line = f" (line {example['line']})" if example["line"] else ""
            head = f"{name}: " if name else ""
            write_indented(f"{head}{example['message']}{line}", out, 6)


def _texts(code: str, severity: str, field: str) -> ProblemTexts:
    consequence = severity if severity in (STOP, LOST) else PROBLEM
    return describe_problem(code, consequence, field, translate=str)


def _print(lines: Iterable[tuple[str, str]], out: TextIO) -> None:
    """Print (label, value) lines, wrapped to the terminal; lines without label are not indented."""
    width = columns()
    for label, value in lines:
        if not label:
            out.write(textwrap.fill(one_line(value), width) + "\n")
            continue
        head = f"  {label:<{_LABEL - 3}} "
        wrapped = textwrap.wrap(
            one_line(value), width - _LABEL, break_long_words=False, break_on_hyphens=False
        )
        out.write(head + ("\n" + " " * _LABEL).join(wrapped or [""]) + "\n")


def _block(number: int, entry: Entry) -> Iterator[tuple[str, str]]:
    yield "", f"{number}. {entry['title'] or '(no title)'}"
    yield "guid", entry["guid"] or "(none)"
    extras = entry.get("extras", {})
    own = (("function", extras.get("la_function")), ("service", extras.get("la_service")))
    for label, value in (*facts(entry), *own):
        if value and label not in ("title", "guid"):
            yield _LABELS.get(label, label), shorten(value, _LONGEST)
    for resource in entry["resources"]:
        yield "resource", shorten(_resource(resource), _LONGEST)
    yield from _problems(entry["problems"])
    if "skipped" in entry:
        yield "skipped", entry["skipped"]
    if "error" in entry:
        yield "failed", f"[{entry['error']['code']}] {entry['error']['message']}"
        yield from _tip(entry["error"]["code"], LOST, "")
    yield "", ""


def _resource(resource: Entry) -> str:
    name = f" “{resource['name']}”" if resource["name"] else ""
    return f"{resource['format'] or '?'} {resource['url']}{name} ({resource['kind'] or 'data'})"


def _problems(problems: Iterable[Entry]) -> Iterator[tuple[str, str]]:
    for problem in problems:
        line = f" (line {problem['line']})" if problem["line"] else ""
        yield "problem", f"[{problem['code']}] {problem['message']}{line}"
        yield from _tip(problem["code"], PROBLEM, problem["field"])


def _tip(code: str, severity: str, field: str) -> Iterator[tuple[str, str]]:
    if fix := _texts(code, severity, field).fix:
        yield "how to fix", fix


def _summary(check: Check, counts: Counter[str]) -> Iterator[tuple[str, str]]:
    total = sum(counts.values())
    arrive = counts["fine"] + counts["problems"]
    with_problems = f" ({counts['problems']:,} with a problem)" if counts["problems"] else ""
    yield (
        "",
        f"{total:,} record{'' if total == 1 else 's'}: {arrive:,} would be imported{with_problems},"
        f" {counts['lost']:,} would fail, {counts['skipped']:,} would be skipped.",
    )
    if check.complete:
        yield "", "The source was read to its end."
    elif check.reason or not check.errors:
        yield "", f"The source was not read completely: {check.reason}"


def write_types(types: Iterable[SourceType], out: TextIO) -> None:
    """Print the source types with their options."""
    for kind in types:
        lines = [("", f"{kind.name}: {kind.title}"), ("", f"  {kind.description}.")]
        if kind.aliases:
            lines.append(("also", ", ".join(kind.aliases)))
        for option in kind.options:
            value = option.default if option.default not in ("", ()) else "none"
            default = str(value).lower() if isinstance(value, bool) else value
            lines.append(("option", f"{option.name} (default {default}): {option.help}"))
        _print([*lines, ("", "")], out)
