"""How the check's result is shown in a terminal."""

from __future__ import annotations

import shutil
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TextIO

from ckanext.ukharvest.core.spatial import bounds
from ckanext.ukharvest.core.text import shorten

if TYPE_CHECKING:
    from ckanext.ukharvest.check.records import Check
    from ckanext.ukharvest.types import SourceType

Entry = Mapping[str, Any]

_LABEL = 13  # columns of a line's name
_LONGEST = 300  # characters of a value that are shown; what has to be mended is shown in full


def write(check: Check, out: TextIO) -> None:
    """Print each record as it is read, and a summary behind the last."""
    codes: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for number, entry in enumerate(check, start=1):
        counts[_fate(entry)] += 1
        codes.update(problem["code"] for problem in entry["problems"])
        _print(_block(number, entry), out)
    _print(_problems(check.problems, "the document"), out)
    codes.update(problem["code"] for problem in check.problems)
    if counts or not check.errors:
        _print(_summary(check, counts, codes), out)


def _fate(entry: Entry) -> str:
    if "error" in entry:
        return "lost"
    return "skipped" if "skipped" in entry or entry.get("deleted") else "fine"


def _print(lines: Iterable[tuple[str, str]], out: TextIO) -> None:
    """Print named lines, wrapped to the terminal; an unnamed one begins at the left."""
    width = max(40, shutil.get_terminal_size((100, 24)).columns)
    for label, value in lines:
        if not label:
            out.write(textwrap.fill(value, width) + "\n")
            continue
        head = f"  {label:<{_LABEL - 3}} "
        wrapped = textwrap.wrap(
            value, width - _LABEL, break_long_words=False, break_on_hyphens=False
        )
        out.write(head + ("\n" + " " * _LABEL).join(wrapped or [""]) + "\n")


def _block(number: int, entry: Entry) -> Iterator[tuple[str, str]]:
    yield "", f"{number}. {entry['title'] or '(no title)'}"
    yield "guid", entry["guid"] or "(none)"
    for label, value in _facts(entry):
        if value:
            yield label, shorten(value, _LONGEST)
    for resource in entry["resources"]:
        yield "resource", shorten(_resource(resource), _LONGEST)
    yield from _problems(entry["problems"])
    if "skipped" in entry:
        yield "SKIPPED", entry["skipped"]
    if "error" in entry:
        yield "LOST", f"[{entry['error']['code']}] {entry['error']['message']}"
    yield "", ""


def _facts(entry: Entry) -> Iterator[tuple[str, str]]:
    yield "notes", entry.get("notes", "")
    yield "url", entry.get("url", "")
    for key in ("publisher", "contact"):
        agent = entry.get(key) or {}
        yield key, " · ".join(filter(None, (agent.get("name"), agent.get("email"))))
    licence = entry.get("licence") or {}
    yield "licence", licence.get("id") or licence.get("title") or licence.get("url") or ""
    yield "tags", ", ".join(entry.get("tags", ()))
    yield "themes", ", ".join(entry.get("themes", ()))
    yield "issued", entry.get("issued", "")
    yield "modified", entry.get("modified", "")
    yield "frequency", entry.get("frequency", "")
    period = entry.get("temporal")
    yield "period", f"{period['start'] or '…'} to {period['end'] or '…'}" if period else ""
    yield "place", " · ".join(filter(None, (entry.get("spatial_text"), _box(entry))))
    yield "schema", ", ".join(entry.get("schema_urls", ()))


def _box(entry: Entry) -> str:
    geometry = entry.get("spatial")
    if not geometry:
        return ""
    return f"{geometry['type']} " + ", ".join(f"{side:g}" for side in bounds(geometry))


def _resource(resource: Entry) -> str:
    name = f" “{resource['name']}”" if resource["name"] else ""
    return f"{resource['format'] or '?'} {resource['url']}{name} ({resource['kind'] or 'data'})"


def _problems(problems: Iterable[Entry], of: str = "") -> Iterator[tuple[str, str]]:
    for problem in problems:
        line = f" (line {problem['line']})" if problem["line"] else ""
        start = f"{of}: " if of else ""
        yield "problem", f"[{problem['code']}] {start}{problem['message']}{line}"


def _summary(check: Check, counts: Counter[str], codes: Counter[str]) -> Iterator[tuple[str, str]]:
    total = sum(counts.values())
    fates = ", ".join(f"{counts[fate]} {fate}" for fate in ("fine", "lost", "skipped"))
    named = ", ".join(f"{count} {code}" for code, count in codes.most_common())
    yield (
        "",
        f"{total} records: {fates}. {sum(codes.values())} problems"
        + (f": {named}." if named else "."),
    )
    if check.complete:
        yield "", "The source was read to its end."
    elif not check.errors:
        yield "", f"The source was not read to its end: {check.reason}"


def write_types(types: Iterable[SourceType], out: TextIO) -> None:
    """Print the source types with their options."""
    for kind in types:
        lines = [("", f"{kind.name}: {kind.title}"), ("", f"  {kind.description}.")]
        if kind.aliases:
            lines.append(("also", ", ".join(kind.aliases)))
        for option in kind.options:
            shown = option.default if option.default not in ("", ()) else "none"
            default = str(shown).lower() if isinstance(shown, bool) else shown
            lines.append(("option", f"{option.name} (default {default}): {option.help}"))
        _print([*lines, ("", "")], out)
